#include "runtime/simulation/SimulatorDriver.h"

#include "runtime/simulator/driver/Api.h"
#include "runtime/simulator/driver/Call.h"

#include <array>

namespace mxc {

using namespace sim;

// All tables share the process's simulator, in which a CUdevice says which device is meant, and a context
// knows its device. Only where a device is counted or numbered do tables differ.
template <int Ordinal> static CUresult getDevice(CUdevice *device, int ordinal) {
  if (ordinal != 0) return CUDA_ERROR_INVALID_DEVICE;
  return api::cuDeviceGet(device, Ordinal);
}
template <int Ordinal> static std::string faultText() {
  return Simulator::instance().device(Ordinal).lastFault();
}
static CUresult countOne(int *count) {
  return started([&] {
    require(count != nullptr);
    *count = 1;
  });
}

template <int Ordinal> static Driver makeTable(const Chip &chip) {
  Driver driver;
#define MXC_DRIVER_SYMBOL(symbol, ...) driver.symbol = api::symbol;
#include "runtime/device/DriverSymbols.def"
  driver.cuDeviceGet = getDevice<Ordinal>;
  driver.cuDeviceGetCount = countOne;
  driver.library = "the simulator of " + chip.target.text();
  driver.takesCubins = false;
  driver.faultText = faultText<Ordinal>;
  return driver;
}

const Driver &simulatorDriver(const std::string &target) {
  using Maker = Driver (*)(const Chip &);
  static constexpr Maker kMakers[] = {makeTable<0>, makeTable<1>, makeTable<2>, makeTable<3>,
                                      makeTable<4>, makeTable<5>, makeTable<6>, makeTable<7>};
  static std::mutex mutex;
  static auto *tables = new std::array<std::unique_ptr<const Driver>, std::size(kMakers)>;
  SimulatedDevice &device = Simulator::instance().open(target);
  std::lock_guard lock(mutex);
  auto &table = tables->at(static_cast<size_t>(device.ordinal()));
  device.tellByErrors();
  if (!table) table = std::make_unique<const Driver>(kMakers[device.ordinal()](device.chip()));
  return *table;
}

} // namespace mxc
