#include "tools/mxc/bench/BenchCounts.h"

#include "runtime/device/Stream.h"
#include "runtime/measure/TensorSets.h"
#include "runtime/simulator/driver/Control.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>

namespace mxc::bench {

CountCase countCase(const std::vector<Candidate> &candidates, const std::string &file,
                    const Dimensions &dimensions, const Arguments &scalars, const std::string &target) {
  const Kernel &first = candidates.front().kernel;
  const measure::TensorSets sets(first.module().device(), first.abi(), dimensions, scalars,
                                 {.rotatedBytes = 0});
  CountCase result{
      first.abi().name,   file, shapeTextOf(first.abi(), dimensions), dimensions, sets.bytesRead(),
      sets.bytesWritten()};
  for (const AbiArgument &argument : first.abi().arguments) {
    if (!argument.isTensor()) continue;
    uint64_t elements = 1;
    for (int64_t size : argumentShape(first.abi(), argument, dimensions))
      elements *= static_cast<uint64_t>(size);
    result.elements = std::max(result.elements, elements);
  }
  sim::Options options = sim::simulatorOptions(target);
  options.collectStatistics = true;
  sim::setSimulatorOptions(target, options);
  sim::takeSimulatorStatistics(target);
  for (const Candidate &candidate : candidates) {
    const PreparedLaunch launch = candidate.kernel.prepare(sets.arguments(0));
    const Stream stream(first.module().device());
    launch.launch(stream);
    stream.synchronize();
    result.rows.push_back(
        {candidate.name, launch.plan().variant->tile, sim::takeSimulatorStatistics(target)});
  }
  return result;
}

static double over(double a, double b) { return b > 0 ? a / b : 0; }

static double moved(uint64_t sectors, uint64_t bulkBytes) {
  constexpr double kSectorBytes = 32;
  return static_cast<double>(sectors) * kSectorBytes + static_cast<double>(bulkBytes);
}

double instructionsPerElement(const CountCase &result, const CountRow &row) {
  return over(32.0 * static_cast<double>(row.counts.warpInstructions), static_cast<double>(result.elements));
}
double bytesRead(const CountRow &row) {
  return moved(row.counts.globalLoadSectors, row.counts.bulkLoadBytes);
}
double bytesWritten(const CountRow &row) {
  return moved(row.counts.globalStoreSectors, row.counts.bulkStoreBytes);
}
uint64_t bankConflicts(const CountRow &row) {
  return row.counts.sharedWavefronts - row.counts.sharedIdealWavefronts;
}

std::string countText(const CountCase &result) {
  std::string text = "\n" + result.kernel + " (" + result.file + "), " + result.shape + "\n";
  size_t width = 9;
  for (const CountRow &row : result.rows)
    width = std::max(width, row.name.size());
  text += "  " + std::string("contender") + std::string(width - 9, ' ') +
          "  instructions/element  read/needed  written/needed  bank conflicts\n";
  for (const CountRow &row : result.rows) {
    char line[160];
    std::snprintf(line, sizeof line, "  %20.2f  %11.3f  %14.3f  %14llu\n",
                  instructionsPerElement(result, row), over(bytesRead(row), result.bytesRead),
                  over(bytesWritten(row), result.bytesWritten),
                  static_cast<unsigned long long>(bankConflicts(row)));
    text += "  " + row.name + std::string(width - row.name.size(), ' ') + line;
  }
  return text;
}

std::string countJson(const std::string &device, const std::vector<CountCase> &cases) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const CountCase &result : cases)
    for (const CountRow &row : result.rows)
      rows.push_back({{"kernel", result.kernel},
                      {"file", result.file},
                      {"dimensions", result.dimensions},
                      {"contender", row.name},
                      {"tile", row.tile},
                      {"bytes_read_needed", result.bytesRead},
                      {"bytes_written_needed", result.bytesWritten},
                      {"counts", nlohmann::ordered_json::parse(row.counts.json(result.elements))}});
  return nlohmann::ordered_json{{"device", device}, {"times", nullptr}, {"results", rows}}.dump(1) + "\n";
}

} // namespace mxc::bench
