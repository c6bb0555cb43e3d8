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

// The chips 12.x differ in their names and capability alone.
static constexpr Target blackwell(std::string_view name, std::string_view product, int computeMinor) {
  Target chip = blackwellTarget(name, product, 12, computeMinor, /*maxSharedBytes=*/99 * 1024,
                                /*maxVectorBytes=*/16);
  chip.tensorCore = TensorCore::Warps;
  chip.matmulTiles = kProducts;
  chip.matmulCandidates = kCandidates;
  chip.sequentialTiles = kProducts;
  chip.rowGroupTiles = kProducts;
  chip.kGroupTiles = kProducts;
  chip.partTiles = kPartProducts;
  return chip;
}

constinit const Target kSm120a = blackwell("sm_120a", "Blackwell (RTX 50, RTX PRO 6000)", 0);
constinit const Target kSm121a = blackwell("sm_121a", "Blackwell (GB10, DGX Spark)", 1);
// This is one image for all chips 12.x: what their 'a' targets share.
constinit const Target kSm120f = blackwell("sm_120f", "Blackwell, the family 12.x", 0);

} // namespace mxc
