#include "compiler/lowering/product/plan/ElementRows.h"
#include "compiler/lowering/entry/Branch.h"
#include "compiler/lowering/nvvm/Memory.h"
#include "compiler/lowering/nvvm/Vectors.h"
#include "compiler/lowering/pipeline/Steps.h"

using namespace mlir;

namespace mxc {

Value loadWhere(const ValueBuilder &v, Value inside, Type type, Value base, Value offset, unsigned bytes) {
  return steps::whereElseZero(v, inside, type,
                              [&] { return nvvm::load(v, type, nvvm::offsetBytes(v, base, offset), bytes); });
}

ElementRows::ElementRows(const ProductEntry &e, const ValueBuilder &v, int bits) : e_(e), v_(v), bits_(bits) {
  thread_ = mx::RoleThreadOp::create(v.b, v.loc, v.b.getI32Type());
}

void ElementRows::bring(Value operand, Value to, int64_t rows, Value step, Value firstRow, Value extent,
                        Value matrix) const {
  constexpr int kChunks = kStepBytes / 16; // of a row
  const std::string name = e_.nameOf(operand);
  const int rank = cast<MemRefType>(operand.getType()).getRank();
  steps::forRange(v_, v_.i32(0), v_.i32(kChunks * llvm::divideCeil(rows, kThreads)), [&](Value piece) {
    Value chunk = v_.remu(piece, kChunks);
    Value rowOfTile = v_.add(thread_, v_.mul(v_.divu(piece, kChunks), kThreads));
    auto bringChunk = [&] {
      Value row = v_.add(firstRow, rowOfTile);
      Value start = v_.mul(v_.toI64(row), bytesOf(e_.function.stride(name, rank - 2)));
      if (matrix) start = v_.add(start, bytesOf(e_.elementsBefore(v_, operand, matrix)));
      Value column = v_.add(v_.mul(step, kStepBytes), v_.mul(chunk, 16)), rowInside = v_.less(row, extent);
      SmallVector<Value> bytes;
      for (int i = 0; i < 16; ++i) {
        Value at = v_.add(column, i);
        bytes.push_back(loadWhere(v_, v_.bitAnd(rowInside, v_.less(elementsOf(at), e_.k)), v_.b.getI8Type(),
                                  e_.function.pointer(name), v_.add(start, v_.toI64(at)), 1));
      }
      Value words = nvvm::fromElements(v_, VectorType::get(16, v_.b.getI8Type()), bytes);
      Value swizzle = v_.mul(v_.bitAnd(thread_, 7), 16); // of all its rows
      Value offset = v_.add(v_.mul(rowOfTile, kStepBytes), v_.bitXor(v_.mul(chunk, 16), swizzle));
      nvvm::store(v_, words, nvvm::offsetBytes(v_, to, v_.toI64(offset)), 16);
    };
    rows % kThreads ? ifThen(v_, v_.less(rowOfTile, v_.i32(rows)), bringChunk) : bringChunk();
  });
}

} // namespace mxc
