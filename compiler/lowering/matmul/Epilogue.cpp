// What stands between the product and what is stored: the region, its further inputs, c's old content.
#include "compiler/lowering/ScalarRegion.h"
#include "compiler/lowering/matmul/MatmulRoles.h"
#include "compiler/lowering/nvvm/Memory.h"
#include "compiler/lowering/nvvm/Vectors.h"

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

// A scalar where the matrix has one column, else this lane's row of the box.
static Value loadInput(const MatmulEntry &e, const ValueBuilder &v, Value matrix, const ResultBox &box) {
  auto type = cast<MemRefType>(matrix.getType());
  if (type.getShape().back() == 1) return toF32(v, loadElement(e, v, matrix, box.batch, box.row, box.column));
  SmallVector<Value> elements;
  for (int i = 0; i < e.plan.boxColumns(); ++i)
    elements.push_back(toF32(v, loadElement(e, v, matrix, box.batch, box.row, v.add(box.column, i))));
  return nvvm::fromElements(v, VectorType::get(elements.size(), v.b.getF32Type()), elements);
}

SmallVector<Value> applyEpilogue(const MatmulEntry &e, const ValueBuilder &v, Value product,
                                 const ResultBox &box) {
  SmallVector<Value> results = {product};
  if (e.op.hasEpilogue()) {
    SmallVector<Value> inputs = {product};
    for (Value input : e.op.getWith())
      inputs.push_back(loadInput(e, v, input, box));
    results = applyScalarRegion(v, e.op.getEpilogue().front(), inputs, {}, e.scalars);
  }
  if (e.op.getAccumulate())
    for (auto [result, output] : llvm::zip(results, e.op.getOuts()))
      result = arith::AddFOp::create(v.b, v.loc, result, loadInput(e, v, output, box));
  return results;
}

} // namespace mxc
