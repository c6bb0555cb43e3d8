#include "dialect/formats/BlockFormat.h"

#include <array>

namespace mxc {

static constexpr std::array kFormats = {
#define MXC_BLOCK_FORMAT(Name, name, element, scale, blockRows, blockColumns, tensorScale)                   \
  BlockFormatInfo{BlockFormat::Name, name,         ElementFormat::element,  ScaleFormat::scale,              \
                  blockRows,         blockColumns, TensorScale::tensorScale},
#include "dialect/formats/BlockFormats.def"
};

std::string text(BlockShape shape) {
  return std::to_string(shape.rows) + "x" + std::to_string(shape.columns);
}

std::optional<BlockShape> wholeBlocks(BlockShape from, BlockShape to) {
  if (from.rows % to.rows != 0 || from.columns % to.columns != 0) return std::nullopt;
  return BlockShape{from.rows / to.rows, from.columns / to.columns};
}

std::optional<BlockShape> blockShapeNamed(std::string_view text) {
  if (text == mxc::text(kSmallSquare)) return kSmallSquare;
  for (const BlockFormatInfo &format : kFormats)
    if (const BlockShape shape{format.blockRows, format.blockColumns}; mxc::text(shape) == text) return shape;
  return std::nullopt;
}

std::span<const BlockFormatInfo> blockFormats() { return kFormats; }

const BlockFormatInfo &info(BlockFormat format) { return kFormats[size_t(format)]; }

std::optional<BlockFormat> blockFormatNamed(std::string_view name) {
  for (const BlockFormatInfo &format : kFormats)
    if (format.name == name) return format.format;
  return std::nullopt;
}

std::optional<BlockFormat> blockFormatOf(ElementFormat element, ScaleFormat scale,
                                         std::optional<BlockShape> block) {
  for (const BlockFormatInfo &format : kFormats)
    if (format.element == element && format.scale == scale &&
        (!block || *block == BlockShape{format.blockRows, format.blockColumns}))
      return format.format;
  return std::nullopt;
}

} // namespace mxc
