#include "runtime/simulator/instructions/TensorMultiply.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace mxc::sim {

namespace {

constexpr uint32_t kCellsOfARow = 8; // in tensor memory: K is 32 bytes in all kinds

uint32_t elementBits(const uint8_t *chunk, uint32_t index, uint32_t width) {
  uint32_t bit = index * width, value = 0;
  uint32_t bytes = (bit % 8 + width + 7) / 8;
  std::memcpy(&value, chunk + bit / 8, bytes);
  return value >> bit % 8 & (width == 32 ? ~0u : (1u << width) - 1);
}

[[noreturn]] void failUnwritten(const char *what, uint32_t lane, uint32_t column) {
  throw FaultError(FaultKind::Unwritten, Finding::Unwritten,
                   std::string("tcgen05.mma reads ") + what + " at lane " + std::to_string(lane) +
                       ", column " + std::to_string(column) + " of tensor memory, which nothing has written");
}

void requireWritten(TensorMemory &tensor, const char *what, uint32_t lane, uint32_t column,
                    uint32_t columns) {
  const uint8_t *written = tensor.writtenRow(lane, column);
  if (const void *hole = std::memchr(written, 0, columns))
    failUnwritten(what, lane, column + uint32_t(static_cast<const uint8_t *>(hole) - written));
}

uint32_t scaledDown(uint32_t bits, Accumulator accumulator, uint32_t exponent) {
  if (accumulator == Accumulator::F32)
    return __builtin_bit_cast(uint32_t, std::ldexp(__builtin_bit_cast(float, bits), -int(exponent)));
  auto half = _Float16(std::ldexp(float(__builtin_bit_cast(_Float16, uint16_t(bits))), -int(exponent)));
  return __builtin_bit_cast(uint16_t, half);
}

} // namespace

uint32_t TensorMultiply::parts() const {
  if (form.isWeightStationary) return 128 / shape.m;
  return form.isPair && shape.m == 128 ? 2 : 1;
}

uint32_t TensorMultiply::laneOf(uint32_t row, uint32_t part) const {
  if (parts() > 1) return row + part * rowsOfCta();
  if (rowsOfCta() == 64) return row / 16 * 32 + row % 16;
  return row;
}

/// The 48 bytes of K = 96 may go beyond a swizzled row: then the descriptor must say where they go on.
void TensorMultiply::checkRow(const SmemMatrix &matrix) const {
  const uint32_t bytes = shape.k * bitsOf(shape.a) / 8, first = matrix.start % matrix.span;
  if (matrix.isAbsolute && bytes != 48)
    throw FaultError(FaultKind::Illegal,
                     "an absolute leading-dimension address goes with 48 bytes of K, found " +
                         std::to_string(bytes));
  if (bytes == 48 && matrix.span > 16 && !matrix.isAbsolute && first + bytes > matrix.span)
    throw FaultError(FaultKind::Illegal, "48 bytes of K from byte " + std::to_string(first) +
                                             " of a row of " + std::to_string(matrix.span) +
                                             " need an absolute leading-dimension address");
}

void TensorMultiply::checkAddresses() const {
  if (shape.k == 96 && isAInTensorMemory)
    throw FaultError(FaultKind::Illegal, "A in tensor memory with K = 96 is not modelled");
  if (!isAInTensorMemory) checkRow(a);
  checkRow(b);
  bool isHalf = parts() == 1 && rowsOfCta() == 64;
  auto check = [&](uint32_t address, const char *what) {
    uint32_t lane = tensorLane(address);
    if (lane == 0 || (isHalf && lane == 16)) return;
    throw FaultError(FaultKind::TensorMemory, std::string("tcgen05.mma: the lane of ") + what +
                                                  "'s address must be 0" + (isHalf ? " or 16" : "") +
                                                  ", found " + std::to_string(lane));
  };
  check(dAddress, "D");
  if (isAInTensorMemory) check(aAddress, "A");
  uint32_t shift = uint32_t(zeroColumns >> 56 & 63);
  if (zeroColumns & (uint64_t(7) << 36 | uint64_t(3) << 62))
    throw FaultError(FaultKind::Illegal, "reserved bits of a zero-column mask descriptor are set");
  if (shift > (shape.m == 32 ? 16u : 32u) || shift > shape.maximumShift)
    throw FaultError(FaultKind::Illegal, "a column shift of " + std::to_string(shift) +
                                             "; the instruction descriptor's bits 30 and 31 allow " +
                                             std::to_string(shape.maximumShift));
}

