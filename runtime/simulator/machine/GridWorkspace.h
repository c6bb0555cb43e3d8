// Where the CTAs of a cooperative launch meet: two words of device memory, how many bytes they have and a
// barrier that begins at 0 (cooperative_groups/details/driver_abi.h). %envreg1 and %envreg2 hold their
// address.
#pragma once

#include "runtime/simulator/machine/GlobalMemory.h"

namespace mxc::sim {

class GridWorkspace {
public:
  /// Throws FaultError (Limit) if no device memory is left.
  explicit GridWorkspace(GlobalMemory &memory);
  ~GridWorkspace() { memory_.release(address_); }
  GridWorkspace(const GridWorkspace &) = delete;

  uint64_t address() const { return address_; }

private:
  GlobalMemory &memory_;
  uint64_t address_;
};

} // namespace mxc::sim
