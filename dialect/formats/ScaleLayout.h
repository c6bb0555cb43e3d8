// Where the scale of (row, block) lies in memory.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace mxc {

/// Layouts of a matrix of scale bytes [rows, blocks], of any block format.
///   Dense    byte (r, kb) at r*blocks + kb.
///   Tcgen05  tiles of 128 rows x 4 blocks, 512 bytes each (cuBLAS "1D block scaling", SWIZZLE_32_4_4):
///
///            tile index = (r/128) * ceil(blocks/4) + kb/4
///            in a tile  = (r%32)*16 + (r%128/32)*4 + kb%4
///            r%32 ->    | r+0: k0 k1 k2 k3 | r+32: k0 .. k3 | r+64: .. | r+96: .. |    16 bytes
enum class ScaleLayout : uint8_t { Dense, Tcgen05 };

inline constexpr int64_t kScaleTileRows = 128, kScaleTileBlocks = 4, kScaleTileBytes = 512;

std::string_view name(ScaleLayout layout); // "dense", "tcgen05"
std::optional<ScaleLayout> scaleLayoutNamed(std::string_view name);

/// Byte offset of the scale of (row, block). Nothing is checked; see scaleBytes for the extent.
int64_t scaleOffset(ScaleLayout layout, int64_t row, int64_t block, int64_t blocks);

/// Bytes that `rows` x `blocks` scales occupy, padding of whole tiles included. Throws std::overflow_error
/// beyond 2^63-1, mxc::Error (InvalidInput) for negative sizes.
int64_t scaleBytes(ScaleLayout layout, int64_t rows, int64_t blocks);

/// Copies every scale from one layout to another; padding bytes of the destination are written as 0x00. The
/// buffers hold scaleBytes(...) bytes each and do not overlap.
void convertScales(ScaleLayout from, const uint8_t *source, ScaleLayout to, uint8_t *destination,
                   int64_t rows, int64_t blocks);

/// One tcgen05 tile drawn as text: 32 lines of 16 bytes, each cell "row,block".
std::string drawScaleTile();

} // namespace mxc
