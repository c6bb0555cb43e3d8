#include "compiler/targets/BlackwellTiles.h"
#include "compiler/targets/Chips.h"
#include "compiler/targets/ColumnTiles.h"

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

const Target kSm120a = {.name = "sm_120a",
                        .product = "Blackwell (RTX 50, RTX PRO 6000)",
                        .computeMajor = 12,
                        .computeMinor = 0,
                        .llvmChip = "sm_120a",
                        .llvmFeatures = "+ptx88",
                        .maxSharedBytes = 99 * 1024,
                        .maxVectorBytes = 16,
                        .hasBulkTensor = true,
                        .tensorCore = TensorCore::Warps,
                        .scaledConversionPtx = 92,
                        .packedConversionPtx = 91,
                        .hasNarrowConversions = true,
                        .quantizeTiles = kBlackwellTiles,
                        .fusedQuantizeTiles = kBlackwellFusedTiles,
                        .narrowQuantizeTiles = kBlackwellNarrowTiles,
                        .quantizeCandidates = kBlackwellCandidates,
                        .columnTiles = kH200ColumnTiles,
                        .matmulTiles = kProducts,
                        .matmulCandidates = kCandidates,
                        .sequentialTiles = kProducts,
                        .rowGroupTiles = kProducts,
                        .kGroupTiles = kProducts};

} // namespace mxc
