// Elements of an output in messages.
#pragma once

#include "compiler/reference/KernelReference.h"

namespace mxc {

class ElementText {
public:
  ElementText(const AbiArgument &argument, HostExtent extent) : argument_(argument), extent_(extent) {}

  int64_t elementBytes() const;
  std::string
  place(int64_t element) const; // "q(row 3, column 17)", "s(row 3, block 2)", "s byte 9 (padding)"
  std::string value(const uint8_t *base, int64_t element) const; // "0x7e (448)", "0x80 (2^1)"

private:
  const AbiArgument &argument_;
  HostExtent extent_;
};

} // namespace mxc
