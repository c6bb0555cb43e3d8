#include "compiler/targets/Chips.h"

namespace mxc {

// Hopper's choices, unmeasured here: there is no such chip to measure on.
static constexpr std::string_view kTiles[] = {
    R"(#mx.quantize_tile<warps = 4, rows_per_warp = 1, when = "M * K <= 1048576">)",
    "#mx.quantize_tile<>",
};

static constexpr std::string_view kFusedTiles[] = {
    "#mx.quantize_tile<rows_per_warp = 1>",
};

// For a tuner: 32-byte loads and bulk copies are what public work
// tries.
static constexpr std::string_view kCandidates[] = {
    "#mx.quantize_tile<>",
    "#mx.quantize_tile<warps = 4>",
    "#mx.quantize_tile<order = rows>",
    "#mx.quantize_tile<lane_elements = 16>",
    "#mx.quantize_tile<rows_per_warp = 1, lane_elements = 16>",
    "#mx.quantize_tile<variant = bulk>",
    "#mx.quantize_tile<variant = bulk, warps = 4>",
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
                        .quantizeTiles = kTiles,
                        .fusedQuantizeTiles = kFusedTiles,
                        .quantizeCandidates = kCandidates};

} // namespace mxc
