#include "dialect/formats/Requantize.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

namespace mxc {
namespace {

constexpr int kBias = 127; // of ue8m0, whose codes are exponents here
// Of a multiplier: below -100 nothing is left of any element, and above 100 there are zeros alone.
constexpr int kMostExponent = 100;

/// The least e so that magnitude / 2^e is an element: what the rule `ceil` gives without its lower end.
int exponentOf(float magnitude, const ElementFormatInfo &element) {
  const uint32_t most = std::bit_cast<uint32_t>(element.maxFinite) & 0x7FFFFF;
  return int((std::bit_cast<uint32_t>(magnitude) + 0x7FFFFF - most) >> 23) - kBias - element.emax;
}

/// Codes of a source's block, times 2^exponent.
void requantizeBlock(ElementFormat element, std::span<const uint8_t> source, int exponent, uint8_t *codes,
                     RequantizeLoss &loss) {
  const float multiplier = std::ldexp(1.0f, std::clamp(exponent, -kMostExponent, kMostExponent));
  for (size_t i = 0; i < source.size(); ++i) {
    const float old = decode(element, source[i]) * multiplier;
    codes[i] = std::isinf(old) ? source[i] : encode(element, old);
    const float now = decode(element, codes[i]);
    if (now == old || std::isnan(old)) continue;
    ++loss.elements;
    loss.largestError = std::max(loss.largestError, std::fabs(now - old) / std::fabs(old));
  }
}

} // namespace

bool requantizes(BlockFormat from, BlockFormat to) {
  const BlockFormatInfo &a = info(from), &b = info(to);
  return a.element == b.element && info(a.element).bits() == 8 && a.blockRows == 1 && b.blockRows == 1 &&
         b.blockColumns > a.blockColumns && b.blockColumns % a.blockColumns == 0 &&
         a.scale == ScaleFormat::UE8M0 && b.scale == ScaleFormat::F32;
}

RequantizeLoss requantizeRows(const BlockMatrix &source, int64_t rows, int64_t columns, BlockFormat to,
                              ScaleLayout layout, std::span<uint8_t> codes, std::span<uint8_t> scales) {
  const BlockFormatInfo &from = info(source.format), &format = info(to);
  const ElementFormatInfo &element = info(format.element);
  const int64_t blocks = format.blocks(columns), sourceBlocks = from.blocks(columns);
  const uint32_t nan = info(from.scale).nan;
  std::fill(scales.begin(), scales.end(), uint8_t(0)); // the padding
  RequantizeLoss loss;
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t block = 0; block < blocks; ++block) {
      struct Part {
        int64_t first, count;
        uint32_t scale;
      };
      std::vector<Part> parts;
      int scale = 0;
      const int64_t end = std::min((block + 1) * format.blockColumns, columns);
      for (int64_t column = block * format.blockColumns; column < end; column += from.blockColumns) {
        const int64_t at = scaleOffset(source.layout, row, column / from.blockColumns, rows, sourceBlocks);
        const Part part{row * columns + column, std::min<int64_t>(from.blockColumns, end - column),
                        loadScale(from.scale, source.scales.data(), at)};
        parts.push_back(part);
        if (part.scale == nan) continue;
        for (uint8_t code : source.codes.subspan(size_t(part.first), size_t(part.count)))
          if (const float magnitude = std::fabs(decode(element.format, code));
              std::isfinite(magnitude) && magnitude > 0)
            scale = std::max(scale, int(part.scale) + exponentOf(magnitude, element));
      }
      for (const Part &part : parts) {
        const auto old = source.codes.subspan(size_t(part.first), size_t(part.count));
        uint8_t *now = &codes[size_t(part.first)];
        if (part.scale == nan)
          std::fill_n(now, part.count, encode(element.format, NAN));
        else
          requantizeBlock(element.format, old, int(part.scale) - scale, now, loss);
      }
      storeScale(format.scale, scales.data(), scaleOffset(layout, row, block, rows, blocks),
                 convertScale(from.scale, uint32_t(scale), format.scale).code);
    }
  return loss;
}

} // namespace mxc
