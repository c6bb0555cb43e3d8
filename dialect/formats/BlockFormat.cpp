#include "dialect/formats/BlockFormat.h"

#include <array>

namespace mxc {

static constexpr std::array kFormats = {
#define MXC_BLOCK_FORMAT(Name, name, element, scale, blockRows, blockColumns, tensorScale)                   \
  BlockFormatInfo{BlockFormat::Name, name,         ElementFormat::element,  ScaleFormat::scale,              \
                  blockRows,         blockColumns, TensorScale::tensorScale},
#include "dialect/formats/BlockFormats.def"
};

std::span<const BlockFormatInfo> blockFormats() { return kFormats; }

const BlockFormatInfo &info(BlockFormat format) { return kFormats[size_t(format)]; }

std::optional<BlockFormat> blockFormatNamed(std::string_view name) {
  for (const BlockFormatInfo &format : kFormats)
    if (format.name == name) return format.format;
  return std::nullopt;
}

std::optional<BlockFormat> blockFormatOf(ElementFormat element, ScaleFormat scale) {
  for (const BlockFormatInfo &format : kFormats)
    if (format.element == element && format.scale == scale) return format.format;
  return std::nullopt;
}

} // namespace mxc
