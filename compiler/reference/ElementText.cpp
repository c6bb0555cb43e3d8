#include "compiler/reference/ElementText.h"

#include <cstdio>
#include <cstring>

namespace mxc {

static bool isScale(const AbiArgument &argument) { return argument.layout != ArgumentLayout::RowMajor; }

static bool isCount(const AbiArgument &argument) { return argument.type == "i64"; }

int64_t ElementText::elementBytes() const {
  if (isScale(argument_)) return info(scaleFormatOf(argument_)).bytes();
  if (elementFormatNamed(argument_.type)) return 1; // one code a byte
  if (isCount(argument_)) return sizeof(int64_t);
  return byteSize(floatTypeOf(argument_));
}

std::string ElementText::place(int64_t element) const {
  if (!isScale(argument_))
    return argument_.name + "(row " + std::to_string(element / extent_.columns) + ", column " +
           std::to_string(element % extent_.columns) + ")";
  ScalePlace place = scalePlace(scaleLayoutOf(argument_), element, extent_.rows, extent_.columns);
  if (place.isPadding)
    return argument_.name + " byte " + std::to_string(element * elementBytes()) + " (padding)";
  return argument_.name + "(row " + std::to_string(place.row) + ", block " + std::to_string(place.block) +
         ")";
}

std::string ElementText::value(const uint8_t *base, int64_t element) const {
  char text[64];
  if (isScale(argument_)) {
    const ScaleFormat format = scaleFormatOf(argument_);
    return scaleText(format, loadScale(format, base, element));
  } else if (auto format = elementFormatNamed(argument_.type)) {
    std::snprintf(text, sizeof text, "0x%02x (%.9g)", base[element], decode(*format, base[element]));
  } else if (isCount(argument_)) {
    int64_t count;
    std::memcpy(&count, base + element * int64_t(sizeof count), sizeof count);
    return std::to_string(count);
  } else {
    FloatType type = floatTypeOf(argument_);
    uint32_t bits = 0;
    for (int64_t i = 0; i < byteSize(type); ++i)
      bits |= uint32_t(base[element * byteSize(type) + i]) << (8 * i);
    std::snprintf(text, sizeof text, "0x%0*x (%.9g)", int(2 * byteSize(type)), bits,
                  loadFloat(type, base, element));
  }
  return text;
}

} // namespace mxc
