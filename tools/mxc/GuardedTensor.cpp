#include "tools/mxc/GuardedTensor.h"

#include "runtime/ElementTypes.h"

#include <algorithm>
#include <cstring>

namespace mxc {

static constexpr std::byte kPoison{0xA5};

static size_t elementBytesOf(const std::string &type) {
  const ElementType *known = elementTypeNamed(type);
  if (!known || known->bits % 8)
    throw Error(ErrorKind::InvalidInput, "expected an element type of whole bytes, found '" + type + "'");
  return static_cast<size_t>(known->bits / 8);
}

static Placement resolved(Placement placement, const std::vector<int64_t> &shape) {
  if (placement.rowStride == 0 && !shape.empty()) placement.rowStride = shape.back();
  return placement;
}

/// Rows `rowStride` apart, everything else contiguous.
static std::vector<int64_t> stridesOf(const std::vector<int64_t> &shape, Placement placement) {
  std::vector<int64_t> strides(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;)
    strides[i - 1] = i + 1 == shape.size() ? placement.rowStride : strides[i] * shape[i];
  return strides;
}

static size_t bytesWithGuards(const std::string &type, const std::vector<int64_t> &shape, Placement placement,
                              size_t guard) {
  TensorView view{0, type, shape, stridesOf(shape, placement)};
  return 2 * guard + static_cast<size_t>(placement.offset) * elementBytesOf(type) +
         static_cast<size_t>(extentBytes(view));
}

GuardedTensor::GuardedTensor(const Device &device, const std::string &type, const std::vector<int64_t> &shape,
                             Placement placement)
    : type_(type), shape_(shape), placement_(resolved(placement, shape)), elementBytes_(elementBytesOf(type)),
      buffer_(device, bytesWithGuards(type, shape, placement_, kGuardBytes)) {
  buffer_.fill(static_cast<uint8_t>(kPoison));
}

size_t GuardedTensor::extent() const {
  return static_cast<size_t>(extentBytes({0, type_, shape_, view().strides}));
}

TensorView GuardedTensor::view() const {
  return {buffer_.address() + start(), type_, shape_, stridesOf(shape_, placement_)};
}

void GuardedTensor::upload(std::span<const std::byte> elements) {
  if (isContiguous()) return buffer_.upload(elements, start());
  std::vector<std::byte> spread(extent(), kPoison);
  for (size_t row = 0; row < static_cast<size_t>(rows()) && rowBytes(); ++row)
    std::memcpy(&spread[row * strideBytes()], &elements[row * rowBytes()], rowBytes());
  buffer_.upload(spread, start());
}

std::vector<std::byte> GuardedTensor::download() const {
  std::vector<std::byte> spread(extent());
  buffer_.download(spread, start());
  if (isContiguous()) return spread;
  std::vector<std::byte> elements(static_cast<size_t>(rows()) * rowBytes());
  for (size_t row = 0; row < static_cast<size_t>(rows()) && rowBytes(); ++row)
    std::memcpy(&elements[row * rowBytes()], &spread[row * strideBytes()], rowBytes());
  return elements;
}

int64_t GuardedTensor::rows() const {
  int64_t rows = 1;
  for (size_t i = 0; i + 1 < shape_.size(); ++i)
    rows *= shape_[i];
  return rows;
}

std::optional<int64_t> GuardedTensor::firstDamage() const {
  std::vector<std::byte> piece;
  auto damaged = [&](size_t begin, size_t end) -> std::optional<int64_t> {
    piece.resize(end - begin);
    buffer_.download(piece, begin);
    auto found = std::find_if(piece.begin(), piece.end(), [](std::byte byte) { return byte != kPoison; });
    if (found == piece.end()) return std::nullopt;
    return static_cast<int64_t>(begin) + (found - piece.begin()) - static_cast<int64_t>(start());
  };
  if (auto place = damaged(0, start())) return place;
  if (auto place = damaged(start() + extent(), buffer_.bytes())) return place;
  if (isContiguous()) return std::nullopt;
  std::vector<std::byte> spread(extent());
  buffer_.download(spread, start());
  for (size_t i = 0; i < spread.size(); ++i)
    if (i % strideBytes() >= rowBytes() && spread[i] != kPoison) return static_cast<int64_t>(i);
  return std::nullopt;
}

} // namespace mxc
