#include "compiler/lowering/quantize/LaneElements.h"
#include "compiler/lowering/entry/Branch.h"
#include "compiler/lowering/nvvm/Memory.h"
#include "compiler/lowering/nvvm/Vectors.h"

using namespace mlir;

namespace mxc {

int accessBytes(const Target &target, int64_t bytes) {
  return std::min<int64_t>(bytes, target.maxVectorBytes);
}

Value elementValid(EntryFunction &entry, const TilePosition &at, int index) {
  ValueBuilder v = entry.values();
  return v.less(v.add(at.column, index), at.columnCount);
}

namespace {
// Byte offsets of a lane's rows, in 64 bits: row 0's, then the distance between a lane's rows.
struct RowOffsets {
  Value first, step;
  RowOffsets(EntryFunction &entry, const TilePosition &at, StringRef argument, int64_t bytes) {
    ValueBuilder v = entry.values();
    Value stride = v.mul(entry.rowStride(argument), bytes);
    first = v.mul(v.toI64(at.rows.front()), stride);
    step = v.mul(stride, 32);
  }
  Value of(const ValueBuilder &v, unsigned j) const { return j == 0 ? first : v.add(first, v.mul(step, j)); }
};
} // namespace

SmallVector<Value> loadLaneElements(EntryFunction &entry, const TilePosition &at, mx::QuantizeTileAttr tile,
                                    StringRef argument, Type element, const Target &target) {
  ValueBuilder v = entry.values();
  int64_t bytes = mx::storageBytes(element, 1), count = tile.getLaneElements();
  Type type = VectorType::get(count, element);
  RowOffsets offsets(entry, at, argument, bytes);
  Value base = entry.pointer(argument), zero = v.i64(0);
  bool isGathered = !at.sources.empty();
  auto isThere = [&](unsigned j) { return isGathered ? at.sourceValid[j] : at.rowValid[j]; };
  auto offsetOf = [&](unsigned j) {
    return isGathered ? v.mul(at.sources[j], v.mul(entry.rowStride(argument), bytes)) : offsets.of(v, j);
  };
  SmallVector<Value> rows;
  if (tile.getAccess() == mx::TileAccess::Vector) {
    // Out-of-range lanes read a valid place instead of branching: row 0, or the row's first elements.
    Value column = v.mul(v.toI64(v.select(at.columnValid, at.column, v.like(at.column, 0))), bytes);
    auto words = VectorType::get(std::max<int64_t>(1, count * bytes / 4), v.b.getI32Type());
    for (unsigned j = 0; j < at.rows.size(); ++j) {
      Value row = v.select(isThere(j), offsetOf(j), zero);
      Value address = nvvm::offsetBytes(v, base, v.add(row, column));
      rows.push_back(
          nvvm::bitcast(v, type, nvvm::load(v, words, address, accessBytes(target, count * bytes))));
    }
    return rows;
  }
  Value nothing = arith::ConstantOp::create(v.b, v.loc, v.b.getZeroAttr(element));
  for (unsigned j = 0; j < at.rows.size(); ++j) {
    Value row = nvvm::offsetBytes(v, base, v.select(isThere(j), offsetOf(j), zero));
    SmallVector<Value> elements;
    for (int i = 0; i < count; ++i) {
      Value valid = elementValid(entry, at, i);
      if (isGathered) { // there may be no row at all
        Value address = nvvm::offsetBytes(v, row, v.mul(v.add(at.column, i), bytes));
        elements.push_back(loadIf(v, v.bitAnd(valid, isThere(j)), element, address, bytes));
        continue;
      }
      Value column = v.select(valid, v.add(at.column, i), zero);
      Value loaded = nvvm::load(v, element, nvvm::offsetBytes(v, row, v.mul(column, bytes)), bytes);
      elements.push_back(v.select(valid, loaded, nothing));
    }
    rows.push_back(nvvm::fromElements(v, type, elements));
  }
  return rows;
}

void storeLaneElements(EntryFunction &entry, const TilePosition &at, mx::QuantizeTileAttr tile,
                       StringRef argument, Type element, ArrayRef<Value> rows, const Target &target) {
  ValueBuilder v = entry.values();
  int64_t bytes = mx::storageBytes(element, 1), count = tile.getLaneElements();
  // Words that are stored one element at a time.
  auto integers = VectorType::get(count, v.b.getIntegerType(8 * bytes));
  auto isWords = [&](Value row) { return cast<VectorType>(row.getType()).getNumElements() != count; };
  SmallVector<Value> each(rows);
  if (tile.getAccess() == mx::TileAccess::Element)
    for (Value &row : each)
      if (isWords(row)) row = nvvm::bitcast(v, integers, row);
  RowOffsets offsets(entry, at, argument, bytes);
  Value column = nvvm::offsetBytes(v, entry.pointer(argument), v.mul(v.toI64(at.column), bytes));
  for (auto [j, elements] : llvm::enumerate(rows)) {
    Value address = nvvm::offsetBytes(v, column, offsets.of(v, j));
    if (tile.getAccess() == mx::TileAccess::Vector) {
      Value words = nvvm::bitcast(v, VectorType::get(count * bytes / 4, v.b.getI32Type()), elements);
      Value isInside = v.bitAnd(at.rowValid[j], at.columnValid);
      nvvm::storeIf(v, isInside, words, address, accessBytes(target, count * bytes));
      continue;
    }
    for (int i = 0; i < count; ++i) {
      Value value = nvvm::element(v, each[j], i);
      ifThen(v, v.bitAnd(at.rowValid[j], elementValid(entry, at, i)),
             [&] { nvvm::store(v, value, nvvm::offsetBytes(v, address, v.i64(i * bytes)), bytes); });
    }
  }
}

} // namespace mxc
