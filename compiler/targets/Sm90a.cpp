#include "compiler/targets/Chips.h"
#include "compiler/targets/ColumnTiles.h"

namespace mxc {

// Measured on an H200 (docs/performance/quantize.md). Four independent 16-byte loads a lane keep the memory
// busy; small matrices fill the chip better with one row a warp, the smallest with small CTAs too.
static constexpr std::string_view kTiles[] = {
    R"(#mx.quantize_tile<warps = 4, rows_per_warp = 1, when = "M * K <= 524288">)",
    R"(#mx.quantize_tile<rows_per_warp = 1, when = "M * K <= 3145728">)",
    R"(#mx.quantize_tile<warps = 8, when = "M * K > 4194304 && M * K <= 8388608">)",
    "#mx.quantize_tile<warps = 16>",
};

// An H200's memory gives 37 GB/s a multiprocessor; an H100's 25, and is kept busy by one row a warp, which
// starts sooner. Measured on both, of bf16.
static constexpr std::string_view kNarrowTiles[] = {
    R"(#mx.quantize_tile<warps = 4, rows_per_warp = 1, when = "M * K <= 524288">)",
    R"(#mx.quantize_tile<rows_per_warp = 1, when = "M * K <= 3145728 || GBs < SMs * 30">)",
    R"(#mx.quantize_tile<warps = 8, when = "M * K > 4194304 && M * K <= 8388608">)",
    "#mx.quantize_tile<warps = 16>",
};

// Of one maximum for 128 elements of a row: CTAs of eight warps, also where they are many (8192 x 8192 on an
// H200: 48.2 us beside 48.5 with sixteen), but for the largest (131072 x 7168: 650.8 beside 646.3).
static constexpr std::string_view kLongBlockTiles[] = {
    R"(#mx.quantize_tile<warps = 4, rows_per_warp = 1, when = "M * K <= 524288">)",
    R"(#mx.quantize_tile<rows_per_warp = 1, when = "M * K <= 3145728 || GBs < SMs * 30">)",
    R"(#mx.quantize_tile<warps = 16, when = "M * K > 268435456">)",
    "#mx.quantize_tile<>",
};

// Codes of 4 bits take arithmetic, which CTAs of eight warps hide, of 8192 x 8192 and above, too (an
// H200: 40.1 us beside 42.2 with sixteen).
static constexpr std::string_view kFourBitTiles[] = {
    R"(#mx.quantize_tile<warps = 4, rows_per_warp = 1, when = "M * K <= 524288">)",
    R"(#mx.quantize_tile<rows_per_warp = 1, when = "M * K <= 3145728 || GBs < SMs * 30">)",
    "#mx.quantize_tile<>",
};

// A block a lane, whose scale is computed once, and CTAs that make room for others soon: 43.0 us beside 47.9
// with half a block a lane.
static constexpr std::string_view kTwoLevelTiles[] = {
    R"(#mx.quantize_tile<warps = 4, rows_per_warp = 1, when = "M * K <= 524288">)",
    R"(#mx.quantize_tile<rows_per_warp = 1, when = "M * K <= 3145728">)",
    "#mx.quantize_tile<warps = 4, lane_elements = 16>",
    "#mx.quantize_tile<>",
};

// Several inputs bring several loads a lane; four rows of each would cost too many registers (58 against 31).
static constexpr std::string_view kFusedTiles[] = {
    R"(#mx.quantize_tile<warps = 4, rows_per_warp = 1, when = "M * K <= 1048576">)",
    "#mx.quantize_tile<rows_per_warp = 1>",
};

static constexpr std::string_view kCandidates[] = {
    "#mx.quantize_tile<>",
    "#mx.quantize_tile<warps = 4>",
    "#mx.quantize_tile<warps = 16>",
    "#mx.quantize_tile<order = rows>",
    "#mx.quantize_tile<rows_per_warp = 1>",
    "#mx.quantize_tile<rows_per_warp = 1, lane_elements = 16>",
    "#mx.quantize_tile<lane_elements = 16>",
    "#mx.quantize_tile<warps = 4, lane_elements = 16>",
    "#mx.quantize_tile<warps = 2, lane_elements = 32>",
    "#mx.quantize_tile<variant = bulk>",
    "#mx.quantize_tile<variant = bulk, warps = 4>",
    "#mx.quantize_tile<variant = bulk, warps = 1>",
    "#mx.quantize_tile<variant = bulk, rows_per_warp = 1>",
};

// Measured on an H200 (docs/performance/products.md). Few rows of a: b passes by once, in as many CTAs as
// there are multiprocessors: the fewer columns, the more of them share K, but no more than make clusters that
// fit at one time, five less than would fill the chip: an H200's 132 multiprocessors have 39 clusters of 3,
// 30 of 4, 22 of 5, 17 of 6. Up to 64 rows each CTA makes bf16 of its codes of a; more become bf16 once for
// all.
// clang-format off: a tile a line
static constexpr std::string_view kMatmulTiles[] = {
    R"(#mx.swap_tile<columns = 64, tokens = 16, splits = 8, parts = 2, stages = 4, token_stages = 2, code_stages = 3, ctas_per_sm = 2, when = "M <= 16 && ceildiv(N, 64) * 8 <= SMs">)",
    R"(#mx.swap_tile<columns = 128, tokens = 16, splits = 6, parts = 2, stages = 2, token_stages = 3, code_stages = 3, when = "M <= 16 && (ceildiv(N, 128) + 5) * 6 <= SMs">)",
    R"(#mx.swap_tile<columns = 128, tokens = 16, splits = 5, parts = 2, stages = 2, token_stages = 3, code_stages = 3, when = "M <= 16 && (ceildiv(N, 128) + 5) * 5 <= SMs">)",
    R"(#mx.swap_tile<columns = 128, tokens = 16, splits = 4, parts = 2, stages = 2, token_stages = 3, code_stages = 3, when = "M <= 16 && (ceildiv(N, 128) + 5) * 4 <= SMs">)",
    R"(#mx.swap_tile<columns = 128, tokens = 16, splits = 3, parts = 2, stages = 2, token_stages = 3, code_stages = 3, when = "M <= 16 && (ceildiv(N, 128) + 5) * 3 <= SMs">)",
    R"(#mx.swap_tile<columns = 128, tokens = 16, splits = 2, parts = 2, stages = 2, token_stages = 3, code_stages = 3, when = "M <= 16 && ceildiv(N, 128) * 2 <= SMs">)",
    R"(#mx.swap_tile<columns = 128, tokens = 16, splits = 1, parts = 2, stages = 2, token_stages = 3, code_stages = 3, when = "M <= 16">)",
    R"(#mx.swap_tile<columns = 64, tokens = 32, splits = 6, parts = 2, stages = 3, token_stages = 2, code_stages = 2, when = "M <= 32 && (ceildiv(N, 64) + 5) * 6 <= SMs">)",
    R"(#mx.swap_tile<columns = 128, tokens = 32, splits = 6, parts = 2, stages = 2, token_stages = 3, code_stages = 4, when = "M <= 32 && (ceildiv(N, 128) + 5) * 6 <= SMs">)",
    R"(#mx.swap_tile<columns = 128, tokens = 32, splits = 5, parts = 2, stages = 2, token_stages = 3, code_stages = 4, when = "M <= 32 && (ceildiv(N, 128) + 5) * 5 <= SMs">)",
    R"(#mx.swap_tile<columns = 128, tokens = 32, splits = 4, parts = 2, stages = 2, token_stages = 3, code_stages = 4, when = "M <= 32 && (ceildiv(N, 128) + 5) * 4 <= SMs">)",
    R"(#mx.swap_tile<columns = 128, tokens = 32, splits = 3, parts = 2, stages = 2, token_stages = 3, code_stages = 4, when = "M <= 32 && (ceildiv(N, 128) + 5) * 3 <= SMs">)",
    R"(#mx.swap_tile<columns = 128, tokens = 32, splits = 2, parts = 2, stages = 2, token_stages = 3, code_stages = 4, when = "M <= 32 && ceildiv(N, 128) * 2 <= SMs">)",
    R"(#mx.swap_tile<columns = 128, tokens = 32, splits = 1, parts = 2, stages = 2, token_stages = 3, code_stages = 4, when = "M <= 32">)",
    R"(#mx.swap_tile<columns = 64, tokens = 48, splits = 6, parts = 1, stages = 6, token_stages = 2, code_stages = 2, when = "M <= 48 && (ceildiv(N, 64) + 5) * 6 <= SMs">)",
    R"(#mx.swap_tile<columns = 128, tokens = 48, splits = 6, parts = 1, stages = 3, token_stages = 4, code_stages = 3, when = "M <= 48 && (ceildiv(N, 128) + 5) * 6 <= SMs">)",
    R"(#mx.swap_tile<columns = 64, tokens = 64, splits = 6, parts = 1, stages = 6, token_stages = 2, code_stages = 2, when = "M <= 64 && (ceildiv(N, 64) + 5) * 6 <= SMs">)",
    R"(#mx.swap_tile<columns = 128, tokens = 64, splits = 6, parts = 1, stages = 2, token_stages = 3, code_stages = 3, when = "M <= 64 && (ceildiv(N, 128) + 5) * 6 <= SMs">)",
    R"(#mx.swap_tile<columns = 128, tokens = 64, splits = 5, parts = 1, stages = 2, token_stages = 3, code_stages = 3, when = "M <= 64 && (ceildiv(N, 128) + 5) * 5 <= SMs">)",
    R"(#mx.swap_tile<columns = 128, tokens = 64, splits = 4, parts = 1, stages = 2, token_stages = 3, code_stages = 3, when = "M <= 64 && (ceildiv(N, 128) + 5) * 4 <= SMs">)",
    R"(#mx.swap_tile<columns = 64, tokens = 48, splits = 2, parts = 2, stages = 4, token_stages = 2, code_stages = 2, when = "M <= 48 && ceildiv(N, 64) * 2 <= SMs">)",
    R"(#mx.swap_tile<columns = 128, tokens = 48, splits = 2, parts = 1, stages = 3, token_stages = 4, code_stages = 3, when = "M <= 48 && ceildiv(N, 128) * 2 <= SMs">)",
    R"(#mx.swap_tile<columns = 128, tokens = 48, splits = 1, parts = 1, stages = 3, token_stages = 4, code_stages = 3, when = "M <= 48">)",
    R"(#mx.swap_tile<columns = 64, tokens = 64, splits = 2, parts = 2, stages = 4, token_stages = 2, code_stages = 2, when = "M <= 64 && ceildiv(N, 64) * 2 <= SMs">)",
    R"(#mx.swap_tile<columns = 128, tokens = 64, splits = 2, parts = 1, stages = 4, token_stages = 3, code_stages = 2, when = "M <= 64 && ceildiv(N, 128) * 2 <= SMs">)",
    R"(#mx.swap_tile<columns = 128, tokens = 64, splits = 1, parts = 1, stages = 4, token_stages = 3, code_stages = 2, when = "M <= 64">)",
    R"(#mx.swap_tile<columns = 64, tokens = 96, splits = 6, parts = 1, stages = 8, token_stages = 2, code_stages = 2, when = "(M <= 96 || M > 128 && M <= 192) && (ceildiv(M, 96) * ceildiv(N, 64) + 5) * 6 <= SMs">)",
    R"(#mx.swap_tile<columns = 128, tokens = 96, splits = 6, parts = 1, stages = 4, token_stages = 3, code_stages = 2, when = "(M <= 96 || M > 128 && M <= 192) && (ceildiv(M, 96) * ceildiv(N, 128) + 5) * 6 <= SMs">)",
    R"(#mx.swap_tile<columns = 64, tokens = 96, splits = 2, parts = 2, stages = 4, token_stages = 2, code_stages = 0, when = "(M <= 96 || M > 128 && M <= 192) && ceildiv(M, 96) * ceildiv(N, 64) * 2 <= SMs">)",
    R"(#mx.swap_tile<columns = 64, tokens = 96, splits = 1, parts = 2, stages = 4, token_stages = 2, code_stages = 0, when = "(M <= 96 || M > 128 && M <= 192) && K <= 4096 && ceildiv(M, 96) * ceildiv(N, 64) <= SMs">)",
    R"(#mx.swap_tile<columns = 128, tokens = 96, splits = 2, parts = 1, stages = 4, token_stages = 3, code_stages = 0, when = "(M <= 96 || M > 128 && M <= 192) && ceildiv(M, 96) * ceildiv(N, 128) * 2 <= SMs">)",
    R"(#mx.swap_tile<columns = 128, tokens = 96, splits = 1, parts = 1, stages = 4, token_stages = 3, code_stages = 0, when = "M <= 96">)",
    R"(#mx.swap_tile<columns = 64, tokens = 128, splits = 6, parts = 1, stages = 8, token_stages = 2, code_stages = 2, when = "(M <= 128 || M > 192) && (ceildiv(M, 128) * ceildiv(N, 64) + 5) * 6 <= SMs">)",
    R"(#mx.swap_tile<columns = 128, tokens = 128, splits = 6, parts = 1, stages = 4, token_stages = 3, code_stages = 2, when = "(M <= 128 || M > 192) && (ceildiv(M, 128) * ceildiv(N, 128) + 5) * 6 <= SMs">)",
    R"(#mx.swap_tile<columns = 64, tokens = 128, splits = 2, parts = 2, stages = 3, token_stages = 2, code_stages = 0, when = "(M <= 128 || M > 192) && ceildiv(M, 128) * ceildiv(N, 64) * 2 <= SMs">)",
    R"(#mx.swap_tile<columns = 64, tokens = 192, splits = 2, parts = 1, stages = 6, token_stages = 2, code_stages = 0, when = "M > 256 && M <= 384 && ceildiv(M, 192) * ceildiv(N, 64) * 2 <= SMs">)",
    R"(#mx.swap_tile<columns = 64, tokens = 128, splits = 1, parts = 2, stages = 3, token_stages = 2, code_stages = 0, when = "M <= 128 && K <= 4096 && ceildiv(M, 128) * ceildiv(N, 64) <= SMs">)",
    R"(#mx.swap_tile<columns = 128, tokens = 128, splits = 3, parts = 1, stages = 4, token_stages = 3, code_stages = 2, when = "M > 512 && K >= 8192 && (ceildiv(M, 128) * ceildiv(N, 128) + 5) * 3 <= SMs">)",
    R"(#mx.swap_tile<columns = 128, tokens = 128, splits = 2, parts = 1, stages = 4, token_stages = 3, code_stages = 0, when = "(M <= 128 || M > 192 && M <= 256 || M > 384) && ceildiv(M, 128) * ceildiv(N, 128) * 2 <= SMs">)",
    R"(#mx.swap_tile<columns = 128, tokens = 128, splits = 1, parts = 1, stages = 4, token_stages = 3, code_stages = 0, when = "M <= 128">)",
    R"(#mx.swap_tile<columns = 128, tokens = 192, splits = 2, parts = 1, stages = 3, token_stages = 3, code_stages = 0, when = "M <= 384 && (M <= 192 || M > 256) && ceildiv(M, 192) * ceildiv(N, 128) * 2 <= SMs">)",
    // The operand with fewer rows is copied, once; the other is in flight.
    R"tile(#mx.matmul_tile<m = 256, n = 256, stages = 5, ctas = 2, buffers = 2, a = copied_alone, share = a, when = "M > 384 && M < N && M < 12288 && ceildiv(M, 256) * ceildiv(N, 256) * 10 >= SMs * 7">)tile",
    R"tile(#mx.swap_tile<columns = 128, tokens = 192, splits = 1, parts = 1, stages = 3, token_stages = 3, code_stages = 0, when = "M <= 192 || M > 256 && M <= 384 || M > 512 && M <= 768">)tile",
    // Few tiles of a long K, as of a gradient of weights.
    R"(#mx.matmul_tile<m = 256, n = 256, stages = 5, ctas = 2, buffers = 2, a = in_flight, slices = 2, when = "M > 1024 && K >= 8192 && ceildiv(M, 256) * ceildiv(N, 256) * 4 <= SMs">)",
    R"(#mx.matmul_tile<m = 256, n = 256, stages = 5, ctas = 2, buffers = 2, a = in_flight, slices = 3, when = "M > 1024 && K >= 8192 && ceildiv(M, 256) * ceildiv(N, 256) * 3 <= SMs">)",
    R"(#mx.swap_tile<columns = 128, tokens = 256, splits = 2, parts = 1, stages = 2, token_stages = 3, code_stages = 0, when = "ceildiv(M, 256) * ceildiv(N, 128) * 2 <= SMs">)",
    R"(#mx.swap_tile<columns = 128, tokens = 256, splits = 1, parts = 1, stages = 2, token_stages = 3, code_stages = 0, when = "M <= 1024 || ceildiv(M, 256) * ceildiv(N, 256) < SMs / 2">)",
    // Both operands once, where that is many times read; else b.
    R"(#mx.matmul_tile<m = 128, n = 256, stages = 4, buffers = 2, when = "min(M, N) >= 12288">)",
    "#mx.matmul_tile<m = 256, n = 256, stages = 5, ctas = 2, buffers = 2, a = in_flight>",
    "#mx.matmul_tile<m = 128, n = 128, stages = 6, store = rows>",
};
// clang-format on

// That add in the order of K.
static constexpr std::string_view kSequentialTiles[] = {
    R"(#mx.matmul_tile<m = 256, n = 256, stages = 4, ctas = 2, buffers = 2, when = "ceildiv(M, 256) * ceildiv(N, 256) >= SMs / 2">)",
    "#mx.matmul_tile<m = 128, n = 128, stages = 6, buffers = 2>",
    "#mx.matmul_tile<m = 128, n = 128, stages = 6, store = rows>",
};

// Of elements below 8 bits: b once, and a in flight, or both where that is many times read.
static constexpr std::string_view kNarrowProductTiles[] = {
    R"(#mx.matmul_tile<m = 256, n = 256, stages = 5, ctas = 2, buffers = 2, a = in_flight, when = "min(M, N) < 12288 && ceildiv(M, 256) * ceildiv(N, 256) >= SMs / 2">)",
    R"(#mx.matmul_tile<m = 256, n = 256, stages = 4, ctas = 2, buffers = 2, when = "ceildiv(M, 256) * ceildiv(N, 256) >= SMs / 2">)",
    "#mx.matmul_tile<m = 128, n = 128, stages = 6, buffers = 2>",
    "#mx.matmul_tile<m = 128, n = 128, stages = 6, store = rows>",
};

// Rows in groups. Where they are few on average b passes by once for each tile of rows, as it is; else the
// operand with fewer rows is copied once and the other is in flight, or both are copied where a is read so
// often. Tiles beside each other read the same copies of a, which are twice as large as b's codes: they
// follow each other, where their columns are few enough for the cache. A counter hands tiles out where b's
// copies bound little of a large product.
static constexpr std::string_view kRowGroupTiles[] = {
    R"(#mx.swap_tile<columns = 128, tokens = 16, splits = 1, parts = 1, stages = 4, token_stages = 3, code_stages = 6, when = "M <= 12 * G">)",
    R"(#mx.swap_tile<columns = 128, tokens = 64, splits = 1, parts = 1, stages = 4, token_stages = 3, code_stages = 2, when = "M <= 56 * G">)",
    R"(#mx.matmul_tile<m = 256, n = 256, stages = 5, ctas = 2, supergroup = 1, buffers = 2, scheduler = counter, a = copied_alone, share = a, when = "M <= G * N && N <= 8192">)",
    R"(#mx.matmul_tile<m = 256, n = 256, stages = 5, ctas = 2, supergroup = 4, buffers = 2, scheduler = counter, a = copied_alone, share = a, when = "M <= G * N">)",
    R"(#mx.matmul_tile<m = 128, n = 256, stages = 4, buffers = 2, when = "N >= 12288 && M >= 128 * G">)",
    R"(#mx.matmul_tile<m = 256, n = 256, stages = 5, ctas = 2, buffers = 2, scheduler = counter, a = in_flight, when = "M >= 2048 * G && ceildiv(M, 256) * ceildiv(N, 256) * ceildiv(K, 128) >= SMs * 50">)",
    R"(#mx.matmul_tile<m = 256, n = 256, stages = 5, ctas = 2, buffers = 2, a = in_flight, when = "M >= 256 * G">)",
    "#mx.matmul_tile<m = 128, n = 256, stages = 5, buffers = 2, a = in_flight>",
    "#mx.matmul_tile<m = 128, n = 128, stages = 6, store = rows>",
};

// Up to so many rows a group tiles of few rows are the fastest; of more an epilogue runs while nothing is
// multiplied, and two launches take less where K is short.
static constexpr int kFewRowsOfGroup = 56;
static_assert(kRowGroupTiles[1].find("when = \"M <= 56 * G\"") != std::string_view::npos);

// Groups of K: each has a product of its own, of M rows.
static constexpr std::string_view kKGroupTiles[] = {
    R"(#mx.matmul_tile<m = 256, n = 256, stages = 5, ctas = 2, buffers = 2, scheduler = counter, a = copied_alone, share = a, when = "M > 128 && M < N && ceildiv(M, 256) * ceildiv(N, 256) * ceildiv(K, 128) >= SMs * 50">)",
    R"(#mx.matmul_tile<m = 256, n = 256, stages = 5, ctas = 2, buffers = 2, a = copied_alone, share = a, when = "M > 128 && M < N">)",
    R"(#mx.matmul_tile<m = 256, n = 256, stages = 5, ctas = 2, buffers = 2, scheduler = counter, a = in_flight, when = "ceildiv(M, 256) * ceildiv(N, 256) * ceildiv(K, 128) >= SMs * 50">)",
    R"(#mx.matmul_tile<m = 256, n = 256, stages = 5, ctas = 2, buffers = 2, a = in_flight, when = "M > 128">)",
    "#mx.matmul_tile<m = 128, n = 256, stages = 5, buffers = 2, a = in_flight>",
    "#mx.matmul_tile<m = 128, n = 128, stages = 6, store = rows>",
};

// Of blocks of 128 with f32 scales, measured on an H200 (docs/performance.md): products of codes at the
// tensor cores' full rate. Few rows of a wait for b: as narrow tiles as make one of them for each
// multiprocessor, of as many rows as there are, since boxes that hang over are slow. Of more, a step of 192
// rows takes 24 units of time, one of 256 rows 33; which of them fills whole waves decides. Of few tiles, as
// of gradients of weights, those come first that fill one wave: of 1x128 by 1x128 with K = 16384 one of
// 64x192 takes 40 us, of 128x64 46, of 64x64 29, of 192x192 82, of 128x128 85.
static constexpr std::string_view kBlockwiseTiles[] = {
    R"tile(#mx.matmul_tile<m = 16, n = 8, stages = 8, buffers = 1, store = rows, when = "M <= 16 && ceildiv(N, 8) <= SMs">)tile",
    R"tile(#mx.matmul_tile<m = 16, n = 16, stages = 6, buffers = 1, store = rows, when = "M <= 16 && ceildiv(N, 16) <= SMs">)tile",
    R"tile(#mx.matmul_tile<m = 16, n = 32, stages = 8, buffers = 1, store = rows, when = "M <= 16 && ceildiv(N, 32) <= SMs">)tile",
    R"tile(#mx.matmul_tile<m = 16, n = 64, stages = 5, buffers = 1, when = "M <= 16 && ceildiv(N, 64) <= SMs">)tile",
    R"tile(#mx.matmul_tile<m = 16, n = 128, stages = 11, buffers = 1, when = "M <= 16">)tile",
    R"tile(#mx.matmul_tile<m = 32, n = 8, stages = 5, buffers = 1, store = rows, when = "M <= 32 && ceildiv(N, 8) <= SMs">)tile",
    R"tile(#mx.matmul_tile<m = 32, n = 16, stages = 4, buffers = 1, store = rows, when = "M <= 32 && ceildiv(N, 16) <= SMs">)tile",
    R"tile(#mx.matmul_tile<m = 32, n = 32, stages = 6, buffers = 1, store = rows, when = "M <= 32 && ceildiv(N, 32) <= SMs">)tile",
    R"tile(#mx.matmul_tile<m = 32, n = 64, stages = 8, buffers = 1, when = "M <= 32 && ceildiv(N, 64) <= SMs">)tile",
    R"tile(#mx.matmul_tile<m = 32, n = 128, stages = 10, buffers = 1, when = "M <= 32">)tile",
    R"tile(#mx.matmul_tile<m = 48, n = 16, stages = 6, buffers = 1, store = rows, when = "(M <= 48 || M > 64 && M <= 96) && ceildiv(M, 48) * ceildiv(N, 16) <= SMs">)tile",
    R"tile(#mx.matmul_tile<m = 48, n = 32, stages = 9, buffers = 1, store = rows, when = "(M <= 48 || M > 64 && M <= 96) && ceildiv(M, 48) * ceildiv(N, 32) <= SMs">)tile",
    R"tile(#mx.matmul_tile<m = 48, n = 64, stages = 12, buffers = 1, when = "(M <= 48 || M > 64 && M <= 96) && ceildiv(M, 48) * ceildiv(N, 64) <= SMs">)tile",
    R"tile(#mx.matmul_tile<m = 48, n = 128, stages = 8, buffers = 1, when = "(M <= 48 || M > 64 && M <= 96) && ceildiv(M, 48) * ceildiv(N, 128) <= SMs">)tile",
    R"tile(#mx.matmul_tile<m = 96, n = 128, stages = 6, buffers = 1, when = "M > 64 && M <= 96">)tile",
    R"tile(#mx.matmul_tile<m = 64, n = 16, stages = 5, buffers = 1, store = rows, when = "ceildiv(M, 64) * ceildiv(N, 16) <= SMs">)tile",
    R"tile(#mx.matmul_tile<m = 64, n = 32, stages = 8, buffers = 1, store = rows, when = "ceildiv(M, 64) * ceildiv(N, 32) <= SMs">)tile",
    R"tile(#mx.matmul_tile<m = 64, n = 192, stages = 8, ctas = 2, buffers = 1, share = a, when = "M > 128 && ceildiv(M, 64) * ceildiv(N, 64) > SMs && ceildiv(M, 64) * ceildiv(N, 192) <= SMs / 2">)tile",
    R"tile(#mx.matmul_tile<m = 128, n = 64, stages = 8, buffers = 1, when = "M > 128 && ceildiv(M, 64) * ceildiv(N, 64) > SMs && ceildiv(M, 128) * ceildiv(N, 64) <= SMs">)tile",
    R"tile(#mx.matmul_tile<m = 64, n = 64, stages = 12, buffers = 1, when = "ceildiv(M, 64) * ceildiv(N, 64) <= SMs || M <= 128 && ceildiv(N, 64) * 4 < SMs * 3">)tile",
    R"tile(#mx.matmul_tile<m = 64, n = 128, stages = 8, buffers = 1, when = "M <= 64 || M <= 128 && ceildiv(M, 64) * ceildiv(N, 128) <= SMs">)tile",
    R"(#mx.matmul_tile<m = 128, n = 128, stages = 5, buffers = 2, when = "M <= 128">)",
    R"(#mx.matmul_tile<m = 192, n = 256, stages = 4, ctas = 2, buffers = 2, share = a, when = "ceildiv(M, 192) * ceildiv(N, 256) >= SMs / 2 && ceildiv(ceildiv(M, 192) * ceildiv(N, 256), SMs / 2) * 24 <= ceildiv(ceildiv(M, 256) * ceildiv(N, 128), SMs) * 33">)",
    R"(#mx.matmul_tile<m = 192, n = 192, stages = 4, ctas = 2, buffers = 3, share = a, when = "ceildiv(M, 128) * ceildiv(N, 128) * 5 >= SMs * 4 && ceildiv(M, 192) * ceildiv(N, 192) <= SMs / 2">)",
    R"tile(#mx.matmul_tile<m = 256, n = 256, stages = 3, ctas = 2, buffers = 2, share = a, when = "ceildiv(M, 256) * ceildiv(N, 256) * 4 >= SMs / 2 * 3 && ceildiv(ceildiv(M, 256) * ceildiv(N, 256), SMs / 2) <= ceildiv(ceildiv(M, 256) * ceildiv(N, 128), SMs)">)tile",
    R"(#mx.matmul_tile<m = 256, n = 128, stages = 3, buffers = 2, when = "ceildiv(M, 256) * ceildiv(N, 128) * 4 >= SMs * 3">)",
    R"(#mx.matmul_tile<m = 128, n = 128, stages = 5, buffers = 2, when = "ceildiv(M, 128) * ceildiv(N, 128) * 4 >= SMs * 3">)",
    "#mx.matmul_tile<m = 128, n = 64, stages = 6, buffers = 1>",
    "#mx.matmul_tile<m = 128, n = 64, stages = 6, store = rows>",
};

// The same of rows in groups. Few of them on average wait for b, which passes by once. Of more, a group's
// last tile is half full on average, so that there are M / m + G / 2 tiles of rows. In units of 25 cycles a
// step of 192 rows takes 31, one of 128 rows 22, and a tile 96 beside its steps. From some 0.1 ms on, of 128
// rows 0.3 ms, a counter gains more than its first tile and its workspace cost. There 128x192 of one CTA
// takes 1 % less than 128x256 of two, and 2 to 3 % at the power limit, with up to 4 % of its columns past N.
static constexpr std::string_view kBlockwiseRowGroupTiles[] = {
    R"(#mx.matmul_tile<m = 16, n = 128, stages = 11, buffers = 1, when = "M <= 12 * G">)",
    R"(#mx.matmul_tile<m = 32, n = 128, stages = 10, buffers = 1, when = "M <= 28 * G">)",
    R"(#mx.matmul_tile<m = 64, n = 128, stages = 8, buffers = 1, when = "M <= 64 * G">)",
    R"tile(#mx.matmul_tile<m = 192, n = 256, stages = 4, ctas = 2, buffers = 2, scheduler = counter, share = a, when = "(M + 96 * G) / 192 * ceildiv(N, 256) * (ceildiv(K, 128) * 31 + 96) >= SMs * 4000 && (M + 96 * G) / 192 * ceildiv(N, 256) >= SMs / 2 && ceildiv((M + 96 * G) / 192 * ceildiv(N, 256), SMs / 2) * (ceildiv(K, 128) * 31 + 96) <= ceildiv((M + 64 * G) / 128 * ceildiv(N, 256), SMs / 2) * (ceildiv(K, 128) * 22 + 96)">)tile",
    R"tile(#mx.matmul_tile<m = 192, n = 256, stages = 4, ctas = 2, buffers = 2, share = a, when = "(M + 96 * G) / 192 * ceildiv(N, 256) >= SMs / 2 && ceildiv((M + 96 * G) / 192 * ceildiv(N, 256), SMs / 2) * (ceildiv(K, 128) * 31 + 96) <= ceildiv((M + 64 * G) / 128 * ceildiv(N, 256), SMs / 2) * (ceildiv(K, 128) * 22 + 96)">)tile",
    R"tile(#mx.matmul_tile<m = 128, n = 192, stages = 4, buffers = 2, scheduler = counter, when = "(M + 64 * G) / 128 * ceildiv(N, 256) * (ceildiv(K, 128) * 22 + 96) >= SMs * 10000 && ceildiv(N, 192) * 184 <= ceildiv(N, 256) * 256">)tile",
    R"tile(#mx.matmul_tile<m = 128, n = 256, stages = 5, ctas = 2, buffers = 2, scheduler = counter, share = a, when = "(M + 64 * G) / 128 * ceildiv(N, 256) * (ceildiv(K, 128) * 22 + 96) >= SMs * 10000">)tile",
    R"(#mx.matmul_tile<m = 128, n = 256, stages = 5, ctas = 2, buffers = 2, share = a, when = "(M + 64 * G) / 128 * ceildiv(N, 256) * 4 >= SMs / 2 * 3">)",
    R"(#mx.matmul_tile<m = 128, n = 128, stages = 5, buffers = 2, when = "(M + 64 * G) / 128 * ceildiv(N, 128) * 4 >= SMs * 3">)",
    "#mx.matmul_tile<m = 128, n = 64, stages = 6, buffers = 1>",
    "#mx.matmul_tile<m = 128, n = 64, stages = 6, store = rows>",
};

// Groups of K: each has a product of its own, of M rows.
static constexpr std::string_view kBlockwiseKGroupTiles[] = {
    R"tile(#mx.matmul_tile<m = 192, n = 256, stages = 4, ctas = 2, buffers = 2, scheduler = counter, share = a, when = "ceildiv(M, 192) * ceildiv(N, 256) * ceildiv(K, 128) >= SMs * 130 && G * ceildiv(M, 192) * ceildiv(N, 256) >= SMs / 2 && ceildiv(G * ceildiv(M, 192) * ceildiv(N, 256), SMs / 2) * 24 <= ceildiv(G * ceildiv(M, 256) * ceildiv(N, 128), SMs) * 33">)tile",
    R"(#mx.matmul_tile<m = 192, n = 256, stages = 4, ctas = 2, buffers = 2, share = a, when = "G * ceildiv(M, 192) * ceildiv(N, 256) >= SMs / 2 && ceildiv(G * ceildiv(M, 192) * ceildiv(N, 256), SMs / 2) * 24 <= ceildiv(G * ceildiv(M, 256) * ceildiv(N, 128), SMs) * 33">)",
    R"(#mx.matmul_tile<m = 256, n = 128, stages = 3, buffers = 2, scheduler = counter, when = "ceildiv(M, 256) * ceildiv(N, 128) * ceildiv(K, 128) >= SMs * 240">)",
    R"(#mx.matmul_tile<m = 256, n = 128, stages = 3, buffers = 2, when = "G * ceildiv(M, 256) * ceildiv(N, 128) * 4 >= SMs * 3">)",
    R"(#mx.matmul_tile<m = 128, n = 128, stages = 5, buffers = 2, when = "M > 64 && N > 64">)",
    "#mx.matmul_tile<m = 128, n = 64, stages = 6, buffers = 1>",
    "#mx.matmul_tile<m = 128, n = 64, stages = 6, store = rows>",
};

static constexpr std::string_view kBlockwiseCandidates[] = {
    "#mx.matmul_tile<m = 128, n = 256, stages = 5, ctas = 2, buffers = 2, share = a>",
    "#mx.matmul_tile<m = 192, n = 256, stages = 4, ctas = 2, buffers = 2, share = a>",
    "#mx.matmul_tile<m = 192, n = 256, stages = 4, ctas = 2, buffers = 2, supergroup = 4, share = a>",
    "#mx.matmul_tile<m = 192, n = 256, stages = 4, ctas = 2, buffers = 2, scheduler = counter, share = a>",
    "#mx.matmul_tile<m = 128, n = 256, stages = 5, ctas = 2, buffers = 2, scheduler = counter, share = a>",
    "#mx.matmul_tile<m = 128, n = 192, stages = 4, buffers = 2, scheduler = counter>",
    "#mx.matmul_tile<m = 192, n = 128, stages = 4, buffers = 2>",
    "#mx.matmul_tile<m = 192, n = 192, stages = 4, ctas = 2, buffers = 3, share = a>",
    "#mx.matmul_tile<m = 64, n = 192, stages = 8, ctas = 2, buffers = 1, share = a>",
    "#mx.matmul_tile<m = 256, n = 256, stages = 3, ctas = 2, buffers = 2, share = a>",
    "#mx.matmul_tile<m = 256, n = 128, stages = 3, buffers = 2>",
    "#mx.matmul_tile<m = 256, n = 192, stages = 4, ctas = 2, buffers = 3>",
    "#mx.matmul_tile<m = 128, n = 128, stages = 5, buffers = 2>",
    "#mx.matmul_tile<m = 128, n = 64, stages = 6, buffers = 1>",
    "#mx.matmul_tile<m = 64, n = 64, stages = 12, buffers = 1>",
    "#mx.matmul_tile<m = 64, n = 64, stages = 6, buffers = 1>",
    "#mx.matmul_tile<m = 64, n = 128, stages = 8, buffers = 1>",
    "#mx.matmul_tile<m = 64, n = 32, stages = 8, buffers = 1, store = rows>",
    "#mx.matmul_tile<m = 64, n = 16, stages = 5, buffers = 1, store = rows>",
    "#mx.matmul_tile<m = 16, n = 64, stages = 5, buffers = 1>",
    "#mx.matmul_tile<m = 16, n = 32, stages = 8, buffers = 1, store = rows>",
    "#mx.matmul_tile<m = 16, n = 16, stages = 6, buffers = 1, store = rows>",
    "#mx.matmul_tile<m = 16, n = 8, stages = 8, buffers = 1, store = rows>",
};

static constexpr std::string_view kMatmulCandidates[] = {
    "#mx.matmul_tile<m = 256, n = 256, stages = 5, ctas = 2, buffers = 2, a = copied_alone, share = a>",
    "#mx.matmul_tile<m = 256, n = 256, stages = 5, ctas = 2, supergroup = 4, buffers = 2, scheduler = "
    "counter, a = "
    "copied_alone, share = a>",
    "#mx.swap_tile<columns = 64, tokens = 16, splits = 2, parts = 2, stages = 5, token_stages = 2>",
    "#mx.swap_tile<tokens = 16, splits = 7, stages = 4, token_stages = 3, code_stages = 3>",
    "#mx.swap_tile<columns = 64, tokens = 32, splits = 2, parts = 2, stages = 4, token_stages = 2, "
    "code_stages = 3>",
    "#mx.swap_tile<tokens = 96, splits = 2, stages = 4, token_stages = 3>",
    "#mx.swap_tile<columns = 64, tokens = 256, splits = 2, stages = 6, token_stages = 2, code_stages = 0>",
    "#mx.matmul_tile<m = 256, n = 256, stages = 4, ctas = 2, supergroup = 16, buffers = 2, a = in_flight>",
    "#mx.matmul_tile<m = 256, n = 256, stages = 5, ctas = 2, buffers = 2, scheduler = counter, a = "
    "in_flight>",
    "#mx.matmul_tile<m = 128, n = 256, stages = 5, buffers = 2, a = in_flight>",
    "#mx.matmul_tile<m = 128, n = 64, stages = 8, buffers = 2>",
    "#mx.matmul_tile<m = 128, n = 128, stages = 6, buffers = 2>",
    "#mx.matmul_tile<m = 128, n = 256, stages = 4, buffers = 2>",
    "#mx.matmul_tile<m = 256, n = 64, stages = 8, ctas = 2, buffers = 2>",
    "#mx.matmul_tile<m = 256, n = 128, stages = 6, ctas = 2, buffers = 2>",
    "#mx.matmul_tile<m = 256, n = 256, stages = 4, ctas = 2, buffers = 2>",
    "#mx.matmul_tile<m = 256, n = 256, stages = 4, ctas = 2, supergroup = 4, buffers = 2>",
};

constinit const Target kHopper = [] {
  Target family{};
  family.tensorCore = TensorCore::Warpgroups;
  family.residencySharedBytes = 228 * 1024;
  family.quantizeTiles = kTiles;
  family.fusedQuantizeTiles = kFusedTiles;
  family.narrowQuantizeTiles = kNarrowTiles;
  family.longBlockQuantizeTiles = kLongBlockTiles;
  family.fourBitQuantizeTiles = kFourBitTiles;
  family.twoLevelQuantizeTiles = kTwoLevelTiles;
  family.quantizeCandidates = kCandidates;
  family.columnTiles = kH200ColumnTiles;
  family.matmulTiles = kMatmulTiles;
  family.matmulCandidates = kMatmulCandidates;
  family.sequentialTiles = kSequentialTiles;
  family.rowGroupTiles = kRowGroupTiles;
  family.kGroupTiles = kKGroupTiles;
  family.narrowProductTiles = kNarrowProductTiles;
  family.blockwiseTiles = kBlockwiseTiles;
  family.blockwiseCandidates = kBlockwiseCandidates;
  family.blockwiseRowGroupTiles = kBlockwiseRowGroupTiles;
  family.blockwiseKGroupTiles = kBlockwiseKGroupTiles;
  family.joinedParts = {.fewRows = kFewRowsOfGroup, .ofFew = true};
  return family;
}();

} // namespace mxc
