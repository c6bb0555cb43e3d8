// What stands between the product and what is stored: the region, its further inputs, c's old content.
#include "compiler/lowering/entry/ScalarRegion.h"
#include "compiler/lowering/nvvm/Memory.h"
#include "compiler/lowering/nvvm/Vectors.h"
#include "compiler/lowering/product/plan/MatmulRoles.h"

#include <map>

using namespace mlir;

namespace mxc {

static Value toF32(const ValueBuilder &v, Value x) {
  return x.getType().isF32() ? x : arith::ExtFOp::create(v.b, v.loc, v.b.getF32Type(), x);
}

// `count` elements of a row from (row, column) on, of a matrix whose extents may be 1. Lanes outside read the
// last row or the row's last elements: what they make of them is not stored.
static Value loadElements(const MatmulEntry &e, const ValueBuilder &v, Value matrix, const ResultBox &box,
                          Value row, Value column, int count) {
  auto type = cast<MemRefType>(matrix.getType());
  std::string name = e.nameOf(matrix);
  int rank = type.getRank();
  int64_t bytes = type.getElementTypeBitWidth() / 8;
  Value index = v.i64(0);
  auto add = [&](Value at, Value last, int dimension) {
    if (type.getDimSize(dimension) == 1) return;
    Value inside = last ? v.minu(at, last) : at;
    index = v.add(index, v.mul(v.toI64(inside), e.entry.stride(name, dimension)));
  };
  if (rank == 3) add(box.batch, Value(), 0);
  add(row, v.sub(e.m, v.i32(1)), rank - 2);
  add(column, v.sub(e.n, v.i32(count)), rank - 1);
  Type loaded = type.getElementType();
  if (count > 1) loaded = VectorType::get(count, loaded);
  Value address = nvvm::offsetBytes(v, e.entry.pointer(name), v.mul(index, bytes));
  return nvvm::load(v, loaded, address, count * bytes);
}

// Rows of c at multiples of 16 bytes, and of the inputs too (planEntry asks for it): pieces of them are
// loaded whole.
static Value loadRow(const MatmulEntry &e, const ValueBuilder &v, Value matrix, const ResultBox &box,
                     int count) {
  int bytes = cast<MemRefType>(matrix.getType()).getElementTypeBitWidth() / 8;
  int piece = 16 / std::max(bytes, e.plan.elementBytes);
  SmallVector<Value> elements;
  for (int i = 0; i < count; i += piece) {
    Value loaded = loadElements(e, v, matrix, box, box.row, v.add(box.column, i), piece);
    for (int j = 0; j < piece; ++j)
      elements.push_back(toF32(v, nvvm::element(v, loaded, j)));
  }
  return nvvm::fromElements(v, VectorType::get(count, v.b.getF32Type()), elements);
}

// What the elements of the box get: a scalar where all get the same. Broadcast elements are loaded once.
static Value loadInput(const MatmulEntry &e, const ValueBuilder &v, Value matrix, const ResultBox &box,
                       int count) {
  bool isColumn = cast<MemRefType>(matrix.getType()).getShape().back() == 1;
  if (!isColumn && e.plan.loadsRows()) return loadRow(e, v, matrix, box, count);
  SmallVector<Value> elements;
  std::map<int, Value> ofRow; // by the first element in the row
  for (int i = 0; i < count; ++i) {
    int row = box.isFragment ? i & 2 : 0;
    Value &known = isColumn ? ofRow[row] : elements.emplace_back();
    if (!known) known = toF32(v, loadElements(e, v, matrix, box, box.rowOf(v, i), box.columnOf(v, i), 1));
    if (isColumn) elements.push_back(known);
  }
  if (ofRow.size() == 1) return elements.front();
  return nvvm::fromElements(v, VectorType::get(count, v.b.getF32Type()), elements);
}

SmallVector<Value> applyEpilogue(const MatmulEntry &e, const ValueBuilder &v, Value product,
                                 const ResultBox &box) {
  SmallVector<Value> results = {product};
  int count = cast<VectorType>(product.getType()).getNumElements();
  if (e.op.hasEpilogue()) {
    SmallVector<Value> inputs = {product};
    for (Value input : e.op.getWith())
      inputs.push_back(loadInput(e, v, input, box, count));
    results = applyScalarRegion(v, e.op.getEpilogue().front(), inputs, {}, e.scalars);
  }
  if (e.op.getAccumulate())
    for (auto [result, output] : llvm::zip(results, e.op.getOuts()))
      result = arith::AddFOp::create(v.b, v.loc, result, loadInput(e, v, output, box, count));
  return results;
}

} // namespace mxc
