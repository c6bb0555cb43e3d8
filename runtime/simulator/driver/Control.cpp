#include "runtime/simulator/driver/Control.h"

#include "runtime/simulator/driver/Simulator.h"

namespace mxc::sim {

Options simulatorOptions(const std::string &target) { return Simulator::instance().open(target).options(); }
void setSimulatorOptions(const std::string &target, const Options &options) {
  Simulator::instance().open(target).setOptions(options);
}
void holdConstant(const std::string &target, uint64_t address) {
  Simulator::instance().open(target).memory().holdConstant(address);
}

Statistics takeSimulatorStatistics(const std::string &target) {
  return Simulator::instance().open(target).takeStatistics();
}

std::string takeSimulatorFileFailure(const std::string &target) {
  return Simulator::instance().open(target).takeFileFailure();
}
void keepSimulatorFileFailures(const std::string &target) {
  Simulator::instance().open(target).keepFileFailures();
}

} // namespace mxc::sim
