#include "tests/unit/runtime/FakeDevice.h"

#include "tests/unit/runtime/Conformance.h"

#include <dlfcn.h>

using namespace mxc;

const Driver &fakeDriver() {
  static const Driver driver = loadDriver(MXC_FAKE_LIBCUDA);
  return driver;
}

FakeDriverState &fakeState() {
  fakeDriver();
  static auto state = reinterpret_cast<FakeDriverState *(*)()>(
      dlsym(dlopen(MXC_FAKE_LIBCUDA, RTLD_NOW | RTLD_NOLOAD), "fakeDriverState"));
  return *state();
}

Device fakeDevice(int major, int minor) {
  fakeState() = FakeDriverState();
  fakeState().major = major;
  fakeState().minor = minor;
  return Device(fakeDriver(), 0, "cuda:0");
}

Device conformanceDevice() { return fakeDevice(); }
