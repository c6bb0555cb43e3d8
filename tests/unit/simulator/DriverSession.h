// A thread with the primary context of a simulated chip, through the driver API's own functions.
#pragma once

#include "runtime/simulator/driver/Api.h"
#include "runtime/simulator/driver/Control.h"
#include "runtime/simulator/driver/Simulator.h"

#include <catch2/catch.hpp>

#include <string>

class DriverSession {
public:
  explicit DriverSession(const std::string &target = "sm_100a") {
    mxc::sim::SimulatedDevice &chip = mxc::sim::Simulator::instance().open(target);
    chip.tellByErrors();
    REQUIRE(mxc::sim::api::cuInit(0) == CUDA_SUCCESS);
    REQUIRE(mxc::sim::api::cuDeviceGet(&device, chip.ordinal()) == CUDA_SUCCESS);
    REQUIRE(mxc::sim::api::cuDevicePrimaryCtxRetain(&context, device) == CUDA_SUCCESS);
    REQUIRE(mxc::sim::api::cuCtxPushCurrent_v2(context) == CUDA_SUCCESS);
  }
  ~DriverSession() {
    CUcontext popped = nullptr;
    mxc::sim::api::cuCtxPopCurrent_v2(&popped);
    mxc::sim::api::cuDevicePrimaryCtxRelease_v2(device);
  }
  DriverSession(const DriverSession &) = delete;

  int attribute(CUdevice_attribute id) const {
    int value = -1;
    CHECK(mxc::sim::api::cuDeviceGetAttribute(&value, id, device) == CUDA_SUCCESS);
    return value;
  }
  CUmodule load(const std::string &ptx) const {
    CUmodule module = nullptr;
    REQUIRE(mxc::sim::api::cuModuleLoadDataEx(&module, ptx.c_str(), 0, nullptr, nullptr) == CUDA_SUCCESS);
    return module;
  }
  CUfunction function(CUmodule module, const char *name) const {
    CUfunction function = nullptr;
    REQUIRE(mxc::sim::api::cuModuleGetFunction(&function, module, name) == CUDA_SUCCESS);
    return function;
  }
  CUdeviceptr allocate(size_t bytes) const {
    CUdeviceptr address = 0;
    REQUIRE(mxc::sim::api::cuMemAlloc_v2(&address, bytes) == CUDA_SUCCESS);
    return address;
  }

  CUdevice device = 0;
  CUcontext context = nullptr;
};

/// y[i] = x[i] + 1 for the 32-bit integers of each thread of the grid.
inline const char *const kAddOne = R"(
.version 8.0
.target sm_90
.address_size 64
.visible .global .align 4 .b32 answer = 42;
.visible .entry add_one(.param .u64 x, .param .u64 y) {
  .reg .b32 %r<6>;
  .reg .b64 %a<5>;
  ld.param.u64 %a1, [x];
  ld.param.u64 %a2, [y];
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %tid.x;
  mov.u32 %r3, %ntid.x;
  mad.lo.u32 %r4, %r1, %r3, %r2;
  mul.wide.u32 %a3, %r4, 4;
  add.u64 %a4, %a1, %a3;
  ld.global.u32 %r5, [%a4];
  add.u32 %r5, %r5, 1;
  add.u64 %a4, %a2, %a3;
  st.global.u32 [%a4], %r5;
  ret;
}
)";
