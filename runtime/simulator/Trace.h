// A line an instruction, of one warp: MXC_SIM_TRACE=CTA:WARP.
#pragma once

#include "runtime/simulator/Warp.h"

namespace mxc::sim {

void trace(Warp &warp, const Instruction &instruction);

} // namespace mxc::sim
