#include "runtime/device/TensorView.h"

#include "dialect/formats/Error.h"
#include "dialect/formats/PackedCodes.h"
#include "runtime/device/ElementTypes.h"

#include <algorithm>

namespace mxc {

bool TensorView::isEmpty() const { return std::find(shape.begin(), shape.end(), 0) != shape.end(); }

std::string shapeText(std::span<const int64_t> shape) {
  std::string text = "[";
  for (int64_t size : shape)
    text += (text.size() > 1 ? ", " : "") + std::to_string(size);
  return text + "]";
}

static Error invalid(const std::string &message) { return Error(ErrorKind::InvalidInput, message); }

int64_t extentBytes(const TensorView &view) {
  const ElementType *type = elementTypeNamed(view.type);
  if (!type) throw invalid("unknown element type '" + view.type + "'");
  if (!view.strides.empty() && view.strides.size() != view.shape.size())
    throw invalid("strides " + shapeText(view.strides) + " do not belong to shape " + shapeText(view.shape));
  auto isNegative = [](int64_t value) { return value < 0; };
  if (std::any_of(view.shape.begin(), view.shape.end(), isNegative))
    throw invalid("negative size in shape " + shapeText(view.shape));
  if (std::any_of(view.strides.begin(), view.strides.end(), isNegative))
    throw invalid("negative stride in " + shapeText(view.strides));
  if (std::optional<int64_t> bytes = extentBytes(view.shape, view.strides, type->bits)) return *bytes;
  throw invalid("shape " + shapeText(view.shape) +
                (view.strides.empty() ? "" : " with strides " + shapeText(view.strides)) + " of " +
                view.type + " exceeds 2^63-1 bits");
}

std::optional<int64_t> extentBytes(std::span<const int64_t> shape, std::span<const int64_t> strides,
                                   int bits) {
  if (std::ranges::find(shape, 0) != shape.end()) return 0;
  bool overflows = false;
  int64_t elements = 1; // up to and including the last one
  if (strides.empty()) {
    for (int64_t size : shape)
      overflows |= __builtin_mul_overflow(elements, size, &elements);
  } else {
    for (size_t i = 0; i < shape.size(); ++i) {
      int64_t reach = 0;
      overflows |= __builtin_mul_overflow(shape[i] - 1, strides[i], &reach);
      overflows |= __builtin_add_overflow(elements, reach, &elements);
    }
  }
  int64_t allBits = 0;
  overflows |= __builtin_mul_overflow(elements, static_cast<int64_t>(bits), &allBits);
  if (overflows) return std::nullopt;
  return storageBytes(1, allBits);
}

} // namespace mxc
