// Shapes that are tuned as one.
#pragma once

#include "compiler/abi/ShapeExpression.h"

#include <optional>
#include <string>
#include <string_view>

namespace mxc {

/// Each dimension lies between two powers of two: 513 to 1024. A kernel without dynamic dimensions has one
/// bucket, which names none.
class ShapeBucket {
public:
  ShapeBucket() = default;
  /// Throws mxc::Error (InvalidInput) unless all sizes lie from 1 to 2^62.
  static ShapeBucket of(const Dimensions &dimensions);

  /// "K <= 8192, M <= 1024".
  std::string text() const;
  static std::optional<ShapeBucket> parse(std::string_view text);

  /// Whether a shape lies in it, as the ABI's conditions say it; nothing where it names no dimension.
  ShapeExpression condition() const;

  bool operator==(const ShapeBucket &) const = default;
  bool operator<(const ShapeBucket &other) const { return upper_ < other.upper_; }

private:
  Dimensions upper_; // a power of two each
};

} // namespace mxc
