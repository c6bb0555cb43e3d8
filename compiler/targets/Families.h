// The families of chips that have a file in this folder.
#pragma once

#include "compiler/targets/Target.h"

namespace mxc {

extern const TileLists kHopperTiles, kBlackwell10Tiles, kBlackwell12Tiles;

} // namespace mxc
