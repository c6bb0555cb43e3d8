// A line an instruction of chosen warps: MXC_SIM_TRACE=CTA:WARP.
#pragma once

#include "runtime/simulator/machine/Warp.h"

namespace mxc::sim {

/// "5:2": the CTA's number in the grid (x fastest), the warp's in the CTA. '*' is every one: "*", "5:*",
/// "*:2".
bool isTraced(std::string_view filter, uint64_t cta, uint32_t warp);

void trace(Warp &warp, const Instruction &instruction);

} // namespace mxc::sim
