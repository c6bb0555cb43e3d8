#include "tools/mxc/bench/BenchCase.h"

#include "dialect/formats/Error.h"
#include "runtime/device/Stream.h"
#include "runtime/measure/KernelContender.h"
#include "runtime/measure/StreamingKernel.h"
#include "runtime/measure/TensorKernel.h"

#include <algorithm>
#include <cstdio>
#include <memory>

namespace mxc::bench {

std::string shapeTextOf(const KernelAbi &kernel, const Dimensions &dimensions) {
  std::string text;
  for (const std::string &name : kernel.dimensions)
    text += (text.empty() ? "" : ", ") + name + " = " + std::to_string(dimensions.at(name));
  return text.empty() ? "static sizes" : text;
}

const Row *Case::ceiling() const {
  auto found = std::ranges::find_if(rows, &Row::isCeiling);
  return found == rows.end() ? nullptr : &*found;
}

const Row *Case::tensorCeiling() const {
  auto found = std::ranges::find_if(rows, &Row::isTensorCeiling);
  return found == rows.end() ? nullptr : &*found;
}

static std::string percent(double part) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f %%", 100 * part);
  return text;
}

static std::string whyNoRatio(const Row &row, const Row &ceiling) {
  for (const Row *held : {&row, &ceiling}) {
    const std::string whose = held == &row              ? "its"
                              : ceiling.isTensorCeiling ? "the tensor cores'"
                                                        : "the ceiling's";
    if (held->clocks.movement() > kClockMovement)
      return whose + " clocks moved by " + percent(held->clocks.movement());
    if (held->timing.spread() > kSpread) return whose + " times scatter by " + percent(held->timing.spread());
  }
  return "";
}

void setRatios(Case &result) {
  for (Row &row : result.rows) {
    std::string told;
    auto add = [&](const std::string &text) { row.remark += (row.remark.empty() ? "" : "; ") + text; };
    auto hold = [&](const Row *ceiling, double (Row::*rate)() const, std::optional<double> &ratio) {
      if (!ceiling || !((row.*rate)() > 0)) return;
      const std::string why = whyNoRatio(row, *ceiling);
      if (why.empty())
        ratio = (row.*rate)() / (ceiling->*rate)();
      else if (why != told)
        add("no ratio: " + (told = why));
      constexpr double kShown = 1.0005; // "1.001"
      if (ratio && *ratio >= kShown)
        add(ceiling->isTensorCeiling ? "faster than the kernel that only multiplies"
            : row.timing.median() >= ceiling->timing.median()
                ? "above 1 by bytes that the ceiling does not move"
                : "faster than the streaming kernels");
    };
    hold(result.ceiling(), &Row::gigabytesPerSecond, row.ratio);
    hold(result.tensorCeiling(), &Row::teraflopsPerSecond, row.tensorRatio);
  }
}

/// Two of each multiply-add.
static double operationsOf(const KernelAbi &kernel, const Dimensions &dimensions) {
  const ShapeExpression &multiplyAdds = kernel.work.multiplyAdds;
  return multiplyAdds.empty() ? 0 : 2 * static_cast<double>(multiplyAdds.evaluate(dimensions));
}

