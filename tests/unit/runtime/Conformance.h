// The conformance suite (ConformanceTest.cpp) is written once; each program that links it says which device
// it runs on.
#pragma once

#include "runtime/device/Device.h"

mxc::Device conformanceDevice();
