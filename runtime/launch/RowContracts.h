// What callers promise about the arrays in device memory by which a kernel finds rows. A launch on a GPU
// never reads them; a simulator runs in the caller's thread and so checks them first.
#pragma once

#include "runtime/device/Device.h"
#include "runtime/launch/ArgumentShapes.h"

namespace mxc {

class RowContracts {
public:
  RowContracts(const KernelAbi &kernel, const Arguments &arguments, const Dimensions &dimensions);

  /// Throws mxc::Error (InvalidInput), naming argument and entry, for ends that decrease or leave the rows
  /// and for an index that names no row. Does nothing while `stream` captures: the arrays are read later.
  void check(const Device &device, CUstream stream) const;

private:
  struct Array {
    std::string name; // "": the kernel has none
    uint64_t address = 0;
    int64_t length = 0;
  };
  Array arrayOf(const KernelAbi &kernel, const Arguments &arguments, ArgumentRole role) const;

  std::string kernel_;
  Array ends_, index_;
  int64_t inputRows_, rows_; // that the index names; that the ends cut
  int64_t align_ = 1;
};

} // namespace mxc
