// The seam between host code and hardware: the CUDA driver API as a table of functions.
#pragma once

#include "dialect/formats/Error.h"

#include <cuda.h>

#include <string>
#include <string_view>

// cuda.h 13 maps this name to cuEventElapsedTime_v2, which drivers before 12.8 lack; the two differ in
// nothing we use.
#undef cuEventElapsedTime
extern "C" CUresult CUDAAPI cuEventElapsedTime(float *milliseconds, CUevent start, CUevent end);

namespace mxc {

/// Everything above this table is written once and runs on whichever library fills it: libcuda, or the
/// simulator.
struct Driver {
#define MXC_DRIVER_SYMBOL(symbol, ...) CUresult(CUDAAPI *symbol)(__VA_ARGS__) = nullptr;
#include "runtime/device/DriverSymbols.def"

  std::string library; // where the functions come from, for messages
  /// Tells what the last kernel that faulted did, where the library knows: the simulator's whole report.
  std::string (*faultText)() = nullptr;
  bool takesCubins = true; // and fatbins of cubins; the simulator runs PTX alone

  /// Throws mxc::Error (Device) unless `result` is success; the text is "cannot <attempted> on <where>: NAME
  /// (code): text; what to try", and of a kernel's fault what the library tells of it.
  void check(CUresult result, std::string_view attempted, std::string_view where) const {
    if (result != CUDA_SUCCESS) [[unlikely]]
      throw failure(result, attempted, where);
  }
  Error failure(CUresult result, std::string_view attempted, std::string_view where) const;
};

/// Fills the table from a shared library, which stays loaded until the process ends. Throws mxc::Error
/// (Device), "CUDA driver unavailable: ...", if it cannot be loaded or lacks a function.
Driver loadDriver(const std::string &path);

/// Returns the machine's own driver, $MXC_LIBCUDA or libcuda.so.1, which the first call loads. A failure
/// throws as loadDriver does, and the next call tries again.
const Driver &cudaDriver();

} // namespace mxc
