#include "dialect/formats/ScaleLayout.h"

#include "dialect/formats/Error.h"

#include <array>
#include <cstring>
#include <stdexcept>

namespace mxc {
namespace {

constexpr std::array<std::string_view, 2> kNames = {"dense", "tcgen05"};

/// Never overflows, unlike (value + divisor - 1) / divisor.
constexpr int64_t ceilDiv(int64_t value, int64_t divisor) { return value / divisor + (value % divisor != 0); }

int64_t product(int64_t a, int64_t b) {
  int64_t result;
  if (__builtin_mul_overflow(a, b, &result))
    throw std::overflow_error("scale matrix too large: " + std::to_string(a) + " * " + std::to_string(b) +
                              " bytes do not fit in 63 bits");
  return result;
}

} // namespace

std::string_view name(ScaleLayout layout) { return kNames[size_t(layout)]; }

std::optional<ScaleLayout> scaleLayoutNamed(std::string_view name) {
  for (size_t i = 0; i < kNames.size(); ++i)
    if (kNames[i] == name) return ScaleLayout(i);
  return std::nullopt;
}

int64_t scaleOffset(ScaleLayout layout, int64_t row, int64_t block, int64_t blocks) {
  if (layout == ScaleLayout::Dense) return row * blocks + block;
  const int64_t tile = row / kScaleTileRows * ceilDiv(blocks, kScaleTileBlocks) + block / kScaleTileBlocks;
  return tile * kScaleTileBytes + row % 32 * 16 + row % kScaleTileRows / 32 * 4 + block % kScaleTileBlocks;
}

int64_t scaleBytes(ScaleLayout layout, int64_t rows, int64_t blocks) {
  if (rows < 0 || blocks < 0)
    throw Error(ErrorKind::InvalidInput, "scale matrix of " + std::to_string(rows) + " rows and " +
                                             std::to_string(blocks) + " blocks: sizes must not be negative");
  if (layout == ScaleLayout::Dense) return product(rows, blocks);
  return product(product(ceilDiv(rows, kScaleTileRows), ceilDiv(blocks, kScaleTileBlocks)), kScaleTileBytes);
}

void convertScales(ScaleLayout from, const uint8_t *source, ScaleLayout to, uint8_t *destination,
                   int64_t rows, int64_t blocks) {
  const int64_t bytes = scaleBytes(to, rows, blocks);
  if (bytes == 0) return; // null pointers are fine then
  std::memset(destination, 0, size_t(bytes));
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t block = 0; block < blocks; ++block)
      destination[scaleOffset(to, row, block, blocks)] = source[scaleOffset(from, row, block, blocks)];
}

std::string drawScaleTile() {
  std::array<std::string, kScaleTileBytes> cells;
  for (int64_t row = 0; row < kScaleTileRows; ++row)
    for (int64_t block = 0; block < kScaleTileBlocks; ++block)
      cells[size_t(scaleOffset(ScaleLayout::Tcgen05, row, block, kScaleTileBlocks))] =
          std::to_string(row) + "," + std::to_string(block);
  std::string drawing;
  for (size_t i = 0; i < cells.size(); ++i) {
    const bool lineEnds = i % 16 == 15;
    drawing += cells[i];
    if (!lineEnds) drawing.append(6 - cells[i].size(), ' ');
    if (lineEnds) drawing += '\n';
  }
  return drawing;
}

} // namespace mxc