std::vector<TensorUse> TensorMultiply::uses() const {
  std::vector<TensorUse> uses;
  bool isHalf = parts() == 1 && rowsOfCta() == 64;
  auto add = [&](const Cta &cta, uint32_t address, uint32_t columns, const char *what, bool writes) {
    TensorRegion region{0, TensorMemory::kLanes, tensorColumn(address), columns};
    if (isHalf) region.lane = tensorLane(address), region.lanes = 112; // 16 of every 32, from lane 0 or 16
    uses.push_back({cta.rank, region, writes, what});
  };
  for (uint32_t index = 0; index < group.count; ++index) {
    const Cta &cta = *group.ctas[index];
    add(cta, dAddress, columnsOfPart(), "D of tcgen05.mma", true);
    if (isAInTensorMemory) add(cta, aAddress, kCellsOfARow, "A of tcgen05.mma", false);
    if (!isBlockScaled(form.kind)) continue;
    for (uint32_t word = 0; word < scaleWords(shape.aScaleId); ++word)
      add(cta, aScales + word * scaleStride(true), (rowsOfCta() + 31) / 32, "the scales of A", false);
    for (uint32_t word = 0; word < scaleWords(shape.bScaleId); ++word)
      add(cta, bScales + word * scaleStride(false), (columnsOfPart() + 31) / 32, "the scales of B", false);
  }
  return uses;
}

/// The mask has a part of its own for each part of D. Spans of used and of zero columns alternate; "start
/// count" columns of the first one are skipped.
std::optional<uint32_t> TensorMultiply::sourceColumn(uint32_t n) const {
  uint32_t part = n / columnsOfPart();
  if (zeroColumns >> 39 & 1) {
    uint32_t start = uint32_t(zeroColumns >> 8 * part & 0xFF);
    bool beginsWithZeros = zeroColumns >> (32 + part) & 1;
    uint32_t zeros = uint32_t(zeroColumns >> 40 & 0xFF) + 1, used = uint32_t(zeroColumns >> 48 & 0xFF) + 1;
    start = std::min(start, (beginsWithZeros ? zeros : used) - 1);
    uint32_t position = (n % columnsOfPart() + start) % (zeros + used);
    if (beginsWithZeros ? position < zeros : position >= used) return std::nullopt;
  }
  return n + uint32_t(zeroColumns >> 56 & 63);
}

/// 4- and 6-bit elements of kind::f8f6f4 and mxf8f6f4 lie 16 in 16 bytes, those of the other kinds are dense.
uint32_t TensorMultiply::elementsOfChunk(Element element) const {
  return bitsOf(element) < 8 && shape.k == 32 ? 16 : 128 / bitsOf(element);
}

void TensorMultiply::loadShared(const Cta &cta, const SmemMatrix &matrix, bool isTransposed, Element element,
                                uint32_t row, uint32_t toRow, DotOperand &to) const {
  uint32_t perChunk = elementsOfChunk(element);
  if (!isTransposed) {
    for (uint32_t chunk = 0; chunk * perChunk < shape.k; ++chunk)
      to.setPacked(int(toRow), int(chunk * perChunk), chunkBytes(cta, matrix.kMajor(row, chunk)),
                   int(perChunk), false);
    return;
  }
  for (uint32_t k = 0; k < shape.k; ++k) {
    const uint8_t *chunk = chunkBytes(cta, matrix.rowMajor(row / perChunk, k));
    to.set(int(toRow), int(k), elementBits(chunk, row % perChunk, bitsOf(element)));
  }
}

void TensorMultiply::loadA(Cta &cta, uint32_t part, DotOperand &to) const {
  uint32_t rows = rowsOfCta();
  to.reset(model, shape.a, int(rows), int(shape.k));
  for (uint32_t row = 0; row < rows; ++row) {
    if (!isAInTensorMemory) {
      loadShared(cta, a, shape.isATransposed, shape.a, row, row, to);
      continue;
    }
    uint32_t source = shiftsA ? std::min(row + 1, rows - 1) : row;
    uint32_t lane = laneOf(source, part) + tensorLane(aAddress), column = tensorColumn(aAddress);
    if (checksWritten) requireWritten(cta.tensor, "A", lane, column, kCellsOfARow);
    uint8_t bytes[4 * kCellsOfARow];
    std::memcpy(bytes, cta.tensor.row(lane, column), sizeof bytes);
    // In tensor memory elements of 4 and 6 bits have a byte each: 6 bits the low ones, 4 bits those in the
    // middle.
    uint32_t width = bitsOf(shape.a);
    bool isPadded = width < 8 && shape.k == 32;
    for (uint8_t &byte : bytes)
      if (isPadded) byte = width == 4 ? byte >> 2 & 0xF : byte & 0x3F;
    to.setPacked(int(row), 0, bytes, int(shape.k), isPadded);
  }
  if (shape.isANegated) to.negate();
}

void TensorMultiply::loadB(uint32_t part, DotOperand &to) const {
  static constexpr uint8_t kZeros[16] = {};
  uint32_t columns = columnsOfPart(), columnsOfCta = shape.n / group.count,
           perChunk = elementsOfChunk(shape.b);
  to.reset(model, shape.b, int(columns), int(shape.k));
  for (uint32_t i = 0; i < columns; ++i) {
    uint32_t n = part * columns + i;
    if (std::optional<uint32_t> source = sourceColumn(n)) {
      uint32_t index = group.count == 1 ? 0 : n / columnsOfCta;
      loadShared(*group.ctas[index], b, shape.isBTransposed, shape.b, *source - index * columnsOfCta, i, to);
    } else {
      for (uint32_t k = 0; k < shape.k; k += perChunk)
        to.setPacked(int(i), int(k), kZeros, int(perChunk), false);
    }
  }
  if (shape.isBNegated) to.negate();
}

