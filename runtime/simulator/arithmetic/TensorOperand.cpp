// Operands of a tensor-core instruction, decoded to significands and exponents.
#include "runtime/simulator/arithmetic/TensorDot.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace mxc::sim {
namespace {

enum class Specials : uint8_t { None, NaNOnly, Ieee }; // what the largest exponent holds

struct Format { // PTX ISA 5.2.3, "Alternate Floating-Point Data Formats"
  std::string_view name;
  Element element;
  uint8_t bits, exponentBits, fractionBits;
  Specials specials;
};
constexpr Format kFormats[] = {
    {"f16", Element::F16, 16, 5, 10, Specials::Ieee},   {"bf16", Element::BF16, 16, 8, 7, Specials::Ieee},
    {"tf32", Element::TF32, 32, 8, 10, Specials::Ieee}, {"e4m3", Element::E4M3, 8, 4, 3, Specials::NaNOnly},
    {"e5m2", Element::E5M2, 8, 5, 2, Specials::Ieee},   {"e2m3", Element::E2M3, 6, 2, 3, Specials::None},
    {"e3m2", Element::E3M2, 6, 3, 2, Specials::None},   {"e2m1", Element::E2M1, 4, 2, 1, Specials::None},
    {"s8", Element::S8, 8, 0, 0, Specials::None},       {"u8", Element::U8, 8, 0, 0, Specials::None},
    {"s4", Element::S4, 4, 0, 0, Specials::None},       {"u4", Element::U4, 4, 0, 0, Specials::None},
    {"b1", Element::B1, 1, 0, 0, Specials::None},
};
constexpr const Format &formatOf(Element element) { return kFormats[size_t(element)]; }

struct Decoded {
  int16_t significand = 0, exponent = DotOperand::kZeroExponent;
  uint8_t special = DotOperand::kFinite;
};

Decoded decodeInteger(Element element, uint32_t bits) {
  switch (element) {
  case Element::S8:
    return {int8_t(bits), 0, 0};
  case Element::U8:
    return {uint8_t(bits), 0, 0};
  case Element::S4:
    return {int16_t(int32_t(bits << 28) >> 28), 0, 0};
  case Element::U4:
    return {int16_t(bits & 15), 0, 0};
  default:
    return {int16_t(bits & 1), 0, 0};
  }
}

/// The significand is not normalised: a subnormal number keeps the smallest exponent, and so weighs more in
/// the alignment than its value, unless the unit computes with f16 (isHalf), in which e4m3's subnormal
/// numbers are normal.
Decoded decodeFloat(const Format &format, uint32_t bits, bool isHalf) {
  uint32_t fractionBits = format.fractionBits;
  uint32_t fraction = bits & ((1u << fractionBits) - 1);
  uint32_t largest = (1u << format.exponentBits) - 1, exponent = bits >> fractionBits & largest;
  bool isNegative = bits >> (fractionBits + format.exponentBits) & 1;
  int bias = int(largest >> 1);
  if (exponent == largest && format.specials == Specials::Ieee)
    return {0, DotOperand::kZeroExponent,
            uint8_t(fraction     ? DotOperand::kNaN
                    : isNegative ? DotOperand::kMinusInfinite
                                 : DotOperand::kInfinite)};
  if (exponent == largest && format.specials == Specials::NaNOnly && fraction == (1u << fractionBits) - 1)
    return {0, DotOperand::kZeroExponent, DotOperand::kNaN};
  if (exponent == 0 && fraction == 0) return {};
  int value = int(fraction), power = 1 - bias;
  if (exponent) value |= 1 << fractionBits, power = int(exponent) - bias;
  constexpr int kSmallestHalf = -14;
  if (isHalf)
    for (; !(value >> fractionBits) && power > kSmallestHalf; --power)
      value <<= 1;
  return {int16_t(isNegative ? -value : value), int16_t(power), DotOperand::kFinite};
}

/// mxf4's products are summed as integers: halves.
Decoded decodeE2M1AsInteger(uint32_t bits) {
  constexpr int16_t kHalves[] = {0, 1, 2, 3, 4, 6, 8, 12};
  return {int16_t(bits & 8 ? -kHalves[bits & 7] : kHalves[bits & 7]), 0, DotOperand::kFinite};
}

struct TableSet { // of the types of at most 8 bits
  std::array<std::array<Decoded, 256>, std::size(kFormats)> plain, half;
  std::array<Decoded, 256> fourBitIntegers;
  TableSet() {
    for (const Format &format : kFormats)
      for (uint32_t bits = 0; bits < 256 && format.bits <= 8; ++bits) {
        size_t element = size_t(format.element);
        uint32_t own = bits & ((1u << format.bits) - 1);
        plain[element][bits] =
            isInteger(format.element) ? decodeInteger(format.element, own) : decodeFloat(format, own, false);
        half[element][bits] =
            isInteger(format.element) ? plain[element][bits] : decodeFloat(format, own, true);
      }
    for (uint32_t bits = 0; bits < 256; ++bits)
      fourBitIntegers[bits] = decodeE2M1AsInteger(bits & 15);
  }
};
const TableSet &tables() {
  static const TableSet set;
  return set;
}

const Decoded *tableOf(Element element, bool isGrouped, bool isHalf) {
  if (isGrouped) return tables().fourBitIntegers.data();
  return (isHalf ? tables().half : tables().plain)[size_t(element)].data();
}

/// Normal numbers and zeros of the wide types at once, the rest as every format.
template <Element element> Decoded decodeWide(uint32_t bits) {
  constexpr const Format &kFormat = formatOf(element);
  constexpr uint32_t kLargest = (1u << kFormat.exponentBits) - 1, kOne = 1u << kFormat.fractionBits;
  if (element == Element::TF32) bits >>= 13;
  uint32_t field = bits >> kFormat.fractionBits & kLargest;
  if (!(bits & (kOne * (kLargest + 1) - 1))) return {};
  if (field - 1 >= kLargest - 1) return decodeFloat(kFormat, bits, false);
  int value = int(kOne | (bits & (kOne - 1)));
  bool isNegative = bits >> (kFormat.exponentBits + kFormat.fractionBits) & 1;
  return {int16_t(isNegative ? -value : value), int16_t(int(field) - int(kLargest >> 1)),
          DotOperand::kFinite};
}

Decoded decodeWide(Element element, uint32_t bits) {
  switch (element) {
  case Element::F16:
    return decodeWide<Element::F16>(bits);
  case Element::BF16:
    return decodeWide<Element::BF16>(bits);
  default:
    return decodeWide<Element::TF32>(bits);
  }
}

} // namespace

