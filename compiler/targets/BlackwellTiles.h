// What the Blackwell chips share; tiles until each has been measured.
#pragma once

#include "compiler/targets/ColumnTiles.h"
#include "compiler/targets/Target.h"
#include "compiler/targets/TensorRates.h"

#include <string_view>

namespace mxc {

// Hopper's choices, unmeasured: there was no such chip to measure on.
inline constexpr std::string_view kBlackwellTiles[] = {
    R"(#mx.quantize_tile<warps = 4, rows_per_warp = 1, when = "M * K <= 1048576">)",
    "#mx.quantize_tile<>",
};

// One 32-byte load a row: fewer instructions an element (docs/performance/quantize.md, "Instructions on
// Blackwell"). Two of them where codes have 4 bits: lanes have whole blocks, two of NVFP4, and share no
// maximum.
inline constexpr std::string_view kBlackwellNarrowTiles[] = {
    R"(#mx.quantize_tile<warps = 4, rows_per_warp = 1, when = "M * K <= 1048576">)",
    "#mx.quantize_tile<warps = 4, lane_elements = 32>",
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
    "#mx.quantize_tile<lane_elements = 32>",
    "#mx.quantize_tile<warps = 4, lane_elements = 32>",
    "#mx.quantize_tile<variant = bulk>",
    "#mx.quantize_tile<variant = bulk, warps = 4>",
};

// Products on tensor memory, without stages, of which a tile takes as many as fit, and without the conditions
// under which the model takes each. Pairs of CTAs halve the bytes of b: over the usual shapes the best of
// four widths is within 1 % of the best of all tiles on average; of one tile with slices, that of 128 columns
// gains most. The last takes results whose rows are no multiples of 16 bytes, which leave element by element.
inline constexpr std::string_view kTensorMemoryTiles[] = {
    "#mx.matmul_tile<m = 256, n = 256, ctas = 2, buffers = 1>",
    "#mx.matmul_tile<m = 256, n = 192, ctas = 2, buffers = 1>",
    "#mx.matmul_tile<m = 256, n = 128, ctas = 2, buffers = 1>",
    "#mx.matmul_tile<m = 256, n = 128, ctas = 2, buffers = 1, slices = 4>",
    "#mx.matmul_tile<m = 256, n = 64, ctas = 2, buffers = 1>",
    "#mx.matmul_tile<m = 128, n = 128, stages = 6, store = rows>",
};

// The same of two parts, each of which has half of the columns: 128, a tile of their scales. The last two
// take other rows of results, and any address.
inline constexpr std::string_view kTensorMemoryPartTiles[] = {
    "#mx.matmul_tile<m = 256, n = 256, ctas = 2, buffers = 1>",
    "#mx.matmul_tile<m = 128, n = 256, ctas = 1, buffers = 1>",
    "#mx.matmul_tile<m = 128, n = 256, stages = 3, store = rows>",
    "#mx.matmul_tile<m = 128, n = 256, stages = 3, load = element, store = rows>",
};

inline constexpr std::string_view kTensorMemoryCandidates[] = {
    "#mx.matmul_tile<m = 256, n = 256, ctas = 2, buffers = 1>",
    "#mx.matmul_tile<m = 256, n = 256, ctas = 2, buffers = 2>",
    "#mx.matmul_tile<m = 256, n = 192, ctas = 2, buffers = 1>",
    "#mx.matmul_tile<m = 256, n = 192, ctas = 2, buffers = 2>",
    "#mx.matmul_tile<m = 256, n = 128, ctas = 2, buffers = 1>",
    "#mx.matmul_tile<m = 256, n = 128, ctas = 2, buffers = 2>",
    "#mx.matmul_tile<m = 256, n = 64, ctas = 2, buffers = 1>",
    "#mx.matmul_tile<m = 256, n = 64, ctas = 2, buffers = 2>",
    "#mx.matmul_tile<m = 128, n = 256, ctas = 1, buffers = 1>",
    "#mx.matmul_tile<m = 128, n = 256, ctas = 1, buffers = 2>",
    "#mx.matmul_tile<m = 128, n = 192, ctas = 1, buffers = 1>",
    "#mx.matmul_tile<m = 128, n = 192, ctas = 1, buffers = 2>",
    "#mx.matmul_tile<m = 128, n = 128, ctas = 1, buffers = 1>",
    "#mx.matmul_tile<m = 128, n = 128, ctas = 1, buffers = 2>",
    "#mx.matmul_tile<m = 128, n = 64, ctas = 1, buffers = 1>",
    "#mx.matmul_tile<m = 128, n = 64, ctas = 1, buffers = 2>",
    "#mx.matmul_tile<m = 256, n = 256, ctas = 2, buffers = 1, scheduler = clc>",
    "#mx.matmul_tile<m = 256, n = 192, ctas = 2, buffers = 1, scheduler = clc>",
    "#mx.matmul_tile<m = 256, n = 128, ctas = 2, buffers = 1, scheduler = clc>",
    "#mx.matmul_tile<m = 256, n = 64, ctas = 2, buffers = 1, scheduler = clc>",
    "#mx.matmul_tile<m = 256, n = 256, ctas = 2, buffers = 1, scheduler = counter>",
    "#mx.matmul_tile<m = 256, n = 128, ctas = 2, buffers = 1, scheduler = counter>",
    "#mx.matmul_tile<m = 256, n = 256, ctas = 2, buffers = 1, slices = 2>",
    "#mx.matmul_tile<m = 256, n = 256, ctas = 2, buffers = 1, slices = 4>",
    "#mx.matmul_tile<m = 256, n = 256, ctas = 2, buffers = 1, slices = 8>",
    "#mx.matmul_tile<m = 256, n = 192, ctas = 2, buffers = 1, slices = 2>",
    "#mx.matmul_tile<m = 256, n = 192, ctas = 2, buffers = 1, slices = 4>",
    "#mx.matmul_tile<m = 256, n = 192, ctas = 2, buffers = 1, slices = 8>",
    "#mx.matmul_tile<m = 256, n = 128, ctas = 2, buffers = 1, slices = 2>",
    "#mx.matmul_tile<m = 256, n = 128, ctas = 2, buffers = 1, slices = 4>",
    "#mx.matmul_tile<m = 256, n = 128, ctas = 2, buffers = 1, slices = 8>",
    "#mx.matmul_tile<m = 256, n = 64, ctas = 2, buffers = 1, slices = 2>",
    "#mx.matmul_tile<m = 256, n = 64, ctas = 2, buffers = 1, slices = 4>",
    "#mx.matmul_tile<m = 256, n = 64, ctas = 2, buffers = 1, slices = 8>",
};

// Two operands of 4 bits with instructions of 96 elements along K (sm_103a): what others measured is a pair
// of 256 x 256 (docs/decisions/0070-instructions-of-96-elements.md).
inline constexpr std::string_view kWideTensorMemoryTiles[] = {
    "#mx.matmul_tile<m = 256, n = 256, ctas = 2, buffers = 1, mma_k = 96>",
};

inline constexpr std::string_view kWideTensorMemoryCandidates[] = {
    "#mx.matmul_tile<m = 256, n = 256, ctas = 2, buffers = 1, mma_k = 96>",
    "#mx.matmul_tile<m = 256, n = 256, ctas = 2, buffers = 2, mma_k = 96>",
    "#mx.matmul_tile<m = 256, n = 192, ctas = 2, buffers = 1, mma_k = 96>",
    "#mx.matmul_tile<m = 256, n = 128, ctas = 2, buffers = 1, mma_k = 96>",
    "#mx.matmul_tile<m = 128, n = 256, ctas = 1, buffers = 1, mma_k = 96>",
    "#mx.matmul_tile<m = 128, n = 128, ctas = 1, buffers = 1, mma_k = 96>",
    "#mx.matmul_tile<m = 256, n = 256, ctas = 2, buffers = 1, scheduler = clc, mma_k = 96>",
    "#mx.matmul_tile<m = 256, n = 256, ctas = 2, buffers = 1, slices = 2, mma_k = 96>",
    "#mx.matmul_tile<m = 256, n = 128, ctas = 2, buffers = 1, slices = 4, mma_k = 96>",
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

/// All but products.
constexpr Target blackwellFamily() {
  Target family{};
  family.quantizeTiles = kBlackwellTiles;
  family.fusedQuantizeTiles = kBlackwellFusedTiles;
  family.narrowQuantizeTiles = kBlackwellNarrowTiles;
  family.quantizeCandidates = kBlackwellCandidates;
  family.columnTiles = kH200ColumnTiles;
  return family;
}

} // namespace mxc
