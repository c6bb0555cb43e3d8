// A Device on the fake driver, and the driver's state.
#pragma once

#include "runtime/device/Device.h"
#include "tests/unit/runtime/FakeDriver.h"

const mxc::Driver &fakeDriver();
FakeDriverState &fakeState(); // of that driver

/// A device of this capability; everything that earlier tests set or recorded is forgotten.
mxc::Device fakeDevice(int major = 9, int minor = 0);
