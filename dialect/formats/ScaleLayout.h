// Where the scale of (row, block) lies in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace mxc {

/// Layouts of a matrix of scales [rows, blocks]. Numbers are of scales, not bytes.
///   Dense    scale (r, kb) at r*blocks + kb.
///   Tcgen05  tiles of 128 rows x 4 blocks, 512 scales of one byte each:
///
///            tile index = (r/128) * ceil(blocks/4) + kb/4
///            in a tile  = (r%32)*16 + (r%128/32)*4 + kb%4
///            r%32 ->    | r+0: k0 k1 k2 k3 | r+32: k0 .. k3 | r+64: .. | r+96: .. |    16 bytes
///   MnMajor  scale (r, kb) at kb*roundup(rows, 4) + r: lines of rows, one a block.
///   MnPacked scale (r, kb) at (kb/4 * roundup(rows, 4) + r)*4 + kb%4: lines of rows, one for four blocks.
///   Padded   scale (r, kb) at r*roundup(blocks, 4) + kb.
enum class ScaleLayout : uint8_t {
#define MXC_SCALE_LAYOUT(Name, ...) Name,
#include "dialect/formats/ScaleLayouts.def"
};

enum class ScaleTileOrder : uint8_t { RowMajor, MnMajor };
enum class ScaleStorage : uint8_t { Matrix, Tiles, Lines, Rows };
enum class ScaleUsers : uint8_t { Kernels, Given, Foreign };

struct ScaleLayoutInfo {
  ScaleLayout layout;
  std::string_view name; // "tcgen05"
  int tileRows, tileBlocks;
  int interleave;       // rows of a tile so far apart lie side by side
  ScaleTileOrder order; // of the tiles
  ScaleStorage storage; // the shape of the tensor that holds them
  int scaleBits;        // of the scales that it is for; 0: of any
  ScaleUsers users;     // Foreign: mx.convert_scales alone; Given: mx.quantize writes it, too

  constexpr int64_t tileScales() const { return int64_t(tileRows) * tileBlocks; }
  /// Whether the four blocks of a row that begin at a multiple of four are a word of scales of one byte.
  constexpr bool hasWords() const { return tileBlocks == 4 && scaleBits == 8; }
  /// Whether its scales may have `bits`.
  bool takes(int bits) const { return scaleBits == 0 || scaleBits == bits; }
};

inline constexpr ScaleLayoutInfo kScaleLayouts[] = {
#define MXC_SCALE_LAYOUT(Name, name, tileRows, tileBlocks, interleave, order, storage, scaleBits, users)     \
  {ScaleLayout::Name,     name,      tileRows,         tileBlocks, interleave, ScaleTileOrder::order,        \
   ScaleStorage::storage, scaleBits, ScaleUsers::users},
#include "dialect/formats/ScaleLayouts.def"
};

constexpr const ScaleLayoutInfo &info(ScaleLayout layout) { return kScaleLayouts[size_t(layout)]; }
constexpr std::span<const ScaleLayoutInfo> scaleLayouts() { return kScaleLayouts; }

/// The tensor cores' tiles; groups of rows begin at them.
inline constexpr int64_t kScaleTileRows = info(ScaleLayout::Tcgen05).tileRows,
                         kScaleTileBlocks = info(ScaleLayout::Tcgen05).tileBlocks,
                         kScaleTileBytes = info(ScaleLayout::Tcgen05).tileScales() *
                                           info(ScaleLayout::Tcgen05).scaleBits / 8;

std::string_view name(ScaleLayout layout); // "dense", "tcgen05", "mn_major", ..
std::optional<ScaleLayout> scaleLayoutNamed(std::string_view name);

/// Place of the scale of (row, block) in a matrix of `rows` x `blocks` scales. Nothing is checked; see
/// scaleCount for the extent.
int64_t scaleOffset(ScaleLayout layout, int64_t row, int64_t block, int64_t rows, int64_t blocks);

/// Scales that `rows` x `blocks` of them occupy, padding of whole tiles included. Throws std::overflow_error
/// beyond 2^63-1, mxc::Error (InvalidInput) for negative sizes.
int64_t scaleCount(ScaleLayout layout, int64_t rows, int64_t blocks);

/// The shape of the tensor that holds the scales of `shape`, [.., rows, blocks], in its place: [.., rows,
/// blocks], the one dimension of all whole tiles, [.., blocks, padded rows] or [.., rows, padded blocks].
/// Returns its rank. Throws std::overflow_error beyond 2^63-1.
size_t storageShape(ScaleLayout layout, std::span<int64_t> shape);
/// Its rank, and in words for messages how a tensor of `shape` holds scales: "whole 512-byte tiles of M x 4
/// scales".
size_t storageRank(ScaleLayout layout, size_t rank);
std::string storageText(ScaleLayout layout, const std::string &shape);

/// Whose scale a place holds: scaleOffset's inverse. `offset` lies within scaleCount(layout, rows, blocks);
/// nothing is checked.
struct ScalePlace {
  int64_t row = 0, block = 0;
  bool isPadding = false; // beyond the matrix, in a tile that is not full
};
ScalePlace scalePlace(ScaleLayout layout, int64_t offset, int64_t rows, int64_t blocks);

/// Copies every scale of `bytes` bytes from one layout to another; padding of the destination is written as
/// 0x00. The buffers hold bytes * scaleCount(...) bytes each and do not overlap.
void convertScales(ScaleLayout from, const uint8_t *source, ScaleLayout to, uint8_t *destination,
                   int64_t rows, int64_t blocks, int bytes);

/// One tcgen05 tile drawn as text: 32 lines of 16 bytes, each cell "row,block".
std::string drawScaleTile();

} // namespace mxc
