// The value of a PTX number.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace mxc::sim::ptx {

/// PTX computes constants in 64 bits, signed unless a U or the size says otherwise (PTX ISA, "Integer
/// Constants").
struct Integer {
  int64_t bits = 0;
  bool isUnsigned = false;
};

/// 12, 017, 0x1F, 0b101, each with or without U; nothing where malformed or above 64 bits.
std::optional<Integer> integerOf(std::string_view text);

struct Float {
  bool isSingle = false; // 0f..: `bits` are those of an f32
  uint64_t bits = 0;
  double value() const;
};

/// Whether `text` is a float literal by its look: 0f.., 0d.., 1.5, 1e3.
bool looksLikeFloat(std::string_view text);
/// Nothing where malformed or out of range.
std::optional<Float> floatOf(std::string_view text);

} // namespace mxc::sim::ptx
