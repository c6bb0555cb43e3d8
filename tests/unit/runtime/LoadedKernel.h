// Kernels loaded on the fake driver.
#pragma once

#include "runtime/launch/Kernel.h"
#include "tests/unit/runtime/ExampleImage.h"
#include "tests/unit/runtime/FakeDevice.h"

/// On a device that has forgotten earlier tests; its entry takes so many parameters of eight bytes.
inline mxc::Kernel loaded(const mxc::KernelAbi &kernel, size_t parameters = 6) {
  mxc::Device device = fakeDevice();
  mxc::ModuleAbi abi;
  abi.target = "sm_90a";
  abi.compilerVersion = "0.1.0";
  abi.numericsVersion = 1;
  abi.kernels = {kernel};
  const std::string image = cubinOf({}) + abiRecord(abi);
  fakeState().parameterSizes = std::vector<size_t>(parameters, 8);
  return mxc::Module::fromImage(device, bytesOf(image)).kernel();
}
