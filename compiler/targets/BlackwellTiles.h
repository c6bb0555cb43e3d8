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

// Pairs of CTAs where there is work for all of them, else smaller tiles; results whose rows are no multiples
// of 16 bytes leave element by element. Unmeasured.
inline constexpr std::string_view kBlackwellMatmulTiles[] = {
    R"(#mx.matmul_tile<m = 256, n = 256, stages = 6, ctas = 2, buffers = 1, when = "ceildiv(M, 256) * ceildiv(N, 256) >= SMs / 2">)",
    R"(#mx.matmul_tile<m = 256, n = 128, stages = 8, ctas = 2, buffers = 1, when = "ceildiv(M, 256) * ceildiv(N, 128) >= SMs / 2">)",
    R"(#mx.matmul_tile<m = 128, n = 128, stages = 6, buffers = 1, when = "ceildiv(M, 128) * ceildiv(N, 128) >= SMs / 2">)",
    "#mx.matmul_tile<m = 128, n = 64, stages = 8, buffers = 1>",
    "#mx.matmul_tile<m = 128, n = 128, stages = 6, store = rows>",
};

inline constexpr std::string_view kBlackwellMatmulCandidates[] = {
    "#mx.matmul_tile<m = 128, n = 64, stages = 8, buffers = 1>",
    "#mx.matmul_tile<m = 128, n = 128, stages = 6, buffers = 1>",
    "#mx.matmul_tile<m = 128, n = 192, stages = 4, buffers = 1>",
    "#mx.matmul_tile<m = 128, n = 256, stages = 4, buffers = 1>",
    "#mx.matmul_tile<m = 256, n = 64, stages = 10, ctas = 2, buffers = 1>",
    "#mx.matmul_tile<m = 256, n = 128, stages = 8, ctas = 2, buffers = 1>",
    "#mx.matmul_tile<m = 256, n = 192, stages = 7, ctas = 2, buffers = 1>",
    "#mx.matmul_tile<m = 256, n = 256, stages = 6, ctas = 2, buffers = 1>",
    "#mx.matmul_tile<m = 256, n = 256, stages = 5, ctas = 2, buffers = 2>",
};

} // namespace mxc
