// Which launches show what the lines of a tile are for.
#pragma once

#include "tests/unit/mutation/DefaultTiles.h"
#include "tests/unit/mutation/ProductRun.h"

#include <vector>

/// The cheapest first. The last one gives each CTA or pair of a product more tiles than accumulators, and
/// more steps of K than stages; what goes through global memory has two clusters; of groups one is empty, and
/// the last one too.
std::vector<ProductShape> shapesOf(const DefaultTile &tile, const mxc::KernelAbi &kernel);
