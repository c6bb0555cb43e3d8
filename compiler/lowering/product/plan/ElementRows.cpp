#include "compiler/lowering/product/plan/ElementRows.h"
#include "compiler/lowering/entry/Branch.h"
#include "compiler/lowering/entry/ElementBytes.h"
#include "compiler/lowering/nvvm/Memory.h"
#include "compiler/lowering/nvvm/Vectors.h"
#include "compiler/lowering/pipeline/Steps.h"
#include "compiler/lowering/product/plan/RowsByIndex.h"

using namespace mlir;

namespace mxc {

Value loadWhere(const ValueBuilder &v, Value inside, Type type, Value base, Value offset, unsigned bytes) {
  return steps::whereElseZero(v, inside, type,
                              [&] { return nvvm::load(v, type, nvvm::offsetBytes(v, base, offset), bytes); });
}

static constexpr int kChunkBytes = 16;

ElementRows::ElementRows(const ProductEntry &e, const ValueBuilder &v, int bits, bool isPadded)
    : e_(e), v_(v), bits_(bits), chunkElements_(isPadded ? kChunkBytes : 8 * kChunkBytes / bits) {
  thread_ = mx::RoleThreadOp::create(v.b, v.loc, v.b.getI32Type());
}

void ElementRows::bring(Value operand, Value to, int64_t rows, Value step, Value firstRow, Value extent,
                        Value matrix, Value phase) const {
  constexpr int kChunks = kStepBytes / kChunkBytes;  // of a row
  const int chunkBytes = chunkElements_ * bits_ / 8; // in global memory
  auto bytesOf = [&](Value elements) { return bytesOfElements(v_, elements, bits_); };
  Value none = v_.constant(v_.b.getI8Type(), 0);
  const std::string name = e_.nameOf(operand);
  const bool isByIndex = e_.gathers() && operand == e_.op.getA();
  const int rank = cast<MemRefType>(operand.getType()).getRank();
  steps::forRange(v_, v_.i32(0), v_.i32(kChunks * llvm::divideCeil(rows, kThreads)), [&](Value piece) {
    Value chunk = v_.remu(piece, kChunks);
    Value rowOfTile = v_.add(thread_, v_.mul(v_.divu(piece, kChunks), kThreads));
    auto bringChunk = [&] {
      Value row = v_.add(firstRow, rowOfTile), rowInside = v_.less(row, extent);
      if (isByIndex) {
        const NamedRow named = namedRow(e_, v_, row, extent);
        row = named.number, rowInside = named.isThere;
      }
      Value start = v_.mul(v_.toI64(row), bytesOf(e_.function.stride(name, rank - 2)));
      if (matrix) start = v_.add(start, bytesOf(e_.elementsBefore(v_, operand, matrix)));
      Value column = v_.mul(v_.add(v_.mul(step, kChunks), chunk), chunkElements_);
      if (phase) column = v_.add(column, phase);
      start = v_.add(start, v_.toI64(bytesOf(column)));
      SmallVector<Value> bytes;
      for (int i = 0; i < chunkBytes; ++i) { // with K6 all of a byte's elements are there if its first one is
        Value inside = v_.bitAnd(rowInside, v_.less(v_.add(column, i * 8 / bits_), e_.k));
        bytes.push_back(
            loadWhere(v_, inside, v_.b.getI8Type(), e_.function.pointer(name), v_.add(start, i), 1));
      }
      bytes.resize(kChunkBytes, none);
      Value words = nvvm::fromElements(v_, VectorType::get(kChunkBytes, v_.b.getI8Type()), bytes);
      Value swizzle = v_.mul(v_.bitAnd(thread_, 7), kChunkBytes); // of all its rows
      Value offset = v_.add(v_.mul(rowOfTile, kStepBytes), v_.bitXor(v_.mul(chunk, kChunkBytes), swizzle));
      nvvm::store(v_, words, nvvm::offsetBytes(v_, to, v_.toI64(offset)), kChunkBytes);
    };
    rows % kThreads ? ifThen(v_, v_.less(rowOfTile, v_.i32(rows)), bringChunk) : bringChunk();
  });
}

} // namespace mxc