uint32_t TensorMultiply::scaleWords(uint32_t id) const { return (id + shape.scalesPerRow + 3) / 4; }

/// K = 96 takes scales out of two words. The next word of all rows lies after the words of as many rows as
/// whole tiles of 128 have, as CUTLASS places them (docs/simulator.md).
uint32_t TensorMultiply::scaleStride(bool isA) const {
  const uint32_t rows = isA ? rowsOfCta() : shape.n;
  return (rows + 127) / 128 * 4 / (isA ? 1 : parts());
}

/// PTX ISA 9.7.16.10.7: the scales of 32 rows are a column, which every 32 lanes hold. With two parts each
/// has its own in the lanes of its rows.
void TensorMultiply::loadScales(Cta &cta, uint32_t part, bool isA, DotOperand &to) const {
  const uint32_t scales = shape.scalesPerRow, elements = shape.k / scales;
  const uint32_t first = tensorColumn(isA ? aScales : bScales), id = isA ? shape.aScaleId : shape.bScaleId;
  const uint32_t lanesOfPart = TensorMemory::kLanes / parts(), firstLane = part * lanesOfPart;
  for (uint32_t row = 0; row < uint32_t(to.rows()); ++row) {
    const uint32_t lane = isA ? laneOf(row, part) / 32 * 32 + row % 32 : firstLane + row % 32;
    for (uint32_t index = 0; index < scaleWords(id); ++index) {
      const uint32_t column = first + row / 32 + index * scaleStride(isA);
      if (checksWritten) requireWritten(cta.tensor, isA ? "a scale of A" : "a scale of B", lane, column, 1);
      const uint32_t word = *cta.tensor.row(lane, column);
      uint32_t used = 0; // bytes of the word
      for (uint32_t byte = index ? 0 : id; byte < 4 && 4 * index + byte < id + scales; ++byte) {
        const uint32_t block = 4 * index + byte - id;
        to.setScale(int(row), int(block * elements), int(elements), shape.scaleType,
                    uint8_t(word >> 8 * byte));
        used |= 0xFFu << 8 * byte;
      }
      for (uint32_t copy = firstLane + row % 32; checksScales && copy < firstLane + lanesOfPart; copy += 32)
        if ((*cta.tensor.row(copy, column) ^ word) & used)
          throw FaultError(FaultKind::TensorMemory, Finding::ScaleCopies,
                           "tcgen05.mma: the scales in lanes " + std::to_string(lane) + " and " +
                               std::to_string(copy) + " of column " + std::to_string(column) +
                               " differ; every 32 lanes must hold a copy");
    }
  }
}

void TensorMultiply::loadD(Cta &cta, uint32_t part, uint32_t *tile) const {
  uint32_t columns = columnsOfPart(), column = tensorColumn(dAddress);
  for (uint32_t row = 0; row < rowsOfCta(); ++row, tile += columns) {
    uint32_t lane = laneOf(row, part) + tensorLane(dAddress);
    if (checksWritten) requireWritten(cta.tensor, "D", lane, column, columns);
    std::copy_n(cta.tensor.row(lane, column), columns, tile);
    for (uint32_t n = 0; inputScale && n < columns; ++n)
      tile[n] = scaledDown(tile[n], shape.d, inputScale);
  }
}

void TensorMultiply::storeD(Cta &cta, uint32_t ctaIndex, uint32_t part, const uint32_t *tile) const {
  uint32_t columns = columnsOfPart(), column = tensorColumn(dAddress);
  for (uint32_t row = 0; row < rowsOfCta(); ++row, tile += columns) {
    uint32_t lane = laneOf(row, part) + tensorLane(dAddress);
    if (disabledLanes[ctaIndex * 4 + lane / 32] >> lane % 32 & 1) continue;
    std::copy_n(tile, columns, cta.tensor.row(lane, column));
    std::fill_n(cta.tensor.writtenRow(lane, column), columns, 1);
  }
}

void TensorMultiply::compute() const {
  thread_local DotOperand left, right;
  thread_local std::vector<uint32_t> tile;
  tile.resize(size_t(rowsOfCta()) * columnsOfPart());
  for (uint32_t index = 0; index < group.count; ++index)
    for (uint32_t part = 0; part < parts(); ++part) {
      Cta &cta = *group.ctas[index];
      loadA(cta, part, left);
      loadB(part, right);
      if (isBlockScaled(form.kind)) {
        loadScales(cta, part, true, left);
        loadScales(cta, part, false, right);
      }
      if (readsD) loadD(cta, part, tile.data());
      accumulate(model, left, right, tile.data(), columnsOfPart(), readsD);
      storeD(cta, index, part, tile.data());
    }
}

} // namespace mxc::sim
