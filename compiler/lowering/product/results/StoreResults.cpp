// Results on their way to global memory: boxes by tensor maps, or element by element where those cannot.
#include "compiler/lowering/entry/Branch.h"
#include "compiler/lowering/nvvm/Memory.h"
#include "compiler/lowering/nvvm/Vectors.h"
#include "compiler/lowering/product/plan/MatmulRoles.h"

using namespace mlir;

namespace mxc {

static Type elementOf(Value output) { return cast<MemRefType>(output.getType()).getElementType(); }

// A lane's row in chunks of 16 bytes, of a fragment the two columns of each row, rounded to the output's
// type: vectors that LLVM stores as they are (of i32 it would make pairs of 64 bits first).
static SmallVector<Value> chunksOf(const ValueBuilder &v, Value values, Type element, bool isFragment) {
  int count = isFragment ? 2 : 128 / element.getIntOrFloatBitWidth();
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

static void storeByTensorMap(const MatmulEntry &e, const ValueBuilder &v, Value output, Value values,
                             const ResultBox &box) {
  SmallVector<Value> chunks = chunksOf(v, values, elementOf(output), box.isFragment);
  SmallVector<Value> coordinates = {box.firstColumn, box.firstRow};
  if (e.isBatched()) coordinates.push_back(box.batch);
  mx::StoreBoxOp::create(v.b, v.loc, chunks, e.entry.map(e.nameOf(output)), coordinates, e.staging, box.index,
                         v.b.getI32IntegerAttr(e.plan.buffers()),
                         box.isFragment ? v.b.getUnitAttr() : UnitAttr());
}

static void storeByRows(const MatmulEntry &e, const ValueBuilder &v, Value output, Value values,
                        const ResultBox &box) {
  std::string name = e.nameOf(output);
  int rank = cast<MemRefType>(output.getType()).getRank(), bytes = e.plan.elementBytes;
  int count = cast<VectorType>(values.getType()).getNumElements();
  auto storeRow = [&](int first, function_ref<bool(int)> isInRow) {
    Value index =
        v.add(v.mul(v.toI64(box.rowOf(v, first)), e.entry.stride(name, rank - 2)), v.toI64(box.column));
    if (e.isBatched()) index = v.add(index, v.mul(v.toI64(box.batch), e.entry.stride(name, 0)));
    Value row = nvvm::offsetBytes(v, e.entry.pointer(name), v.mul(index, bytes));
    for (int i = first; i < count; ++i) {
      if (!isInRow(i)) continue;
      ifThen(v, v.less(box.columnOf(v, i), e.n), [&] {
        Value value = nvvm::element(v, values, i);
        if (!elementOf(output).isF32()) value = arith::TruncFOp::create(v.b, v.loc, elementOf(output), value);
        nvvm::store(v, value, nvvm::offsetBytes(v, row, v.i64(int64_t(box.columnOffset(i)) * bytes)), bytes);
      });
    }
  };
  int rows = box.isFragment ? 2 : 1; // elements 2, 3, 6, 7, .. of a fragment are of its second row
  for (int number = 0; number < rows; ++number)
    ifThen(v, v.less(box.rowOf(v, 2 * number), e.m),
           [&] { storeRow(2 * number, [&](int i) { return rows == 1 || i / 2 % 2 == number; }); });
}

void storeBox(const MatmulEntry &e, const ValueBuilder &v, Value product, const ResultBox &box) {
  SmallVector<Value> results = applyEpilogue(e, v, product, box);
  int outputs = results.size();
  for (auto [number, output, values] : llvm::enumerate(e.op.getOuts(), results)) {
    ResultBox own = box; // every store takes the next buffer
    own.index = v.add(v.mul(box.index, outputs), int64_t(number));
    (e.plan.storesBoxes() ? storeByTensorMap : storeByRows)(e, v, output, values, own);
  }
}

} // namespace mxc
