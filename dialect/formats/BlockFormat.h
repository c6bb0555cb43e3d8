// Block formats: an element format, the format of the scale that a block of elements shares, and the block's
// size.
#pragma once

#include "dialect/formats/ElementFormat.h"
#include "dialect/formats/ScaleFormat.h"

#include <span>

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

  /// Scales of a row of `columns` elements. Never overflows.
  int64_t blocks(int64_t columns) const { return columns / blockColumns + (columns % blockColumns != 0); }
};

std::span<const BlockFormatInfo> blockFormats();
const BlockFormatInfo &info(BlockFormat format);
std::optional<BlockFormat> blockFormatNamed(std::string_view name);
std::optional<BlockFormat> blockFormatOf(ElementFormat element, ScaleFormat scale); // the first such

} // namespace mxc
