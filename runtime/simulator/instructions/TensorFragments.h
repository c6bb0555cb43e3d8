// Which cell of tensor memory each register of each lane holds in tcgen05.ld and st (PTX ISA 9.7.16.2.3,
// figures).
#pragma once

#include "runtime/simulator/machine/TensorMemory.h"

#include <string_view>
#include <vector>

namespace mxc::sim {

struct TensorFragment {
  uint32_t registers = 0; // of a lane
  uint32_t lanes = 32;    // of tensor memory
  bool isPacked = false;  // .pack::16b, .unpack::16b: a register is the low halves of two adjacent columns
  std::vector<uint32_t>
      offsets; // [register * 32 + lane]: cells from the first one; packed: of the first of two columns
  std::vector<TensorRegion> regions; // relative to the address: what is touched
};

/// `shape`: "32x32b", "16x64b", "16x128b", "16x256b", "16x32bx2"; `repeats`: of .xN; `halfOffset`: columns to
/// the second half of 16x32bx2. Without registers if there is no such form.
TensorFragment tensorFragment(std::string_view shape, uint32_t repeats, uint32_t halfOffset, bool isPacked);

} // namespace mxc::sim
