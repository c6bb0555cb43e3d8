#include "compiler/lowering/quantize/LaneElements.h"
#include "compiler/lowering/entry/Branch.h"
#include "compiler/lowering/entry/ElementBytes.h"
#include "compiler/lowering/nvvm/Memory.h"
#include "compiler/lowering/nvvm/Vectors.h"

using namespace mlir;

namespace mxc {

int accessBytes(const Target &target, int64_t bytes) {
  return std::min<int64_t>(bytes & -bytes, target.maxVectorBytes);
}

Value loadRowValue(const ValueBuilder &v, Value values, Value row, Value isRow) {
  Value place = v.mul(v.select(isRow, row, v.i64(0)), 4);
  return nvvm::load(v, v.b.getF32Type(), nvvm::offsetBytes(v, values, place), 4);
}

Value elementValid(EntryFunction &entry, const TilePosition &at, int index) {
  ValueBuilder v = entry.values();
  return v.less(v.add(at.column, index), at.columnCount);
}

namespace {
// What is loaded and stored one by one: elements, or the bytes that hold those below 8 bits.
struct LaneUnits {
  Type type;
  int64_t bytes, count; // of a unit; of a lane's
  int64_t bits;         // of an element

  LaneUnits(OpBuilder &b, Type element, int64_t elements)
      : type(element), bytes(mx::storageBytes(element, 1)), count(elements),
        bits(element.getIntOrFloatBitWidth()) {
    if (isPacked()) type = b.getI8Type(), count = mx::storageBytes(element, elements);
  }
  bool isPacked() const { return bits % 8 != 0; }
  int64_t laneBytes() const { return bytes * count; }
  /// The first element of a lane's unit: with K6 the others lie in the row where it does.
  int firstElement(int unit) const { return isPacked() ? int(unit * 8 / bits) : unit; }
  /// The bytes that so many elements take, which are whole.
  Value bytesOf(const ValueBuilder &v, Value elements) const { return bytesOfElements(v, elements, bits); }
  /// Where a unit of the lane lies in its row.
  Value place(const ValueBuilder &v, const TilePosition &at, int unit) const {
    return isPacked() ? v.add(bytesOf(v, at.column), unit) : v.mul(v.add(at.column, unit), bytes);
  }
};

// The bytes from a row to the next, i64. Contiguous rows of 16-bit elements and less are shorter than 2^32
// where lanes count in 32 bits: said so, a row's offset is one multiplication.
Value rowBytes(EntryFunction &entry, const TilePosition &at, StringRef argument, const LaneUnits &units) {
  ValueBuilder v = entry.values();
  Value stride = entry.rowStride(argument);
  const bool isNarrow = at.columnCount.getType().isInteger(32) && units.bits <= 16;
  return v.toI64(units.bytesOf(v, isNarrow && stride == entry.columns() ? at.columnCount : stride));
}

// Where a lane's column lies in its row, i64; the same of 16-bit elements and less.
Value columnBytes(const ValueBuilder &v, Value column, const LaneUnits &units) {
  return v.toI64(units.bytesOf(v, units.bits <= 16 ? column : v.toI64(column)));
}
} // namespace

SmallVector<Value> loadLaneElements(EntryFunction &entry, const TilePosition &at, mx::QuantizeTileAttr tile,
                                    StringRef argument, Type element, const Target &target) {
  ValueBuilder v = entry.values();
  const LaneUnits units(v.b, element, tile.getLaneElements());
  Type type = VectorType::get(units.count, units.type);
  Value base = entry.pointer(argument), zero = v.i64(0), bytes = rowBytes(entry, at, argument, units);
  bool isGathered = !at.sources.empty();
  auto isThere = [&](unsigned j) { return isGathered ? at.sourceValid[j] : at.rowValid[j]; };
  auto offsetOf = [&](Value row) { return v.mul(v.toI64(row), bytes); };
  SmallVector<Value> rows;
  if (tile.getAccess() == mx::TileAccess::Vector) {
    // Out-of-range lanes read a valid place instead of branching: the last row, gathered the first; the row's
    // first elements.
    Value column = v.select(at.columnValid, at.column, v.like(at.column, 0));
    Value first = nvvm::offsetBytes(v, base, columnBytes(v, column, units));
    auto words = VectorType::get(units.laneBytes() / 4, v.b.getI32Type());
    for (unsigned j = 0; j < at.rows.size(); ++j) {
      Value row = isGathered ? v.select(at.sourceValid[j], offsetOf(at.sources[j]), zero)
                             : offsetOf(v.minu(at.rows[j], v.add(at.rowCount, -1)));
      Value address = nvvm::offsetBytes(v, first, row);
      rows.push_back(
          nvvm::bitcast(v, type, nvvm::load(v, words, address, accessBytes(target, units.laneBytes()))));
    }
    return rows;
  }
  Value nothing = arith::ConstantOp::create(v.b, v.loc, v.b.getZeroAttr(units.type));
  for (unsigned j = 0; j < at.rows.size(); ++j) {
    Value there = offsetOf(isGathered ? at.sources[j] : at.rows[j]);
    Value row = nvvm::offsetBytes(v, base, v.select(isThere(j), there, zero));
    SmallVector<Value> elements;
    for (int i = 0; i < units.count; ++i) {
      Value valid = elementValid(entry, at, units.firstElement(i));
      if (isGathered) { // there may be no row at all
        Value address = nvvm::offsetBytes(v, row, units.place(v, at, i));
        elements.push_back(loadIf(v, v.bitAnd(valid, isThere(j)), units.type, address, units.bytes));
        continue;
      }
      Value column = units.isPacked() ? v.select(valid, units.place(v, at, i), zero)
                                      : v.mul(v.select(valid, v.add(at.column, i), zero), units.bytes);
      Value loaded = nvvm::load(v, units.type, nvvm::offsetBytes(v, row, column), units.bytes);
      elements.push_back(v.select(valid, loaded, nothing));
    }
    rows.push_back(nvvm::fromElements(v, type, elements));
  }
  return rows;
}

Value wordsOfLane(const ValueBuilder &v, Value codes, VectorType words) {
  auto type = cast<VectorType>(codes.getType());
  const int64_t bytes = words.getNumElements() * 4;
  if (!type.getElementType().isInteger(8) || type.getNumElements() == bytes)
    return nvvm::bitcast(v, words, codes);
  SmallVector<Value> all;
  for (int64_t i = 0; i < type.getNumElements(); ++i)
    all.push_back(nvvm::element(v, codes, int(i)));
  all.resize(size_t(bytes), v.constant(v.b.getI8Type(), 0));
  return nvvm::bitcast(v, words, nvvm::fromElements(v, VectorType::get(bytes, v.b.getI8Type()), all));
}

void storeLaneElements(EntryFunction &entry, const TilePosition &at, mx::QuantizeTileAttr tile,
                       StringRef argument, Type element, ArrayRef<Value> rows, const Target &target) {
  ValueBuilder v = entry.values();
  const LaneUnits units(v.b, element, tile.getLaneElements());
  // Words that are stored one unit at a time.
  auto countOf = [](Value row) { return cast<VectorType>(row.getType()).getNumElements(); };
  SmallVector<Value> each(rows);
  if (tile.getAccess() == mx::TileAccess::Element)
    for (Value &row : each)
      if (countOf(row) != units.count)
        row = nvvm::bitcast(
            v, VectorType::get(4 * countOf(row) / units.bytes, v.b.getIntegerType(8 * units.bytes)), row);
  Value column = nvvm::offsetBytes(v, entry.pointer(argument), columnBytes(v, at.column, units));
  Value bytes = rowBytes(entry, at, argument, units), first = v.mul(v.toI64(at.rows.front()), bytes);
  for (auto [j, elements] : llvm::enumerate(rows)) {
    Value row = v.add(first, v.mul(bytes, int64_t(at.rowsApart) * int64_t(j)));
    Value address = nvvm::offsetBytes(v, column, row);
    if (tile.getAccess() == mx::TileAccess::Vector) {
      Value words = nvvm::bitcast(v, VectorType::get(units.laneBytes() / 4, v.b.getI32Type()), elements);
      Value isInside = v.bitAnd(at.rowValid[j], at.columnValid);
      nvvm::storeIf(v, isInside, words, address, accessBytes(target, units.laneBytes()));
      continue;
    }
    for (int i = 0; i < units.count; ++i) {
      Value value = nvvm::element(v, each[j], i);
      ifThen(v, v.bitAnd(at.rowValid[j], elementValid(entry, at, units.firstElement(i))), [&] {
        nvvm::store(v, value, nvvm::offsetBytes(v, address, v.i64(i * units.bytes)), units.bytes);
      });
    }
  }
}

} // namespace mxc
