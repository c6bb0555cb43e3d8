#include "compiler/reference/QuantizeTolerance.h"

#include "dialect/formats/PackedCodes.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace mxc {

static constexpr uint32_t kNanBits = 0x7FFFFFFF;
static constexpr double kScaleTolerance = 0x1p-14, kElementTolerance = 0x1p-12;

QuantizeTolerance::QuantizeTolerance(const QuantizedValues &reference, CopyShape shape, ScaleLayout layout,
                                     const uint8_t *codes, const uint8_t *scales)
    : reference_(reference), shape_(shape), format_(info(reference.rule.format)),
      blocks_(format_.blocks(shape.length())), scaleLines_(format_.blocksOfRows(shape.lines())),
      layout_(layout), codes_(static_cast<size_t>(shape.dataRows() * shape.columns)), scales_(scales) {
  unpackCodes(format_.element, codes, codes_);
}

QuantizeTolerance::Values QuantizeTolerance::valuesAt(int64_t line, int64_t place) const {
  auto at = static_cast<size_t>(shape_.valueIndex(line, place));
  float value = reference_.values[at];
  if (!reference_.bounds.empty())
    return {value - reference_.bounds[at], value + reference_.bounds[at], value};
  if (reference_.flushed.empty()) return {value, value, value};
  float reach = std::fabs(reference_.larger[at] - value);
  if (!(reach > 0) || !std::isfinite(reach)) return {value, value, reference_.flushed[at]};
  return {value - reach, value + reach, reference_.flushed[at]};
}

bool QuantizeTolerance::isAnywhere(int64_t line, int64_t place) const {
  return !reference_.bounds.empty() &&
         std::isinf(reference_.bounds[static_cast<size_t>(shape_.valueIndex(line, place))]);
}

void QuantizeTolerance::overBlock(int64_t scaleLine, int64_t block,
                                  const std::function<void(int64_t line, int64_t place)> &visit) const {
  const BlockShape repeats = reference_.rule.repeats, whole = reference_.rule.maximumBlock();
  const int64_t firstLine = scaleLine / repeats.rows * whole.rows,
                first = block / repeats.columns * whole.columns;
  for (int64_t line = firstLine; line < std::min(firstLine + whole.rows, shape_.lines()); ++line)
    for (int64_t place = first; place < std::min(first + whole.columns, shape_.length()); ++place)
      visit(line, place);
}

std::pair<uint32_t, uint32_t> QuantizeTolerance::maximumRange(int64_t scaleLine, int64_t block) const {
  bool isNanCounted = countsNan(reference_.rule.special);
  auto magnitude = [&](float value) {
    uint32_t bits = std::bit_cast<uint32_t>(value) & 0x7FFFFFFF;
    return bits <= 0x7F800000 || isNanCounted ? bits : 0;
  };
  std::pair<uint32_t, uint32_t> range;
  overBlock(scaleLine, block, [&](int64_t line, int64_t place) {
    Values values = valuesAt(line, place);
    auto [least, most] =
        std::minmax({magnitude(values.low), magnitude(values.high), magnitude(values.flushed)});
    if (values.low < 0 && values.high > 0) least = 0;
    range = {std::max(range.first, least), std::max(range.second, most)};
  });
  return range;
}

bool QuantizeTolerance::allowsScale(int64_t offset) const {
  ScalePlace place = scalePlace(layout_, offset, scaleLines_, blocks_);
  if (place.isPadding) return false;
  bool hasAnything = false;
  overBlock(place.row, place.block, [&](int64_t line, int64_t i) { hasAnything |= isAnywhere(line, i); });
  if (hasAnything) return true;
  auto [least, most] = maximumRange(place.row, place.block);
  const uint32_t found = loadScale(format_.scale, scales_, offset);
  if (most >= 0x7F800000) {
    if (found == blockScale(most, reference_.rule).code) return true;
    if (least >= 0x7F800000) return false;
    most = least;
  }
  if (reference_.rule.special == Special::UnitScale && least == 0) { // zeros' scale is no small one
    if (found == blockScale(0, reference_.rule).code) return true;
    least = 1;
  }
  double largest = std::numeric_limits<float>::max();
  auto codeOf = [&](uint32_t bits, double factor) {
    double value = std::min(std::bit_cast<float>(bits) * factor, largest);
    return blockScale(std::bit_cast<uint32_t>(static_cast<float>(value)), reference_.rule).code;
  };
  auto isWithin = [&](double factor) {
    return found >= codeOf(least, factor * (1 - kScaleTolerance)) &&
           found <= codeOf(most, factor * (1 + kScaleTolerance));
  };
  return isWithin(1) || (reference_.rule.isFourOverSix && isWithin(kFourOverSixFactor));
}

