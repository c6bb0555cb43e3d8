// Block formats: an element format, the format of the scale that a block of elements shares, and the block's
// size.
#pragma once

#include "dialect/formats/ElementFormat.h"
#include "dialect/formats/ScaleFormat.h"

#include <span>
#include <string>

namespace mxc {

enum class BlockFormat : uint8_t {
#define MXC_BLOCK_FORMAT(Name, ...) Name,
#include "dialect/formats/BlockFormats.def"
};

enum class TensorScale : uint8_t { None, Tensor, Row };

struct BlockFormatInfo {
  BlockFormat format;
  std::string_view name; // "mxfp8_e4m3"
  ElementFormat element;
  ScaleFormat scale;
  int blockRows, blockColumns; // elements that share a scale; columns lie along the quantized axis
  TensorScale tensorScale;     // a second scale above the blocks'

  /// Scales of a row of `columns` elements, and rows of scales of `rows` of them. Never overflow.
  int64_t blocks(int64_t columns) const { return columns / blockColumns + (columns % blockColumns != 0); }
  int64_t blocksOfRows(int64_t rows) const { return rows / blockRows + (rows % blockRows != 0); }
};

/// Rows and columns of a block.
struct BlockShape {
  int64_t rows, columns;
  bool operator==(const BlockShape &) const = default;
};
/// No format's: of one maximum, whose scale is written for the blocks that it is made of.
inline constexpr BlockShape kSmallSquare = {16, 16};
std::string text(BlockShape shape); // "1x64"
/// How many rows and columns of blocks `to` are in one of `from`; null: it is not made of whole ones.
std::optional<BlockShape> wholeBlocks(BlockShape from, BlockShape to);
/// The block of a format, or the small square.
std::optional<BlockShape> blockShapeNamed(std::string_view text);

std::span<const BlockFormatInfo> blockFormats();
const BlockFormatInfo &info(BlockFormat format);
std::optional<BlockFormat> blockFormatNamed(std::string_view name);
/// The first row of the table with this element and scale format and, if given, with this block.
std::optional<BlockFormat> blockFormatOf(ElementFormat element, ScaleFormat scale,
                                         std::optional<BlockShape> block = std::nullopt);

} // namespace mxc
