// A set of shapes that are tuned as one.
#pragma once

#include "compiler/abi/ShapeExpression.h"

#include <optional>
#include <string>
#include <string_view>

namespace mxc {

/// Each dimension lies between two powers of two, such as 513 to 1024. A kernel without dynamic dimensions
/// has one bucket, which names no dimension.
class ShapeBucket {
public:
  ShapeBucket() = default;
  /// Throws mxc::Error (InvalidInput) unless all sizes lie from 1 to 2^62.
  static ShapeBucket of(const Dimensions &dimensions);

  /// Returns its text: "K <= 8192, M <= 1024".
  std::string text() const;
  static std::optional<ShapeBucket> parse(std::string_view text);

  /// Returns whether a shape lies in it, as a condition of the ABI; nothing if it names no dimension.
  ShapeExpression condition() const;

  bool operator==(const ShapeBucket &) const = default;
  bool operator<(const ShapeBucket &other) const { return upper_ < other.upper_; }

private:
  Dimensions upper_; // a power of two each
};

} // namespace mxc
