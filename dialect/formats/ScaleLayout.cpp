#include "dialect/formats/ScaleLayout.h"

#include "dialect/formats/Error.h"

#include <array>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace mxc {
namespace {

/// Never overflows, unlike (value + divisor - 1) / divisor.
constexpr int64_t ceilDiv(int64_t value, int64_t divisor) { return value / divisor + (value % divisor != 0); }

int64_t product(int64_t a, int64_t b) {
  int64_t result;
  if (__builtin_mul_overflow(a, b, &result))
    throw std::overflow_error("scale matrix too large: " + std::to_string(a) + " * " + std::to_string(b) +
                              " scales do not fit in 63 bits");
  return result;
}

} // namespace

std::string_view name(ScaleLayout layout) { return info(layout).name; }

std::optional<ScaleLayout> scaleLayoutNamed(std::string_view name) {
  for (const ScaleLayoutInfo &layout : scaleLayouts())
    if (layout.name == name) return layout.layout;
  return std::nullopt;
}

int64_t scaleOffset(ScaleLayout layout, int64_t row, int64_t block, int64_t rows, int64_t blocks) {
  const ScaleLayoutInfo &l = info(layout);
  const int64_t tileRow = row / l.tileRows, tileBlock = block / l.tileBlocks, inTile = row % l.tileRows;
  const int64_t tile = l.order == ScaleTileOrder::RowMajor
                           ? tileRow * ceilDiv(blocks, l.tileBlocks) + tileBlock
                           : tileBlock * ceilDiv(rows, l.tileRows) + tileRow;
  const int64_t lineScales = l.tileScales() / l.interleave;
  return tile * l.tileScales() + inTile % l.interleave * lineScales + inTile / l.interleave * l.tileBlocks +
         block % l.tileBlocks;
}

int64_t scaleCount(ScaleLayout layout, int64_t rows, int64_t blocks) {
  if (rows < 0 || blocks < 0)
    throw Error(ErrorKind::InvalidInput, "scale matrix of " + std::to_string(rows) + " rows and " +
                                             std::to_string(blocks) + " blocks: sizes must not be negative");
  const ScaleLayoutInfo &l = info(layout);
  return product(product(ceilDiv(rows, l.tileRows), ceilDiv(blocks, l.tileBlocks)), l.tileScales());
}

size_t storageRank(ScaleLayout layout, size_t rank) {
  return info(layout).storage == ScaleStorage::Tiles ? 1 : rank;
}

size_t storageShape(ScaleLayout layout, std::span<int64_t> shape) {
  const ScaleLayoutInfo &l = info(layout);
  int64_t &rows = shape[shape.size() - 2], &blocks = shape.back();
  switch (l.storage) {
  case ScaleStorage::Matrix:
    break;
  case ScaleStorage::Lines:
    rows = product(ceilDiv(rows, l.tileRows), l.tileRows * l.tileBlocks);
    blocks = ceilDiv(blocks, l.tileBlocks);
    std::swap(rows, blocks);
    break;
  case ScaleStorage::Rows:
    blocks = product(ceilDiv(blocks, l.tileBlocks), l.tileBlocks);
    break;
  case ScaleStorage::Tiles:
    int64_t scales = scaleCount(layout, rows, blocks);
    for (int64_t batch : shape.first(shape.size() - 2)) // one after the other
      scales = product(scales, batch);
    shape.front() = scales;
  }
  return storageRank(layout, shape.size());
}

std::string storageText(ScaleLayout layout, const std::string &shape) {
  const ScaleLayoutInfo &l = info(layout);
  switch (l.storage) {
  case ScaleStorage::Matrix:
    return shape;
  case ScaleStorage::Tiles:
    return "whole " + std::to_string(l.tileScales() * l.scaleBits / 8) + "-byte tiles of " + shape +
           " scales";
  case ScaleStorage::Rows:
    return "[rows, blocks up to a multiple of " + std::to_string(l.tileBlocks) + "] of " + shape + " scales";
  case ScaleStorage::Lines:
    break;
  }
  const std::string rows = "rows up to a multiple of " + std::to_string(l.tileRows),
                    blocks = std::to_string(l.tileBlocks);
  if (l.tileBlocks == 1) return "[blocks, " + rows + "] of " + shape + " scales";
  return "[ceil(blocks / " + blocks + "), " + blocks + " * " + rows + "] of " + shape + " scales";
}

ScalePlace scalePlace(ScaleLayout layout, int64_t offset, int64_t rows, int64_t blocks) {
  const ScaleLayoutInfo &l = info(layout);
  const int64_t tile = offset / l.tileScales(), inTile = offset % l.tileScales();
  const bool isRowMajor = l.order == ScaleTileOrder::RowMajor;
  const int64_t tilesInLine = isRowMajor ? ceilDiv(blocks, l.tileBlocks) : ceilDiv(rows, l.tileRows);
  const int64_t line = tile / tilesInLine, inLine = tile % tilesInLine;
  const int64_t lineScales = l.tileScales() / l.interleave;
  ScalePlace place;
  place.row = (isRowMajor ? line : inLine) * l.tileRows + inTile % lineScales / l.tileBlocks * l.interleave +
              inTile / lineScales;
  place.block = (isRowMajor ? inLine : line) * l.tileBlocks + inTile % l.tileBlocks;
  place.isPadding = place.row >= rows || place.block >= blocks;
  return place;
}

void convertScales(ScaleLayout from, const uint8_t *source, ScaleLayout to, uint8_t *destination,
                   int64_t rows, int64_t blocks, int bytes) {
  const int64_t size = product(scaleCount(to, rows, blocks), bytes);
  if (size == 0) return; // null pointers are fine then
  std::memset(destination, 0, size_t(size));
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t block = 0; block < blocks; ++block)
      std::memcpy(destination + scaleOffset(to, row, block, rows, blocks) * bytes,
                  source + scaleOffset(from, row, block, rows, blocks) * bytes, size_t(bytes));
}

std::string drawScaleTile() {
  constexpr ScaleLayoutInfo tile = info(ScaleLayout::Tcgen05);
  constexpr size_t lineScales = size_t(tile.tileScales() / tile.interleave);
  std::array<std::string, size_t(tile.tileScales())> cells;
  for (int64_t row = 0; row < tile.tileRows; ++row)
    for (int64_t block = 0; block < tile.tileBlocks; ++block)
      cells[size_t(scaleOffset(ScaleLayout::Tcgen05, row, block, tile.tileRows, tile.tileBlocks))] =
          std::to_string(row) + "," + std::to_string(block);
  std::string drawing;
  for (size_t i = 0; i < cells.size(); ++i) {
    const bool lineEnds = i % lineScales == lineScales - 1;
    drawing += cells[i];
    if (!lineEnds) drawing.append(6 - cells[i].size(), ' ');
    if (lineEnds) drawing += '\n';
  }
  return drawing;
}

} // namespace mxc
