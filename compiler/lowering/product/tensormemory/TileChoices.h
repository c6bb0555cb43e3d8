// Tiles of a product on a chip with tensor memory: which there are, which a tuner need not try and why, and
// which is launched when nobody chose.
#pragma once

#include "compiler/lowering/entry/KernelLoweringInterface.h"
#include "dialect/MxOps.h"

namespace mxc {

/// The target's candidates with as many stages as fit; what fits and may be the fastest has no reason against
/// it.
std::vector<TileChoice> tensorMemoryChoices(mx::ProductOpInterface op, const Target &target);

/// In launch order, each under the condition that the model makes it no slower than those after it.
Tiles tensorMemoryDefaults(mx::ProductOpInterface op, const Target &target);

} // namespace mxc
