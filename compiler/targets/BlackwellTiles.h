// Tiles that the Blackwell chips share until each has been measured.
#pragma once

#include <string_view>

namespace mxc {

// Hopper's choices, unmeasured: there was no such chip to measure on.
inline constexpr std::string_view kBlackwellTiles[] = {
    R"(#mx.quantize_tile<warps = 4, rows_per_warp = 1, when = "M * K <= 1048576">)",
    "#mx.quantize_tile<>",
};

inline constexpr std::string_view kBlackwellFusedTiles[] = {
    "#mx.quantize_tile<rows_per_warp = 1>",
};

// For a tuner: 32-byte loads and bulk copies are what public work tries.
inline constexpr std::string_view kBlackwellCandidates[] = {
    "#mx.quantize_tile<>",
    "#mx.quantize_tile<warps = 4>",
    "#mx.quantize_tile<order = rows>",
    "#mx.quantize_tile<lane_elements = 16>",
    "#mx.quantize_tile<rows_per_warp = 1, lane_elements = 16>",
    "#mx.quantize_tile<variant = bulk>",
    "#mx.quantize_tile<variant = bulk, warps = 4>",
};

} // namespace mxc
