// Small integers in every element type of the tensor cores, by a table of their bits: sums of products stay
// exact.
#pragma once

#include "runtime/simulator/arithmetic/TensorDot.h"

#include <bit>
#include <cstdlib>

/// The bits of -2, -1, 0, 1 or 2 (0, 1 or 2 for unsigned types; 0 or 1 for bits).
inline uint32_t bitsOfSmall(mxc::sim::Element element, int value) {
  using mxc::sim::Element;
  auto with = [value](uint32_t one, uint32_t two, uint32_t sign) {
    uint32_t magnitude = value == 0 ? 0 : value == 1 || value == -1 ? one : two;
    return value < 0 ? magnitude | sign : magnitude;
  };
  switch (element) {
  case Element::F16:
    return with(0x3C00, 0x4000, 0x8000);
  case Element::BF16:
    return with(0x3F80, 0x4000, 0x8000);
  case Element::TF32:
    return with(0x3F800000, 0x40000000, 0x80000000);
  case Element::E4M3:
    return with(0x38, 0x40, 0x80);
  case Element::E5M2:
    return with(0x3C, 0x40, 0x80);
  case Element::E2M3:
    return with(0x08, 0x10, 0x20);
  case Element::E3M2:
    return with(0x0C, 0x10, 0x20);
  case Element::E2M1:
    return with(0x2, 0x4, 0x8);
  case Element::S8:
    return uint32_t(value) & 0xFF;
  case Element::S4:
    return uint32_t(value) & 0xF;
  default:
    return uint32_t(value);
  }
}

/// One that the type has, from a random number.
inline int smallNumber(mxc::sim::Element element, uint32_t random) {
  using mxc::sim::Element;
  if (element == Element::B1) return int(random % 2);
  if (element == Element::U8 || element == Element::U4) return int(random % 3);
  return int(random % 5) - 2;
}

/// The bits of a small sum in s32 ('i'), f32 ('f') or f16 ('h').
inline uint32_t accumulatorBits(char kind, int value) {
  if (kind == 'i') return uint32_t(value);
  if (kind == 'f') return std::bit_cast<uint32_t>(float(value));
  uint32_t magnitude = uint32_t(std::abs(value)), top = 31 - uint32_t(std::countl_zero(magnitude | 1));
  if (!magnitude) return 0;
  return (value < 0 ? 0x8000 : 0) | (15 + top) << 10 | ((magnitude << 10 >> top) & 0x3FF);
}
