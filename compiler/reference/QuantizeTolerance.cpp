#include "compiler/reference/QuantizeTolerance.h"

#include "compiler/reference/ScalePlace.h"
#include "dialect/formats/PackedCodes.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace mxc {

static constexpr double kScaleTolerance = 0x1p-18, kElementTolerance = 0x1p-12;

QuantizeTolerance::QuantizeTolerance(const KernelReference &reference, HostExtent extent, ScaleLayout layout,
                                     const uint8_t *codes, const uint8_t *scales)
    : reference_(reference), extent_(extent), format_(info(reference.rule.format)),
      blocks_(format_.blocks(extent.columns)), layout_(layout),
      codes_(static_cast<size_t>(extent.rows * extent.columns)), scales_(scales) {
  unpackCodes(format_.element, codes, codes_);
}

uint32_t QuantizeTolerance::blockMaximum(int64_t row, int64_t block) const {
  bool countsNan = reference_.rule.special == Special::Propagate;
  uint32_t maximum = 0;
  int64_t end = std::min((block + 1) * format_.blockColumns, extent_.columns);
  for (int64_t column = block * format_.blockColumns; column < end; ++column) {
    uint32_t magnitude =
        std::bit_cast<uint32_t>(reference_.values[static_cast<size_t>(row * extent_.columns + column)]) &
        0x7FFFFFFF;
    if (magnitude <= 0x7F800000 || countsNan) maximum = std::max(maximum, magnitude);
  }
  return maximum;
}

bool QuantizeTolerance::allowsScale(int64_t offset) const {
  ScalePlace place = scalePlace(layout_, offset, extent_.rows, blocks_);
  if (place.isPadding) return false;
  uint32_t bits = blockMaximum(place.row, place.block);
  if (bits >= 0x7F800000) return false;
  double maximum = std::bit_cast<float>(bits), largest = std::numeric_limits<float>::max();
  auto byteOf = [&](double value) {
    return scaleByte(std::bit_cast<uint32_t>(static_cast<float>(std::min(value, largest))), reference_.rule);
  };
  uint8_t found = scales_[offset];
  return found >= byteOf(maximum * (1 - kScaleTolerance)) && found <= byteOf(maximum * (1 + kScaleTolerance));
}

/// Distance of neighbouring values of the format at `value` (both sides of it, short of a binade's edge).
static double stepAt(const ElementFormatInfo &element, double value) {
  int smallestExponent = 2 - (1 << (element.exponentBits - 1)); // of the normal values
  int exponent = value == 0 ? smallestExponent : std::max(std::ilogb(value), smallestExponent);
  return std::ldexp(1.0, exponent - element.mantissaBits);
}

bool QuantizeTolerance::allowsCode(int64_t index) const {
  const ElementFormatInfo &element = info(format_.element);
  uint8_t byte = scales_[scaleOffset(layout_, index / extent_.columns,
                                     index % extent_.columns / format_.blockColumns, blocks_)];
  float value = reference_.values[static_cast<size_t>(index)],
        multiplier = scaleMultiplier(byte, reference_.rule);
  float found = decode(element.format, codes_[static_cast<size_t>(index)]);
  if (!std::isfinite(value) || byte == info(format_.scale).nan)
    return codes_[static_cast<size_t>(index)] == encode(element.format, value * multiplier);
  double scaled = std::clamp<double>(double(value) * multiplier, -element.maxFinite, element.maxFinite);
  return std::abs(found - scaled) <= stepAt(element, scaled) / 2 + kElementTolerance * std::abs(scaled);
}

namespace {

class QuantizedOutputs : public OutputTolerance {
public:
  QuantizedOutputs(const std::string &data, const std::string &scales, QuantizeTolerance tolerance)
      : data_(data), scales_(scales), tolerance_(std::move(tolerance)) {}
  bool allows(const std::string &name, int64_t element) const override {
    if (name == data_) return tolerance_.allowsCode(element);
    return name == scales_ && tolerance_.allowsScale(element);
  }

private:
  std::string data_, scales_;
  QuantizeTolerance tolerance_;
};

} // namespace

ToleranceRule quantizeTolerance(const AbiArgument &data, const AbiArgument &scales,
                                const Dimensions &dimensions) {
  return {"the tolerance of an inexact prologue",
          [data = data.name, scales = scales.name, extent = hostExtent(data, dimensions),
           layout = scaleLayoutOf(scales)](const KernelReference &reference, const HostTensors &found) {
            auto bytesOf = [&](const std::string &name) {
              return reinterpret_cast<const uint8_t *>(found.find(name)->second.data());
            };
            return std::make_unique<QuantizedOutputs>(
                data, scales, QuantizeTolerance(reference, extent, layout, bytesOf(data), bytesOf(scales)));
          }};
}

} // namespace mxc
