#include "runtime/jit/ShapeBucket.h"

#include "dialect/formats/Error.h"

#include <bit>
#include <charconv>

namespace mxc {

static constexpr int64_t kMostSize = int64_t(1) << 62;

ShapeBucket ShapeBucket::of(const Dimensions &dimensions) {
  ShapeBucket bucket;
  for (const auto &[name, size] : dimensions) {
    if (size < 1 || size > kMostSize)
      throw Error(ErrorKind::InvalidInput, "dimension " + name + " = " + std::to_string(size) +
                                               ": expected a size from 1 to 2^62" +
                                               (size < 1 ? ", there is nothing to tune" : ""));
    bucket.upper_[name] = static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(size)));
  }
  return bucket;
}

std::string ShapeBucket::text() const {
  std::string text;
  for (const auto &[name, upper] : upper_)
    text += (text.empty() ? "" : ", ") + name + " <= " + std::to_string(upper);
  return text;
}

std::optional<ShapeBucket> ShapeBucket::parse(std::string_view text) {
  ShapeBucket bucket;
  while (!text.empty()) {
    const std::string_view entry = text.substr(0, text.find(", "));
    const size_t sign = entry.find(" <= ");
    if (sign == entry.npos || sign == 0) return std::nullopt;
    const char *begin = entry.data() + sign + 4, *end = entry.data() + entry.size();
    int64_t upper = 0;
    auto [stop, error] = std::from_chars(begin, end, upper);
    if (error != std::errc() || stop != end || upper < 1 || upper > kMostSize ||
        !std::has_single_bit(static_cast<uint64_t>(upper)))
      return std::nullopt;
    bucket.upper_[std::string(entry.substr(0, sign))] = upper;
    text.remove_prefix(std::min(text.size(), entry.size() + 2));
  }
  return bucket;
}

ShapeExpression ShapeBucket::condition() const {
  std::string text;
  for (const auto &[name, upper] : upper_)
    text += (text.empty() ? "" : " && ") + name + " > " + std::to_string(upper / 2) + " && " + name +
            " <= " + std::to_string(upper);
  return ShapeExpression(text);
}

} // namespace mxc
