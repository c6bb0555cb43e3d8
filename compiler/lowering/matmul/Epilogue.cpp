// What stands between the product and what is stored: the region, its further inputs, c's old content.
#include "compiler/lowering/ScalarRegion.h"
#include "compiler/lowering/matmul/MatmulRoles.h"
#include "compiler/lowering/nvvm/Memory.h"
#include "compiler/lowering/nvvm/Vectors.h"

#include <map>

using namespace mlir;

namespace mxc {

static Value toF32(const ValueBuilder &v, Value x) {
  return x.getType().isF32() ? x : arith::ExtFOp::create(v.b, v.loc, v.b.getF32Type(), x);
}

// The element (row, column) of a matrix whose extents may be 1. Lanes outside read the last row or column:
// what they make of it is not stored.
static Value loadElement(const MatmulEntry &e, const ValueBuilder &v, Value matrix, Value batch, Value row,
                         Value column) {
  auto type = cast<MemRefType>(matrix.getType());
  std::string name = e.nameOf(matrix);
  int rank = type.getRank();
  int64_t bytes = type.getElementTypeBitWidth() / 8;
  Value index = v.i64(0);
  auto add = [&](Value at, Value extent, int dimension) {
    if (type.getDimSize(dimension) == 1) return;
    Value inside = extent ? v.minu(at, v.sub(extent, v.i32(1))) : at;
    index = v.add(index, v.mul(v.toI64(inside), e.entry.stride(name, dimension)));
  };
  if (rank == 3) add(batch, Value(), 0);
  add(row, e.m, rank - 2);
  add(column, e.n, rank - 1);
  return nvvm::load(v, type.getElementType(),
                    nvvm::offsetBytes(v, e.entry.pointer(name), v.mul(index, bytes)), bytes);
}

// What the elements of the box get: a scalar where all get the same. Broadcast elements are loaded once.
static Value loadInput(const MatmulEntry &e, const ValueBuilder &v, Value matrix, const ResultBox &box,
                       int count) {
  bool isColumn = cast<MemRefType>(matrix.getType()).getShape().back() == 1;
  SmallVector<Value> elements;
  std::map<int, Value> ofRow; // by the first element in the row
  for (int i = 0; i < count; ++i) {
    int row = box.isFragment ? i & 2 : 0;
    Value &known = isColumn ? ofRow[row] : elements.emplace_back();
    if (!known) known = toF32(v, loadElement(e, v, matrix, box.batch, box.rowOf(v, i), box.columnOf(v, i)));
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
