#include "tools/dev/bandwidth/Measurement.h"

#include "runtime/Buffer.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

namespace mxc::bandwidth {

namespace {

constexpr int64_t kAlignment = 1024; // of every array

int64_t aligned(int64_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

/// The arrays of all programs. Programs with the same inputs share them; outputs lie over one another.
class Buffers {
public:
  Buffers(const Device &device, const std::vector<Program> &programs, int64_t rotatedBytes) {
    double smallest = HUGE_VAL;
    int64_t outputStride = 0;
    for (const Program &program : programs) {
      smallest = std::min(smallest, program.bytes);
      outputStride = std::max(outputStride, total(program.outputBytes));
    }
    sets_ = 1 + static_cast<int>(double(rotatedBytes) / smallest);
    outputStride_ = outputStride;
    memory_.emplace_back(device, sets_ * outputStride); // the outputs'; then one for each group
    for (const Program &program : programs)
      if (!groupOf(program)) {
        int64_t stride = 0;
        for (const Input &input : program.inputs)
          stride += aligned(input.bytes);
        groups_.push_back({program.inputs, stride});
        memory_.emplace_back(device, sets_ * stride);
      }
  }

  int sets() const { return sets_; }

  BufferSet set(const Program &program, int index) const {
    BufferSet set;
    const Group &group = *groupOf(program);
    CUdeviceptr at = memory_[&group - groups_.data() + 1].address() + index * group.stride;
    for (const Input &input : program.inputs) {
      set.inputs.push_back(at);
      at += aligned(input.bytes);
    }
    at = memory_.front().address() + index * outputStride_;
    for (int64_t bytes : program.outputBytes) {
      set.outputs.push_back(at);
      at += aligned(bytes);
    }
    return set;
  }

  void fillInputs(const Yardstick &yardstick, std::mt19937_64 &seeds, CUstream stream) const {
    for (size_t g = 0; g < groups_.size(); ++g)
      for (int index = 0; index < sets_; ++index) {
        CUdeviceptr at = memory_[g + 1].address() + index * groups_[g].stride;
        for (const Input &input : groups_[g].inputs) {
          yardstick.fill(input, at, seeds(), stream);
          at += aligned(input.bytes);
        }
      }
  }

  static int64_t total(const std::vector<int64_t> &bytes) {
    return std::accumulate(bytes.begin(), bytes.end(), int64_t(0),
                           [](int64_t sum, int64_t b) { return sum + aligned(b); });
  }

private:
  struct Group {
    std::vector<Input> inputs;
    int64_t stride;
  };
  const Group *groupOf(const Program &program) const {
    auto found =
        std::find_if(groups_.begin(), groups_.end(), [&](auto &g) { return g.inputs == program.inputs; });
    return found == groups_.end() ? nullptr : &*found;
  }

  int sets_ = 1;
  int64_t outputStride_ = 0;
  std::vector<Group> groups_;
  std::vector<Buffer> memory_;
};

/// Runs over outputs poisoned in two ways: a byte that differs was not written, or not by the inputs alone.
uint64_t wrongBytes(const Device &device, const Yardstick &yardstick, const Program &program,
                    const BufferSet &set, bool pdl, const Stream &stream) {
  ContextScope scope(device);
  const Driver &driver = device.driver();
  Buffer copy(device, Buffers::total(program.outputBytes));
  uint64_t wrong = 0;
  for (unsigned char poison : {0x5A, 0xA5}) {
    for (size_t i = 0; i < set.outputs.size(); ++i)
      device.check(driver.cuMemsetD8Async(set.outputs[i], poison, program.outputBytes[i], stream),
                   "poison an output");
    program.launch(set, pdl, stream);
    CUdeviceptr at = copy.address();
    for (size_t i = 0; i < set.outputs.size(); at += aligned(program.outputBytes[i++]))
      if (poison == 0x5A)
        device.check(driver.cuMemcpyDtoDAsync_v2(at, set.outputs[i], program.outputBytes[i], stream),
                     "copy an output");
      else
        wrong += yardstick.differences(at, set.outputs[i], program.outputBytes[i], stream);
  }
  stream.synchronize();
  return wrong;
}

Graph capture(const Buffers &buffers, const Program &program, bool pdl, int launches, const Stream &stream) {
  return Graph::capture(stream, [&] {
    for (int i = 0; i < launches; ++i)
      program.launch(buffers.set(program, i % buffers.sets()), pdl, stream);
  });
}

struct Clock {
  explicit Clock(const Device &device) : start(device), stop(device) {}
  Event start, stop;

  double replayMicros(const Graph &graph, const Stream &stream) const {
    graph.launch(stream); // covers the time that the host needs for the next launch
    start.record(stream);
    graph.launch(stream);
    stop.record(stream);
    stop.synchronize();
    return stop.microsSince(start);
  }
};

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
  return values[values.size() / 2];
}

} // namespace

double Timing::mean() const { return std::accumulate(micros.begin(), micros.end(), 0.0) / micros.size(); }

double Timing::spread() const {
  auto [low, high] = std::minmax_element(micros.begin(), micros.end());
  return (*high - *low) / mean();
}

std::vector<Timing> measure(const Device &device, const Yardstick &yardstick,
                            const std::vector<Program> &programs, bool pdl,
                            const MeasurementOptions &options) {
  Stream stream(device);
  Clock clock(device);
  Buffers buffers(device, programs, options.rotatedBytes);
  std::mt19937_64 seeds(std::random_device{}());
  buffers.fillInputs(yardstick, seeds, stream);
  stream.synchronize();

  std::vector<Timing> timings(programs.size());
  std::vector<Graph> graphs;
  std::vector<int> launches;
  for (size_t p = 0; p < programs.size(); ++p) {
    if (options.check)
      timings[p].wrongBytes =
          wrongBytes(device, yardstick, programs[p], buffers.set(programs[p], 0), pdl, stream);
    Graph once = capture(buffers, programs[p], pdl, buffers.sets(), stream);
    double rounds = std::ceil(options.workMicros / clock.replayMicros(once, stream));
    launches.push_back(buffers.sets() * static_cast<int>(rounds));
    graphs.push_back(capture(buffers, programs[p], pdl, launches.back(), stream));
  }

  for (int pass = 0; pass < options.passes; ++pass) {
    buffers.fillInputs(yardstick, seeds, stream);
    yardstick.warm(pass == 0 ? 0.4 : 0.1, stream);
    std::vector<std::vector<double>> micros(programs.size());
    for (int replay = 0; replay < options.replays; ++replay)
      for (size_t p = 0; p < programs.size(); ++p)
        micros[p].push_back(clock.replayMicros(graphs[p], stream) / launches[p]);
    for (size_t p = 0; p < programs.size(); ++p)
      timings[p].micros.push_back(median(micros[p]));
  }
  return timings;
}

} // namespace mxc::bandwidth
