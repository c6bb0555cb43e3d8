// What the C interface's handles are.
#pragma once

#include "runtime/c/Loading.h"
#include "runtime/device/Buffer.h"
#include "runtime/device/Stream.h"
#include "runtime/launch/Kernel.h"

struct mxc_engine {
  mxc::Device device;
  std::shared_ptr<mxc::c::Loader> loader;
};

struct mxc_kernel {
  mxc::Kernel kernel;
};

struct mxc_launch {
  mxc::PreparedLaunch launch;
};

struct mxc_buffer {
  std::shared_ptr<mxc::Buffer> buffer; // also held by DLPack tensors over it
};

struct mxc_stream {
  mxc::Stream stream;
};

struct mxc_bytes {
  std::string bytes;
};
