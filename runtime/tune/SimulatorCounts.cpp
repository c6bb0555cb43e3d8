#include "runtime/tune/SimulatorCounts.h"

#include "runtime/simulator/driver/Control.h"

namespace mxc::tune {

TakeCounts countsOfSimulator(const std::string &target) {
  sim::Options options = sim::simulatorOptions(target);
  options.collectStatistics = true;
  sim::setSimulatorOptions(target, options);
  return [target]() -> LaunchCounts {
    constexpr uint64_t kSector = 32;
    const sim::Statistics counted = sim::takeSimulatorStatistics(target);
    return {counted.globalLoadSectors + counted.globalStoreSectors +
                (counted.bulkLoadBytes + counted.bulkStoreBytes) / kSector,
            counted.warpInstructions, counted.sharedWavefronts - counted.sharedIdealWavefronts};
  };
}

} // namespace mxc::tune
