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

const Target kSm103a = {.name = "sm_103a",
                        .product = "Blackwell Ultra (B300)",
                        .computeMajor = 10,
                        .computeMinor = 3,
                        .llvmChip = "sm_103a",
                        .llvmFeatures = "+ptx88",
                        .maxSharedBytes = 227 * 1024,
                        .maxVectorBytes = 32,
                        .hasBulkTensor = true,
                        .quantizeTiles = kTiles,
                        .fusedQuantizeTiles = kFusedTiles,
                        .quantizeCandidates = kCandidates};

} // namespace mxc
