// The families of chips that have a file in this folder: which tensor core they have, and which tiles are for
// them. The facts of each chip are in chips/Chips.def, and Targets.cpp joins the two.
#pragma once

#include "compiler/targets/Target.h"

namespace mxc {

extern const Target kHopper, kBlackwell10, kBlackwell12;

} // namespace mxc
