#include "compiler/lowering/combine/NamedRows.h"
#include "compiler/lowering/entry/Branch.h"
#include "compiler/lowering/groups/GroupedRows.h"
#include "compiler/lowering/nvvm/Memory.h"
#include "compiler/lowering/nvvm/Vectors.h"

using namespace mlir;

namespace mxc {

static constexpr int64_t kAccessBytes = 16;

static Type elementOf(Value matrix) { return cast<MemRefType>(matrix.getType()).getElementType(); }

int64_t pieceBytes(Value matrix, int elements) {
  return std::min(kAccessBytes, mx::storageBytes(elementOf(matrix), elements));
}

Value toF32(const ValueBuilder &v, Value x) {
  return x.getType().isF32() ? x : arith::ExtFOp::create(v.b, v.loc, v.b.getF32Type(), x);
}

Value f32(const ValueBuilder &v, float value) {
  return arith::ConstantOp::create(v.b, v.loc, v.b.getF32FloatAttr(value));
}

Value elementAddress(EntryFunction &entry, const KernelSignature &signature, Value argument, Value row,
                     Value column) {
  ValueBuilder v = entry.values();
  std::string name = signature.argument(argument).name;
  Value place = v.add(v.mul(row, entry.rowStride(name)), column);
  return nvvm::offsetBytes(v, entry.pointer(name), v.mul(place, mx::storageBytes(elementOf(argument), 1)));
}

Value loadWords(const ValueBuilder &v, Type element, Value address, int elements) {
  const int64_t bytes = mx::storageBytes(element, elements);
  Type words = VectorType::get(bytes / 4, v.b.getI32Type());
  return nvvm::load(v, words, address, std::min(kAccessBytes, bytes));
}

SmallVector<Value> elementsOf(const ValueBuilder &v, Type element, Value words, int elements) {
  Value piece = nvvm::bitcast(v, VectorType::get(elements, element), words);
  SmallVector<Value> values;
  for (int i = 0; i < elements; ++i)
    values.push_back(toF32(v, nvvm::element(v, piece, i)));
  return values;
}

NamedRows::NamedRows(EntryFunction &entry, const KernelSignature &signature, Value named, Value rows,
                     Value row)
    : entry_(entry), signature_(signature), v_(entry.values()), named_(named), row_(row) {
  std::string name = signature.argument(rows).name;
  Value first = v_.mul(row, entry.rowStride(name));
  const int64_t count = cast<MemRefType>(rows.getType()).getDimSize(1);
  for (int64_t j = 0; j < count; ++j) {
    GatheredRow found =
        gatheredRow(entry, entry.pointer(name), v_.add(first, j), v_.i1(true), entry.extent("N"));
    sources_.push_back(v_.select(found.isThere, found.source, v_.i64(0)));
    isThere_.push_back(found.isThere);
  }
}

Value NamedRows::placeIn(Value table, size_t j) const {
  return elementAddress(entry_, signature_, table, row_, v_.i64(int64_t(j)));
}

Value NamedRows::addressOf(size_t j, Value column) const {
  return elementAddress(entry_, signature_, named_, sources_[j], column);
}

Value NamedRows::load(size_t j, Value column, int elements) const {
  return loadWords(v_, elementOf(named_), addressOf(j, column), elements);
}

SmallVector<Value> NamedRows::elements(size_t j, Value words, int elements) const {
  Type element = elementOf(named_);
  const uint32_t negativeZeros = element.isF32() ? 0x80000000u : 0x80008000u;
  Value nothing = arith::ConstantOp::create(
      v_.b, v_.loc, DenseElementsAttr::get(cast<ShapedType>(words.getType()), int32_t(negativeZeros)));
  return elementsOf(v_, element, v_.select(isThere_[j], words, nothing), elements);
}

Value NamedRows::element(size_t j, Value column, Value isInside) const {
  Type element = elementOf(named_);
  Value isRead = v_.bitAnd(isInside, isThere_[j]);
  Value loaded = loadIf(v_, isRead, element, addressOf(j, column), mx::storageBytes(element, 1));
  return v_.select(isRead, toF32(v_, loaded), f32(v_, -0.0f));
}

} // namespace mxc