std::optional<Element> elementNamed(std::string_view name) {
  for (const Format &format : kFormats)
    if (format.name == name) return format.element;
  return std::nullopt;
}

uint32_t bitsOf(Element element) { return formatOf(element).bits; }

bool isInteger(Element element) { return formatOf(element).exponentBits == 0; }

void DotOperand::reset(const DotModel &model, Element element, int rows, int k) {
  element_ = element, rows_ = rows, k_ = k;
  isGrouped_ = model.rule == DotModel::Rule::Groups;
  isHalf_ = model.rule == DotModel::Rule::TwoHalves;
  stride = (rows + 7) / 8 * 8;
  fractionBits = formatOf(element).fractionBits;
  size_t size = size_t(stride) * size_t(k);
  significands.resize(size), exponents.resize(size);
  if (stride != rows) { // the padding takes part in the arithmetic
    std::fill(significands.begin(), significands.end(), int16_t(0));
    std::fill(exponents.begin(), exponents.end(), kZeroExponent);
  }
  size_t groups = isGrouped_ ? size_t(k) / kGroup : 1;
  scaleExponents.assign(groups * size_t(stride), 0);
  scaleSignificands.assign(isGrouped_ ? groups * size_t(stride) : 0, 8);
  specials.clear();
  rowIsSpecial.assign(size_t(stride), 0);
}

void DotOperand::markSpecial(int row, int k, uint8_t special) {
  if (specials.empty()) specials.assign(significands.size(), kFinite);
  specials[size_t(k) * size_t(stride) + size_t(row)] = special;
  rowIsSpecial[size_t(row)] |= special;
}

void DotOperand::set(int row, int k, uint32_t bits) {
  Decoded decoded;
  if (formatOf(element_).bits > 8)
    decoded = decodeWide(element_, bits);
  else
    decoded = tableOf(element_, isGrouped_, isHalf_)[bits & 0xFF];
  size_t at = size_t(k) * size_t(stride) + size_t(row);
  significands[at] = decoded.significand, exponents[at] = decoded.exponent;
  if (decoded.special) markSpecial(row, k, decoded.special);
}

void DotOperand::setPacked(int row, int k, const void *bytes, int count, bool isPadded) {
  const auto *from = static_cast<const uint8_t *>(bytes);
  uint32_t width = formatOf(element_).bits;
  if (isPadded && !isInteger(element_) && width < 8) width = 8;
  if (width == 8) {
    const Decoded *table = tableOf(element_, isGrouped_, isHalf_);
    int16_t *significand = significands.data() + size_t(k) * size_t(stride) + size_t(row);
    int16_t *exponent = exponents.data() + size_t(k) * size_t(stride) + size_t(row);
    uint8_t special = 0;
    for (int i = 0; i < count; ++i, significand += stride, exponent += stride) {
      const Decoded &decoded = table[from[i]];
      *significand = decoded.significand, *exponent = decoded.exponent;
      special |= decoded.special;
    }
    for (int i = 0; special && i < count; ++i)
      if (table[from[i]].special) markSpecial(row, k + i, table[from[i]].special);
    return;
  }
  for (int i = 0; i < count; ++i) {
    uint32_t bits = 0;
    if (width >= 16)
      std::memcpy(&bits, from + size_t(i) * (width / 8), width / 8);
    else { // 6-bit elements may lie across two bytes
      size_t bit = size_t(i) * width, byte = bit / 8;
      bits = from[byte];
      if (bit % 8 + width > 8) bits |= uint32_t(from[byte + 1]) << 8;
      bits = bits >> bit % 8 & ((1u << width) - 1);
    }
    set(row, k + i, bits);
  }
}

void DotOperand::setScale(int row, int first, int count, ScaleType type, uint8_t bits) {
  int exponent = int(bits) - 127, significand = 8;
  bool isNaN = bits == 0xFF;
  if (type == ScaleType::UE4M3) { // e4m3 without its sign
    int field = bits >> 3 & 15, fraction = bits & 7;
    isNaN = (bits & 0x7F) == 0x7F;
    exponent = field ? field - 7 : -6;
    significand = field ? 8 + fraction : fraction;
  }
  if (isNaN) rowIsSpecial[size_t(row)] |= kNaN;
  int groups = isGrouped_ ? count / kGroup : 1, group = isGrouped_ ? first / kGroup : 0;
  for (int end = group + groups; group < end; ++group) {
    size_t at = size_t(group) * size_t(stride) + size_t(row);
    scaleExponents[at] = int16_t(exponent);
    if (isGrouped_) scaleSignificands[at] = int8_t(significand);
  }
}

void DotOperand::negate() {
  for (int16_t &significand : significands)
    significand = int16_t(-significand);
  for (uint8_t &special : specials)
    if (special & (kInfinite | kMinusInfinite)) special ^= kInfinite | kMinusInfinite;
}

} // namespace mxc::sim
