#include "compiler/targets/Chips.h"

namespace mxc {

// Four independent 16-byte loads a lane, no shared memory (docs/performance.md); one row a warp fills the
// chip when there are few rows.
static constexpr std::string_view kTiles[] = {
    R"(#mx.quantize_tile<rows_per_warp = 1, when = "M <= 128">)",
    "#mx.quantize_tile<>",
};

static constexpr std::string_view kCandidates[] = {
    "#mx.quantize_tile<>",
    "#mx.quantize_tile<warps = 4>",
    "#mx.quantize_tile<warps = 16>",
    "#mx.quantize_tile<order = rows>",
    "#mx.quantize_tile<rows_per_warp = 1>",
    "#mx.quantize_tile<rows_per_warp = 1, lane_elements = 16>",
    "#mx.quantize_tile<lane_elements = 16>",
    "#mx.quantize_tile<variant = bulk>",
    "#mx.quantize_tile<variant = bulk, warps = 4>",
    "#mx.quantize_tile<variant = bulk, warps = 1>",
    "#mx.quantize_tile<variant = bulk, rows_per_warp = 1>",
};

const Target kSm90a = {.name = "sm_90a",
                       .product = "Hopper (H100, H200)",
                       .computeMajor = 9,
                       .computeMinor = 0,
                       .llvmChip = "sm_90a",
                       .llvmFeatures = "+ptx86", // the first with a .shared::cta destination of bulk copies
                       .maxSharedBytes = 227 * 1024,
                       .maxVectorBytes = 16,
                       .hasBulkTensor = true,
                       .quantizeTiles = kTiles,
                       .quantizeCandidates = kCandidates};

} // namespace mxc
