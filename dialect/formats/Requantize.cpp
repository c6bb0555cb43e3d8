#include "dialect/formats/Requantize.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

namespace mxc {
namespace {

constexpr int kBias = 127; // of ue8m0, whose codes are exponents here
// The exponent of a multiplier: below -100 nothing is left of any element, and above 100 there are zeros
// alone.
constexpr int kMostExponent = 100;

/// The least e so that magnitude / 2^e is an element: what the rule `ceil` gives without its lower end.
int exponentOf(float magnitude, const ElementFormatInfo &element) {
  const uint32_t most = std::bit_cast<uint32_t>(element.maxFinite) & 0x7FFFFF;
  return int((std::bit_cast<uint32_t>(magnitude) + 0x7FFFFF - most) >> 23) - kBias - element.emax;
}

float powerOfTwo(int exponent) {
  return std::ldexp(1.0f, std::clamp(exponent, -kMostExponent, kMostExponent));
}

/// Codes of a source's block, times the multiplier; NaN makes all of them NaN, which is no loss.
void requantizeBlock(ElementFormat element, std::span<const uint8_t> source, float multiplier, uint8_t *codes,
                     RequantizeLoss &loss) {
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
  if (a.element != b.element || a.scale != ScaleFormat::UE8M0 || a.blockRows != 1 || b.blockRows != 1)
    return false;
  if (info(b.scale).rule == ScaleRule::TwoLevel) return a.blockColumns % b.blockColumns == 0;
  return info(a.element).bits() == 8 && b.blockColumns > a.blockColumns &&
         b.blockColumns % a.blockColumns == 0 && b.scale == ScaleFormat::F32;
}

// Blocks that are parts of the source's have the scales of these.
static RequantizeLoss toParts(const BlockMatrix &source, int64_t rows, int64_t columns, BlockFormat to,
                              ScaleLayout layout, std::span<uint8_t> codes, std::span<uint8_t> scales,
                              float tensorScale) {
  const BlockFormatInfo &from = info(source.format), &format = info(to);
  const int64_t blocks = format.blocks(columns), sourceBlocks = from.blocks(columns);
  RequantizeLoss loss;
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t block = 0; block < blocks; ++block) {
      const int64_t column = block * format.blockColumns, first = row * columns + column,
                    count = std::min<int64_t>(format.blockColumns, columns - column);
      const int64_t at = scaleOffset(source.layout, row, column / from.blockColumns, rows, sourceBlocks);
      const BlockScale scale =
          rescaled(from.scale, loadScale(from.scale, source.scales.data(), at), format.scale, tensorScale);
      requantizeBlock(format.element, source.codes.subspan(size_t(first), size_t(count)), scale.multiplier,
                      &codes[size_t(first)], loss);
      storeScale(format.scale, scales.data(), scaleOffset(layout, row, block, rows, blocks), scale.code);
    }
  return loss;
}

RequantizeLoss requantizeRows(const BlockMatrix &source, int64_t rows, int64_t columns, BlockFormat to,
                              ScaleLayout layout, std::span<uint8_t> codes, std::span<uint8_t> scales,
                              float tensorScale) {
  const BlockFormatInfo &from = info(source.format), &format = info(to);
  const ElementFormatInfo &element = info(format.element);
  const int64_t blocks = format.blocks(columns), sourceBlocks = from.blocks(columns);
  const uint32_t nan = info(from.scale).nan;
  std::fill(scales.begin(), scales.end(), uint8_t(0)); // the padding
  if (info(format.scale).rule == ScaleRule::TwoLevel)
    return toParts(source, rows, columns, to, layout, codes, scales, tensorScale);
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
          requantizeBlock(element.format, old, powerOfTwo(int(part.scale) - scale), now, loss);
      }
      storeScale(format.scale, scales.data(), scaleOffset(layout, row, block, rows, blocks),
                 convertScale(from.scale, uint32_t(scale), format.scale).code);
    }
  return loss;
}

} // namespace mxc