/// Distance of neighbouring values of the format at `value` (both sides of it, short of a binade's edge).
static double stepAt(const ElementFormatInfo &element, double value) {
  int smallestExponent = 2 - (1 << (element.exponentBits - 1)); // of the normal values
  int exponent = value == 0 ? smallestExponent : std::max(std::ilogb(value), smallestExponent);
  return std::ldexp(1.0, exponent - element.mantissaBits);
}

bool QuantizeTolerance::allowsCode(int64_t index) const {
  auto [line, place] = shape_.placeOf(index);
  if (line < 0 || place < 0) return false;
  if (isAnywhere(line, place)) return true;
  const uint32_t scale = loadScale(
      format_.scale, scales_,
      scaleOffset(layout_, line / format_.blockRows, place / format_.blockColumns, scaleLines_, blocks_));
  auto [low, high, flushed] = valuesAt(line, place);
  uint8_t code = codes_[static_cast<size_t>(index)];
  return allowsCode(low, high, scale, code) || allowsCode(flushed, flushed, scale, code);
}

bool QuantizeTolerance::allowsCode(float low, float high, uint32_t scale, uint8_t code) const {
  const ElementFormatInfo &element = info(format_.element);
  const bool isNan = scale == info(format_.scale).nan;
  // NaN's is the rule's; a quotient's differs from it in the last places.
  const float multiplier = isNan ? blockScale(kNanBits, reference_.rule).multiplier
                                 : blockMultiplier(format_.scale, scale, usedTensorScale(reference_.rule));
  const float found = decode(element.format, code);
  if (!std::isfinite(low) || isNan) return code == encode(element.format, low * multiplier);
  auto scaled = [&](float value) {
    return std::clamp<double>(double(value) * multiplier, -element.maxFinite, element.maxFinite);
  };
  double nearest = std::isnan(found) ? scaled(low) : std::clamp<double>(found, scaled(low), scaled(high));
  const double reach = reference_.rule.random ? 1 : 0.5; // steps
  return std::abs(found - nearest) <=
         reach * stepAt(element, nearest) + kElementTolerance * std::abs(nearest);
}

namespace {

class QuantizedOutputs : public OutputTolerance {
public:
  void add(const ToleratedCopy &copy, QuantizeTolerance tolerance) {
    copies_.push_back({copy.data, copy.scales, std::move(tolerance)});
  }
  bool allows(const std::string &name, int64_t element) const override {
    for (const Copy &copy : copies_) {
      if (name == copy.data) return copy.tolerance.allowsCode(element);
      if (name == copy.scales) return copy.tolerance.allowsScale(element);
    }
    for (const Bounded &output : bounded_)
      if (name == output.name) return output.allows(element);
    return false;
  }
  /// An output of f32, each within its bound of what is expected.
  struct Bounded {
    std::string name;
    const std::vector<double> &bounds;
    const uint8_t *expected, *found;

    bool allows(int64_t element) const {
      double e = loadFloat(FloatType::F32, expected, element), f = loadFloat(FloatType::F32, found, element);
      if (std::isnan(e) || std::isnan(f)) return std::isnan(e) && std::isnan(f);
      return std::abs(e - f) <= bounds[static_cast<size_t>(element)];
    }
  };
  void add(Bounded output) { bounded_.push_back(std::move(output)); }

private:
  struct Copy {
    std::string data, scales;
    QuantizeTolerance tolerance;
  };
  std::vector<Copy> copies_;
  std::vector<Bounded> bounded_;
};

} // namespace

ToleranceRule quantizeTolerance(std::vector<ToleratedCopy> copies,
                                std::map<std::string, std::vector<double>> bounds) {
  return {"the tolerance of an inexact prologue",
          [copies = std::move(copies),
           bounds = std::make_shared<std::map<std::string, std::vector<double>>>(std::move(bounds))](
              const KernelReference &reference, const HostTensors &found) {
            auto bytesOf = [&](const std::string &name) {
              return reinterpret_cast<const uint8_t *>(found.find(name)->second.data());
            };
            auto outputs = std::make_unique<QuantizedOutputs>();
            for (const ToleratedCopy &copy : copies)
              outputs->add(copy, QuantizeTolerance(copy.values ? *copy.values : reference, copy.shape,
                                                   copy.layout, bytesOf(copy.data), bytesOf(copy.scales)));
            for (const auto &[name, bound] : *bounds)
              outputs->add({name, bound, reference.outputs.find(name)->second.data(), bytesOf(name)});
            return outputs;
          }};
}

} // namespace mxc
