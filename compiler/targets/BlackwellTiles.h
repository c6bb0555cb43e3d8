// Tiles that the Blackwell chips share until each has been measured.
#pragma once

#include "compiler/targets/TensorRates.h"

#include <string_view>

namespace mxc {

// Hopper's choices, unmeasured: there was no such chip to measure on.
inline constexpr std::string_view kBlackwellTiles[] = {
    R"(#mx.quantize_tile<warps = 4, rows_per_warp = 1, when = "M * K <= 1048576">)",
    "#mx.quantize_tile<>",
};

// One 32-byte load a row: fewer instructions an element (docs/performance/quantize.md, "Instructions on
// Blackwell").
inline constexpr std::string_view kBlackwellNarrowTiles[] = {
    R"(#mx.quantize_tile<warps = 4, rows_per_warp = 1, when = "M * K <= 1048576">)",
    "#mx.quantize_tile<lane_elements = 16>",
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

// Published measurements of B200 and B300 (docs/model.md): the tensor pipe's law, bytes in flight and
// memory; what an SM takes in a cycle from L2 is Hopper's port, which the fastest published product (94 % of
// the pipe) does not exceed.
inline constexpr TensorRates kBlackwellRates = {.multiprocessors = 148,
                                                .cyclesPerSecond = 1.9e9,
                                                .memoryBytesPerSecond = 7.3e12,
                                                .l2Bytes = 126e6,
                                                .copyBytesPerCycle = 64,
                                                .operandBytesPerCycle = 128,
                                                .columnsPerCycle = 2,
                                                .bytesInFlight = 64 * 1024};

} // namespace mxc
