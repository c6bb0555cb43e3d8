#include "compiler/targets/BlackwellTiles.h"
#include "compiler/targets/Families.h"

namespace mxc {

// Unmeasured. Two stages of 128 columns beside the results fit, three of 64 with elements of 8 bits; the last
// takes what no tensor map can read.
static constexpr std::string_view kProducts[] = {
    R"(#mx.matmul_tile<stages = 2, buffers = 1, when = "ceildiv(M, 128) * ceildiv(N, 128) >= SMs">)",
    "#mx.matmul_tile<n = 64, stages = 2, buffers = 1>",
    "#mx.matmul_tile<n = 64, stages = 3, buffers = 1, store = rows>",
    "#mx.matmul_tile<n = 64, stages = 2, buffers = 1, load = element, store = rows>",
};

static constexpr std::string_view kCandidates[] = {
    "#mx.matmul_tile<stages = 2, buffers = 1>",
    "#mx.matmul_tile<stages = 2, buffers = 1, supergroup = 16>",
    "#mx.matmul_tile<n = 64, stages = 2, buffers = 1>",
    "#mx.matmul_tile<n = 64, stages = 3, buffers = 1>",
    "#mx.matmul_tile<n = 64, stages = 2, buffers = 2>",
};

constinit const TileLists kBlackwell12Tiles = [] {
  TileLists tiles = kBlackwellTileLists;
  tiles.matmulTiles = kProducts;
  tiles.matmulCandidates = kCandidates;
  tiles.sequentialTiles = kProducts;
  tiles.rowGroupTiles = kProducts;
  tiles.kGroupTiles = kProducts;
  return tiles;
}();

} // namespace mxc