/// How many bytes come out differently over two kinds of poison: not by the inputs alone, or unwritten, which
/// groups may leave of the capacity that they do not fill.
static std::string wrongResults(const Candidate &candidate, measure::TensorSets &sets) {
  constexpr double kMostBytes = 1 << 30; // what is worth bringing to the host twice
  constexpr std::byte kPoison[] = {std::byte{0x5A}, std::byte{0xA5}};
  if (sets.bytesWritten() > kMostBytes) return "results too large to be checked";
  const PreparedLaunch launch = candidate.kernel.prepare(sets.arguments(0));
  Stream stream(candidate.kernel.module().device());
  std::vector<std::vector<std::byte>> results[2];
  for (int pass = 0; pass < 2; ++pass) {
    sets.fillOutputs(std::to_integer<uint8_t>(kPoison[pass]));
    launch.launch(stream);
    stream.synchronize();
    for (const AbiArgument &argument : candidate.kernel.abi().arguments)
      if (argument.isOutput && !argument.isRead) results[pass].push_back(sets.download(0, argument.name));
  }
  const bool hasGroups = candidate.kernel.abi().argumentOf(ArgumentRole::Ends) != nullptr;
  uint64_t wrong = 0;
  for (size_t i = 0; i < results[0].size(); ++i)
    for (size_t j = 0; j < results[0][i].size(); ++j) {
      const std::byte found[] = {results[0][i][j], results[1][i][j]};
      const bool isUnwritten = found[0] == kPoison[0] && found[1] == kPoison[1];
      wrong += found[0] != found[1] && !(hasGroups && isUnwritten);
    }
  return wrong ? "WRONG: " + std::to_string(wrong) + " bytes unwritten or changing" : "";
}

namespace {

/// The streaming kernels of a traffic on their own tensors.
class Ceilings {
public:
  Ceilings(const Device &device, const measure::StreamedPieces &stream, int sets, bool pdl)
      : kernel_(Module::fromImage(device,
                                  std::as_bytes(std::span(image_ = measure::streamingImage(stream.traffic))),
                                  "the streaming kernels")
                    .kernel()),
        sets_(device, kernel_.abi(), {{"R", stream.rows}, {"C", stream.columns}}, {}, {.rotatedBytes = 0}) {
    // As many sets as the candidates have, so that both go round the same bytes.
    if (sets > 1)
      sets_ =
          measure::TensorSets(device, kernel_.abi(), {{"R", stream.rows}, {"C", stream.columns}}, {},
                              {.rotatedBytes = static_cast<int64_t>((sets - 1) * sets_.bytesNeeded()) + 1});
    for (size_t i = 0; i < kernel_.abi().variants.size(); ++i) {
      const AbiVariant &variant = kernel_.abi().variants[i];
      constexpr int64_t kMostRows = int64_t(65535) / 4 * 128; // of a grid
      const bool isByRows = variant.tile.ends_with("by rows");
      if (isByRows && (stream.rows == 1 || stream.rows > kMostRows)) continue;
      contenders_.push_back(
          contenderOf(kernel_, sets_, "streaming, " + variant.tile, {.pdl = pdl, .variant = i}));
    }
  }

  int sets() const { return sets_.count(); }
  double bytes() const { return sets_.bytesNeeded(); }
  const std::vector<measure::Contender> &contenders() const { return contenders_; }

private:
  std::string image_;
  Kernel kernel_;
  measure::TensorSets sets_;
  std::vector<measure::Contender> contenders_;
};

/// What only multiplies: a CTA a multiprocessor, some 150 us of a Hopper at 1.8 GHz.
class TensorCeiling {
public:
  /// Nothing for a chip without products.
  static std::unique_ptr<TensorCeiling> of(const Device &device) {
    constexpr int kRounds = 64;
    std::optional<measure::TensorKernel> kernel =
        measure::TensorKernel::of(device.computeCapability(), kRounds);
    if (!kernel) return nullptr;
    return std::unique_ptr<TensorCeiling>(new TensorCeiling(device, *kernel));
  }

  Row row() const {
    return {.name = "tensor cores, " + instruction_,
            .tile = "",
            .isTensorCeiling = true,
            .operations = operations_};
  }
  /// Its one set of tensors stands for all.
  measure::Contender contender() const {
    return {row().name,
            [only = contenderOf(kernel_, sets_, "")](int, CUstream stream) { only.enqueue(0, stream); }};
  }

private:
  TensorCeiling(const Device &device, const measure::TensorKernel &kernel)
      : instruction_(kernel.instruction),
        operations_(kernel.operationsOfCta * device.limits().multiprocessors),
        kernel_(Module::fromImage(device, std::as_bytes(std::span(kernel.image)), "the tensor cores' kernel")
                    .kernel()),
        sets_(device, kernel_.abi(), {{"C", device.limits().multiprocessors}}, {}, {.rotatedBytes = 0}) {}

