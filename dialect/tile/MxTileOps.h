// Tile level: what one lane of a warp holds and does.
#pragma once

#include "dialect/attributes/MxAttributes.h"

#define GET_OP_CLASSES
#include "dialect/MxTileOps.h.inc"
