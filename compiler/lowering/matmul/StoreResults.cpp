// Results on their way to global memory: boxes by tensor maps, or element by element where those cannot.
#include "compiler/lowering/Branch.h"
#include "compiler/lowering/matmul/MatmulRoles.h"
#include "compiler/lowering/nvvm/Memory.h"
#include "compiler/lowering/nvvm/Vectors.h"

using namespace mlir;

namespace mxc {

static Type elementOf(Value output) { return cast<MemRefType>(output.getType()).getElementType(); }

// Elements i .. i + count - 1 of a vector, rounded to the output's type, as one 32-bit word.
static Value wordOf(const ValueBuilder &v, Value values, int index, Type element) {
  if (element.isF32()) return nvvm::bitcast(v, v.b.getI32Type(), nvvm::element(v, values, index));
  SmallVector<Value> pair = {nvvm::element(v, values, index), nvvm::element(v, values, index + 1)};
  Value wide = nvvm::fromElements(v, VectorType::get(2, v.b.getF32Type()), pair);
  Value narrow = arith::TruncFOp::create(v.b, v.loc, VectorType::get(2, element), wide);
  return nvvm::bitcast(v, v.b.getI32Type(), narrow);
}

void storeByTensorMap(const MatmulEntry &e, const ValueBuilder &v, Value output, Value values,
                      const ResultBox &box) {
  int perWord = 4 / e.plan.elementBytes;
  auto chunk = VectorType::get(4, v.b.getI32Type());
  SmallVector<Value> chunks;
  for (int first = 0; first < e.plan.boxColumns(); first += 4 * perWord) {
    SmallVector<Value> words;
    for (int word = 0; word < 4; ++word)
      words.push_back(wordOf(v, values, first + word * perWord, elementOf(output)));
    chunks.push_back(nvvm::fromElements(v, chunk, words));
  }
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