  std::string instruction_;
  double operations_;
  Kernel kernel_;
  measure::TensorSets sets_;
};

} // namespace

/// The two that are fastest in a short race.
static std::vector<measure::Contender> fastest(const Device &device, const Ceilings &ceilings, int sets) {
  measure::MeasurementOptions quick;
  quick.workMicros = 500;
  quick.warmSeconds = 0.1;
  quick.race.rounds = 5;
  const measure::Measurement measured = compare(device, ceilings.contenders(), sets, quick);
  std::vector<size_t> order(measured.timings.size());
  for (size_t i = 0; i < order.size(); ++i)
    order[i] = i;
  std::ranges::sort(order, {}, [&](size_t i) { return measured.timings[i].median(); });
  constexpr size_t kKept = 2;
  std::vector<measure::Contender> kept;
  for (size_t i = 0; i < std::min(kKept, order.size()); ++i)
    kept.push_back(ceilings.contenders()[order[i]]);
  return kept;
}

Case measureCase(const std::vector<Candidate> &candidates, const std::string &file,
                 const Dimensions &dimensions, const Arguments &scalars, const CaseOptions &options) {
  const KernelAbi &abi = candidates.front().kernel.abi();
  const Device &device = candidates.front().kernel.module().device();
  measure::TensorSets sets(device, abi, dimensions, scalars,
                           {.rotatedBytes = options.warm ? std::optional<int64_t>(0) : std::nullopt});
  const Ceilings ceilings(device, measure::streamLike(abi, dimensions), sets.count(), options.pdl);

  Case result{abi.name,   file,        shapeTextOf(abi, dimensions),
              dimensions, options.pdl, std::min(sets.count(), ceilings.sets())};
  std::vector<measure::Contender> contenders;
  for (const Candidate &candidate : candidates) {
    Row row{candidate.name, candidate.kernel.prepare(sets.arguments(0)).plan().variant->tile};
    row.bytes = sets.bytesNeeded();
    row.operations = operationsOf(abi, dimensions);
    row.remark = wrongResults(candidate, sets);
    result.hasWrongResults |= row.remark.starts_with("WRONG");
    result.rows.push_back(row);
    contenders.push_back(contenderOf(candidate.kernel, sets, candidate.name, {.pdl = options.pdl}));
  }
  for (const measure::Contender &ceiling : fastest(device, ceilings, result.sets)) {
    result.rows.push_back({.name = ceiling.name, .tile = "", .isCeiling = true, .bytes = ceilings.bytes()});
    contenders.push_back(ceiling);
  }

  std::unique_ptr<TensorCeiling> tensor;
  if (result.hasOperations()) tensor = TensorCeiling::of(device);
  if (tensor) {
    result.rows.push_back(tensor->row());
    contenders.push_back(tensor->contender());
  }

  measure::MeasurementOptions full;
  full.race.rounds = options.rounds;
  full.race.stoppedBehind = measure::RaceOptions::kNobodyIsStopped;
  constexpr int kProductsSettle = 200; // milliseconds
  full.settleMicros = 1e3 * options.settleMillis.value_or(result.hasOperations() ? kProductsSettle : 0);
  full.workMicros = std::max(full.workMicros, full.settleMicros / 4);
  const measure::Measurement measured = compare(device, contenders, result.sets, full);
  result.clocks = measured.allClocks();
  for (size_t i = 0; i < result.rows.size(); ++i)
    result.rows[i].timing = measured.timings[i], result.rows[i].clocks = measured.clocks[i];
  const auto firstCeiling = std::ranges::find_if(result.rows, &Row::isCeiling);
  std::sort(firstCeiling, result.rows.end() - (tensor ? 1 : 0),
            [](const Row &a, const Row &b) { return a.timing.median() < b.timing.median(); });
  setRatios(result);
  return result;
}

} // namespace mxc::bench
