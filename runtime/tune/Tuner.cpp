#include "runtime/tune/Tuner.h"

#include "runtime/device/Stream.h"
#include "runtime/tune/OutputAgreement.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <map>
#include <set>

namespace mxc::tune {

std::string shapeText(const Dimensions &dimensions) {
  std::string text;
  for (const auto &[name, size] : dimensions)
    text += (text.empty() ? "" : ", ") + name + " = " + std::to_string(size);
  return text;
}

namespace {

class ShapeTuner {
public:
  ShapeTuner(const Device &device, const Candidates &candidates, const Dimensions &dimensions,
             const TunerOptions &options, const std::function<void(const std::string &)> &progress)
      : device_(device), candidates_(candidates), options_(options), progress_(progress),
        result_{dimensions, ShapeBucket::of(dimensions), {}, {}, 0} {}

  /// Finds out which candidates compete, and on a simulator their scores.
  void check() {
    progress_(what() + ": checking");
    result_.trials.resize(candidates_.all.size());
    const auto start = std::chrono::steady_clock::now();
    OutputAgreement agreement(*candidates_.untuned, result_.dimensions, options_.scalars);
    patience_ = std::max(options_.patience, std::chrono::duration_cast<std::chrono::milliseconds>(
                                                30 * (std::chrono::steady_clock::now() - start)));
    const Arguments &arguments = agreement.tensors().arguments(0);
    result_.bytesNeeded = agreement.tensors().bytesNeeded();
    std::string untuned = candidates_.untuned->prepare(arguments).plan().variant->tile;
    if (size_t when = untuned.find(", when = "); when != std::string::npos)
      untuned = untuned.substr(0, when) + ">";
    for (size_t i = 0; i < candidates_.all.size(); ++i)
      check(i, untuned, agreement);
  }

  void race() {
    progress_(what() + ": timing");
    const measure::TensorSets sets(device_, candidates_.untuned->abi(), result_.dimensions, options_.scalars);
    std::vector<measure::Contender> contenders;
    std::vector<size_t> numbers; // of the candidates
    for (size_t i = 0; i < candidates_.all.size(); ++i) {
      if (!result_.trials[i].refusal.empty()) continue;
      const Candidate &candidate = candidates_.all[i];
      contenders.push_back(
          measure::contenderOf(*candidate.kernel, sets, candidate.tile, {.pdl = options_.pdl}));
      numbers.push_back(i);
    }
    measure::MeasurementOptions measurement = options_.measurement;
    size_t running = 0;
    measurement.beforeReplay = [&](size_t contender) { begin(running = numbers[contender]); };
    measure::Measurement measured;
    try {
      measured = measure::compare(device_, contenders, sets.count(), measurement);
    } catch (const Error &error) {
      if (isDeviceWell()) throw;
      ruined(running, error);
    }
    end();
    for (size_t i = 0; i < numbers.size(); ++i) {
      Trial &trial = result_.trials[numbers[i]];
      trial.timing = std::move(measured.timings[i]);
      trial.score = trial.timing.median();
    }
    result_.clocks = measured.allClocks();
  }

  ShapeTuning take() { return std::move(result_); }

private:
  std::string what() const { return shapeText(result_.dimensions); }

  /// Whether the candidate's own tile is launched, not the general one that follows it.
  bool takesShape(const Candidate &candidate, const Arguments &arguments) const {
    const LaunchPlan plan = candidate.kernel->prepare(arguments).plan();
    return candidate.tile.empty() || candidate.tile == plan.variant->tile;
  }

  void check(size_t index, const std::string &untuned, OutputAgreement &agreement) {
    const Candidate &candidate = candidates_.all[index];
    const Arguments &arguments = agreement.tensors().arguments(0);
    Trial &trial = result_.trials[index];
    trial.refusal = candidate.refusal;
    if (options_.faults && trial.refusal.empty()) trial.refusal = options_.faults->reason(index);
    if (!trial.refusal.empty()) return;
    try {
      if (!takesShape(candidate, arguments)) {
        trial.refusal = "does not take this shape";
        return;
      }
      trial.isUntuned = candidate.tile.empty() || candidate.tile == untuned;
      begin(index);
      if (options_.takeCounts) count(candidate, arguments, trial);
      trial.refusal = agreement.disagreement(*candidate.kernel);
    } catch (const Error &error) {
      if (!isDeviceWell()) ruined(index, error);
      trial.refusal = error.what(); // more than this device has
    }
    end();
  }

  void begin(size_t candidate) {
    if (options_.faults) options_.faults->begin(candidate, patience_);
  }
  void end() {
    if (options_.faults) options_.faults->end();
  }

  /// Whether the device still works; a kernel's fault stays an error of its context for good.
  bool isDeviceWell() const {
    ContextScope scope(device_);
    return device_.driver().cuStreamSynchronize(nullptr) == CUDA_SUCCESS;
  }
  [[noreturn]] void ruined(size_t index, const Error &error) const {
    const Candidate &candidate = candidates_.all[index];
    if (!options_.faults)
      throw Error(error.kind(), what() + ": candidate '" + candidate.tile + "' (" + candidate.assembler +
                                    "): " + error.what());
    options_.faults->record(index, "fails at " + what() + ": " + error.what());
    throw DeviceRuined{};
  }

