#include "runtime/launch/GuardedTensor.h"

#include "runtime/device/ElementTypes.h"

#include <algorithm>
#include <cstring>
#include <limits>

namespace mxc {

static constexpr std::byte kPoison{0xA5}; // flips the sign and high and low bits of any format

static std::byte guardByte(size_t place) { // of the buffer; 256 neighbours all differ
  return static_cast<std::byte>(place * 0x9D + (place >> 8));
}

static std::vector<std::byte> guardBytes(size_t begin, size_t end) {
  std::vector<std::byte> bytes(end - begin);
  for (size_t i = begin; i < end; ++i)
    bytes[i - begin] = guardByte(i);
  return bytes;
}

static int bitsOf(const std::string &type) {
  if (const ElementType *known = elementTypeNamed(type)) return known->bits;
  throw Error(ErrorKind::InvalidInput, "unknown element type '" + type + "'");
}

static bool hasSeveralRows(const std::vector<int64_t> &shape) {
  return !shape.empty() && std::any_of(shape.begin(), shape.end() - 1, [](int64_t size) { return size > 1; });
}

/// Elements below 8 bits begin at whole bytes, in each row and after an offset.
static Placement requireWholeBytes(const std::string &type, Placement placement, bool hasRows) {
  for (int64_t elements : {hasRows ? placement.rowStride : 0, placement.offset})
    if (elements % 8 * bitsOf(type) % 8)
      throw Error(ErrorKind::InvalidInput, "a row or an offset of " + std::to_string(elements) + " " + type +
                                               " is not a whole number of bytes");
  return placement;
}

static Placement resolved(Placement placement, const std::vector<int64_t> &shape) {
  if (placement.rowStride == 0 && !shape.empty()) placement.rowStride = shape.back();
  if (placement.matrixRows == 0) placement.matrixRows = shape.size() < 2 ? 1 : shape[shape.size() - 2];
  return placement;
}

/// Rows and matrices are as far apart as `placement` says; everything else is contiguous. Where a stride does
/// not fit, the tensor is empty or extentBytes refuses it.
static std::vector<int64_t> stridesOf(const std::vector<int64_t> &shape, Placement placement) {
  std::vector<int64_t> strides(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;)
    if (i + 1 == shape.size())
      strides[i - 1] = placement.rowStride;
    else if (__builtin_mul_overflow(strides[i], i + 2 == shape.size() ? placement.matrixRows : shape[i],
                                    &strides[i - 1]))
      strides[i - 1] = std::numeric_limits<int64_t>::max();
  return strides;
}

static size_t bytesWithGuards(const std::string &type, const std::vector<int64_t> &shape, Placement placement,
                              size_t guard) {
  TensorView view{0, type, shape, stridesOf(shape, placement)};
  return 2 * guard + static_cast<size_t>(storageBytes(bitsOf(type), placement.offset)) +
         static_cast<size_t>(extentBytes(view));
}

GuardedTensor::GuardedTensor(const Device &device, const std::string &type, const std::vector<int64_t> &shape,
                             Placement placement)
    : type_(type), shape_(shape),
      placement_(requireWholeBytes(type, resolved(placement, shape), hasSeveralRows(shape))),
      bits_(bitsOf(type)), buffer_(device, bytesWithGuards(type, shape, placement_, kGuardBytes)) {
  size_t end = start() + extent();
  buffer_.upload(guardBytes(0, start()));
  buffer_.upload(guardBytes(end, buffer_.bytes()), end);
  upload(std::vector<std::byte>(elementsBytes(), kPoison));
}

size_t GuardedTensor::extent() const {
  return static_cast<size_t>(extentBytes({0, type_, shape_, view().strides}));
}

TensorView GuardedTensor::view() const {
  return {buffer_.address() + start(), type_, shape_, stridesOf(shape_, placement_)};
}

void GuardedTensor::upload(std::span<const std::byte> elements) {
  if (isContiguous()) return buffer_.upload(elements, start());
  std::vector<std::byte> spread = guardBytes(start(), start() + extent());
  for (int64_t row = 0; row < rows() && rowBytes(); ++row)
    std::memcpy(&spread[rowStart(row)], &elements[static_cast<size_t>(row) * rowBytes()], rowBytes());
  buffer_.upload(spread, start());
}

void GuardedTensor::poisonAgainst(std::span<const std::byte> expected, std::span<const uint8_t> untouched) {
  if (expected.size() != elementsBytes())
    throw Error(ErrorKind::InvalidInput, "expected " + std::to_string(elementsBytes()) +
                                             " bytes to poison against, found " +
                                             std::to_string(expected.size()));
  std::vector<std::byte> poison(expected.begin(), expected.end());
  for (size_t i = 0; i < poison.size(); ++i)
    if (untouched.empty() || !untouched[i]) poison[i] ^= kPoison;
  upload(poison);
}

std::vector<std::byte> GuardedTensor::download() const {
  std::vector<std::byte> spread(extent());
  buffer_.download(spread, start());
  if (isContiguous()) return spread;
  std::vector<std::byte> elements(elementsBytes());
  for (int64_t row = 0; row < rows() && rowBytes(); ++row)
    std::memcpy(&elements[static_cast<size_t>(row) * rowBytes()], &spread[rowStart(row)], rowBytes());
  return elements;
}

size_t GuardedTensor::rowStart(int64_t row) const {
  int64_t matrix = row / rowsOfMatrix(), within = row % rowsOfMatrix();
  return static_cast<size_t>(matrix * placement_.matrixRows + within) * strideBytes();
}

int64_t GuardedTensor::rows() const {
  int64_t rows = 1;
  for (size_t i = 0; i + 1 < shape_.size(); ++i)
    if (__builtin_mul_overflow(rows, shape_[i], &rows)) return 0; // of an empty one: any other has memory
  return rows;
}

std::optional<int64_t> GuardedTensor::firstDamage() const {
  std::vector<std::byte> piece;
  auto damaged = [&](size_t begin, size_t end, auto isGuard) -> std::optional<int64_t> {
    piece.resize(end - begin);
    buffer_.download(piece, begin);
    for (size_t i = 0; i < piece.size(); ++i)
      if (piece[i] != guardByte(begin + i) && isGuard(i))
        return static_cast<int64_t>(begin + i) - static_cast<int64_t>(start());
    return std::nullopt;
  };
  auto all = [](size_t) { return true; };
  size_t end = start() + extent();
  if (auto place = damaged(0, start(), all)) return place;
  if (auto place = damaged(end, buffer_.bytes(), all)) return place;
  if (isContiguous()) return std::nullopt;
  return damaged(start(), end, [&](size_t i) {
    int64_t row = static_cast<int64_t>(i / strideBytes());
    return i % strideBytes() >= rowBytes() || row % placement_.matrixRows >= rowsOfMatrix();
  });
}

} // namespace mxc
