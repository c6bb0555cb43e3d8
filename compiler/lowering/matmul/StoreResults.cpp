// Results on their way to global memory: boxes by tensor maps, or element by element where those cannot.
#include "compiler/lowering/Branch.h"
#include "compiler/lowering/matmul/MatmulRoles.h"
#include "compiler/lowering/nvvm/Memory.h"
#include "compiler/lowering/nvvm/Vectors.h"

using namespace mlir;

namespace mxc {

static Type elementOf(Value output) { return cast<MemRefType>(output.getType()).getElementType(); }

// A lane's row in chunks of 16 bytes, rounded to the output's type: vectors that LLVM stores as they are (of i32 it would
// make pairs of 64 bits first).
static SmallVector<Value> chunksOf(const ValueBuilder &v, Value values, Type element) {
  int count = 128 / element.getIntOrFloatBitWidth();
  SmallVector<Value> chunks;
  for (int first = 0; first < cast<VectorType>(values.getType()).getNumElements(); first += count) {
    SmallVector<Value> elements;
    for (int i = 0; i < count; ++i)
      elements.push_back(nvvm::element(v, values, first + i));
    Value chunk = nvvm::fromElements(v, VectorType::get(count, v.b.getF32Type()), elements);
    if (!element.isF32()) chunk = arith::TruncFOp::create(v.b, v.loc, VectorType::get(count, element), chunk);
    chunks.push_back(chunk);
  }
  return chunks;
}

void storeByTensorMap(const MatmulEntry &e, const ValueBuilder &v, Value output, Value values,
                      const ResultBox &box) {
  SmallVector<Value> chunks = chunksOf(v, values, elementOf(output));
  SmallVector<Value> coordinates = {box.column, v.bitAnd(box.row, ~int64_t(31))}; // of the warp's first row
  if (e.isBatched()) coordinates.push_back(box.batch);
  mx::StoreBoxOp::create(v.b, v.loc, chunks, e.entry.pointer(e.nameOf(output)), coordinates, e.staging,
                         box.index, v.b.getI32IntegerAttr(e.plan.buffers()));
}

void storeByRows(const MatmulEntry &e, const ValueBuilder &v, Value output, Value values,
                 const ResultBox &box) {
  std::string name = e.nameOf(output);
  int rank = cast<MemRefType>(output.getType()).getRank(), bytes = e.plan.elementBytes;
  Value index = v.add(v.mul(v.toI64(box.row), e.entry.stride(name, rank - 2)), v.toI64(box.column));
  if (e.isBatched()) index = v.add(index, v.mul(v.toI64(box.batch), e.entry.stride(name, 0)));
  Value row = nvvm::offsetBytes(v, e.entry.pointer(name), v.mul(index, bytes));
  ifThen(v, v.less(box.row, e.m), [&] {
    for (int i = 0; i < e.plan.boxColumns(); ++i)
      ifThen(v, v.less(v.add(box.column, i), e.n), [&] {
        Value value = nvvm::element(v, values, i);
        if (!elementOf(output).isF32()) value = arith::TruncFOp::create(v.b, v.loc, elementOf(output), value);
        nvvm::store(v, value, nvvm::offsetBytes(v, row, v.i64(i * bytes)), bytes);
      });
  });
}

} // namespace mxc
