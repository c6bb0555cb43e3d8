// In every program that links mxc_runtime_simulator: openDevice("simulator:sm_100a") is the simulator.
#include "runtime/device/DriverProvider.h"
#include "runtime/simulation/SimulatorDriver.h"

static const bool isRegistered = (mxc::registerDriverProvider("simulator", mxc::simulatorDriver), true);
