#include "compiler/targets/BlackwellTiles.h"
#include "compiler/targets/Chips.h"

namespace mxc {

// Unmeasured. Two stages of 128 columns beside the results fit, three of 64 with elements of 8 bits; the last
// takes what no tensor map can read.
static constexpr std::string_view kProducts[] = {
    R"(#mx.matmul_tile<stages = 2, buffers = 1, when = "ceildiv(M, 128) * ceildiv(N, 128) >= SMs">)",
    "#mx.matmul_tile<n = 64, stages = 2, buffers = 1>",
    "#mx.matmul_tile<n = 64, stages = 3, buffers = 1, store = rows>",
    "#mx.matmul_tile<n = 64, stages = 2, buffers = 1, load = element, store = rows>",
};

// Two parts have 64 columns each, in the registers of one product of 128.
static constexpr std::string_view kPartProducts[] = {
    "#mx.matmul_tile<stages = 2, buffers = 1>",
    "#mx.matmul_tile<stages = 2, store = rows>",
    "#mx.matmul_tile<stages = 2, load = element, store = rows>",
};

static constexpr std::string_view kCandidates[] = {
    "#mx.matmul_tile<stages = 2, buffers = 1>",
    "#mx.matmul_tile<stages = 2, buffers = 1, supergroup = 16>",
    "#mx.matmul_tile<n = 64, stages = 2, buffers = 1>",
    "#mx.matmul_tile<n = 64, stages = 3, buffers = 1>",
    "#mx.matmul_tile<n = 64, stages = 2, buffers = 2>",
};

constinit const Target kBlackwell12 = [] {
  Target family = blackwellFamily();
  family.tensorCore = TensorCore::Warps;
  family.matmulTiles = kProducts;
  family.matmulCandidates = kCandidates;
  family.sequentialTiles = kProducts;
  family.rowGroupTiles = kProducts;
  family.kGroupTiles = kProducts;
  family.partTiles = kPartProducts;
  return family;
}();

} // namespace mxc