  void count(const Candidate &candidate, const Arguments &arguments, Trial &trial) const {
    Stream stream(device_);
    const PreparedLaunch launch = candidate.kernel->prepare(arguments, {.pdl = options_.pdl});
    options_.takeCounts(); // of what went before
    launch.launch(stream);
    stream.synchronize();
    trial.counts = options_.takeCounts();
    trial.score = scoreOf(trial.counts, device_.limits());
  }

  const Device &device_;
  const Candidates &candidates_;
  const TunerOptions &options_;
  const std::function<void(const std::string &)> &progress_;
  ShapeTuning result_;
  std::chrono::milliseconds patience_{0};
};

/// Returns the fastest of one assembler's candidates over the shapes; nothing if none competes in all of
/// them.
std::optional<size_t> chooseAmong(const std::vector<Candidate> &candidates, const std::string &assembler,
                                  const std::vector<const ShapeTuning *> &shapes) {
  constexpr double kNoise = 0.002;
  std::optional<size_t> best, untuned;
  double least = std::numeric_limits<double>::infinity(), leastOfUntuned = least;
  for (size_t i = 0; i < candidates.size(); ++i) {
    if (candidates[i].assembler != assembler) continue;
    double logarithm = 0;
    bool competes = true, isUntuned = true;
    for (const ShapeTuning *shape : shapes) {
      const Trial &trial = shape->trials[i];
      competes &= trial.refusal.empty();
      isUntuned &= trial.isUntuned;
      logarithm += std::log(std::max(trial.score, 1e-9)) / double(shapes.size());
    }
    if (!competes) continue;
    if (logarithm < least) best = i, least = logarithm;
    if (isUntuned && logarithm < leastOfUntuned) untuned = i, leastOfUntuned = logarithm;
  }
  return untuned && leastOfUntuned <= least + kNoise ? untuned : best;
}

} // namespace

static int64_t secondsNow() {
  using namespace std::chrono;
  return duration_cast<seconds>(system_clock::now().time_since_epoch()).count();
}

/// Marks the chosen trials and returns the rows of one bucket, over its shapes so far.
static std::vector<TunedRow> chooseIn(const ShapeBucket &bucket, const Candidates &candidates,
                                      const TuningKey &key, Tuning &tuning) {
  std::vector<TunedRow> rows;
  std::vector<const ShapeTuning *> shapes;
  std::string texts;
  for (ShapeTuning &shape : tuning.shapes)
    if (shape.bucket == bucket) {
      for (Trial &trial : shape.trials)
        trial.isChosen = false; // as it may have been before the last shape
      shapes.push_back(&shape);
      texts += (texts.empty() ? "" : "; ") + shapeText(shape.dimensions);
    }
  std::set<std::string> assemblers;
  for (const Candidate &candidate : candidates.all)
    assemblers.insert(candidate.assembler);
  for (const std::string &assembler : assemblers) {
    const std::optional<size_t> chosen = chooseAmong(candidates.all, assembler, shapes);
    if (!chosen) continue;
    double logarithm = 0;
    for (ShapeTuning &shape : tuning.shapes) {
      if (!(shape.bucket == bucket)) continue;
      shape.trials[*chosen].isChosen = true;
      logarithm += std::log(std::max(shape.trials[*chosen].score, 1e-9)) / double(shapes.size());
    }
    rows.push_back({key,
                    {bucket, tuningBuild(), assembler, candidates.all[*chosen].tile, texts,
                     tuning.isByCounts ? "counts" : "microseconds", std::exp(logarithm), secondsNow()}});
  }
  return rows;
}

Tuning tune(const Device &device, const Candidates &candidates, std::span<const Dimensions> shapes,
            const TunerOptions &options) {
  if (!device.driver().takesCubins && !options.takeCounts)
    throw Error(ErrorKind::Usage, device.name() + " keeps no time of its own: candidates are ranked there by "
                                                  "counts, which nobody gave");
  Tuning tuning;
  tuning.isByCounts = bool(options.takeCounts);
  const std::function<void(const std::string &)> progress = [&](const std::string &what) {
    if (options.progress) options.progress(what, tuning.shapes.size(), shapes.size());
  };
  const TuningKey key = tuningKey(candidates.text, device);
  std::map<ShapeBucket, std::vector<TunedRow>> rows;
  auto end = [&](ShapeTuner &tuner) {
    const ShapeBucket bucket = tuning.shapes.emplace_back(tuner.take()).bucket;
    rows[bucket] = chooseIn(bucket, candidates, key, tuning);
    if (options.shapeEnded) options.shapeEnded(rows[bucket]);
  };
  // All are checked before the first is timed: a candidate that ruins the device does so before there are
  // times to lose. Counts are taken with the check.
  std::vector<ShapeTuner> tuners;
  for (const Dimensions &dimensions : shapes) {
    tuners.emplace_back(device, candidates, dimensions, options, progress).check();
    if (options.takeCounts) end(tuners.back());
  }
  if (!options.takeCounts)
    for (ShapeTuner &tuner : tuners) {
      tuner.race();
      end(tuner);
    }
  if (options.progress) options.progress("done", shapes.size(), shapes.size());
  for (auto &[bucket, own] : rows)
    std::ranges::move(own, std::back_inserter(tuning.rows));
  return tuning;
}

} // namespace mxc::tune
