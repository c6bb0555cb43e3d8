// Results on their way to global memory: boxes by tensor maps, or element by element where those cannot.
#include "compiler/lowering/product/results/ResultStores.h"
#include "compiler/lowering/entry/Branch.h"
#include "compiler/lowering/nvvm/Memory.h"
#include "compiler/lowering/nvvm/Vectors.h"
#include "compiler/lowering/product/plan/ProductMaps.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace mxc {

static Type elementOf(Value output) { return cast<MemRefType>(output.getType()).getElementType(); }

// A lane's row in chunks of 16 bytes, of a fragment the two elements of each pair, rounded to the output's
// type: vectors that LLVM stores as they are (of i32 it would make pairs of 64 bits first).
static SmallVector<Value> chunksOf(const ValueBuilder &v, Value values, Type element,
                                   ResultFragment fragment) {
  int count = fragment == ResultFragment::Row ? 128 / element.getIntOrFloatBitWidth() : 2;
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

static void storeByTensorMap(const ResultSink &sink, const ValueBuilder &v, Value output, Value values,
                             const ResultBox &box) {
  SmallVector<Value> chunks = chunksOf(v, values, elementOf(output), sink.fragment);
  SmallVector<Value> coordinates =
      rowsCoordinates(v, box.firstColumn, box.firstRow, box.rows, sink.hasGroups);
  if (sink.isBatched) coordinates.push_back(box.batch);
  mx::StoreBoxOp::create(v.b, v.loc, chunks, sink.function.map(sink.nameOf(output)), coordinates,
                         sink.staging, box.index, v.b.getI32IntegerAttr(sink.buffers),
                         sink.fragment == ResultFragment::Row ? UnitAttr() : v.b.getUnitAttr(),
                         sink.isTransposed() ? v.b.getUnitAttr() : UnitAttr());
}

// A lane's piece of a row of at most 16 bytes, whole where it lies at a multiple of its size.
static void storePiece(const ResultSink &sink, const ValueBuilder &v, Value row, Value values, Type element,
                       const ResultBox &box, function_ref<void()> elementwise) {
  int count = cast<VectorType>(values.getType()).getNumElements();
  int64_t bytes = mx::storageBytes(element, count);
  Value address = LLVM::PtrToIntOp::create(v.b, v.loc, v.b.getI64Type(), row);
  Value isAligned = v.equal(v.bitAnd(address, bytes - 1), v.i64(0));
  Value isWhole = v.bitAnd(isAligned, v.less(v.add(box.column, count - 1), sink.columns));
  auto branch = scf::IfOp::create(v.b, v.loc, isWhole, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(v.b);
  v.b.setInsertionPointToStart(branch.thenBlock());
  if (!element.isF32()) values = arith::TruncFOp::create(v.b, v.loc, VectorType::get(count, element), values);
  nvvm::store(v, values, row, bytes);
  v.b.setInsertionPointToStart(branch.elseBlock());
  elementwise();
}

static void storeByRows(const ResultSink &sink, const ValueBuilder &v, Value output, Value values,
                        const ResultBox &box) {
  std::string name = sink.nameOf(output);
  int rank = cast<MemRefType>(output.getType()).getRank(), bytes = mx::storageBytes(elementOf(output), 1);
  int count = cast<VectorType>(values.getType()).getNumElements();
  auto storeRow = [&](int first, function_ref<bool(int)> isInRow) {
    Value index = v.add(v.mul(v.toI64(sink.rowOf(v, box, first)), sink.function.stride(name, rank - 2)),
                        v.toI64(box.column));
    if (sink.isBatched) index = v.add(index, v.mul(v.toI64(box.batch), sink.function.stride(name, 0)));
    Value row = nvvm::offsetBytes(v, sink.function.pointer(name), v.mul(index, bytes));
    auto storeElements = [&] {
      for (int i = first; i < count; ++i) {
        if (!isInRow(i)) continue;
        ifThen(v, v.less(sink.columnOf(v, box, i), sink.columns), [&] {
          Value value = nvvm::element(v, values, i);
          if (!elementOf(output).isF32())
            value = arith::TruncFOp::create(v.b, v.loc, elementOf(output), value);
          nvvm::store(v, value, nvvm::offsetBytes(v, row, v.i64(int64_t(sink.columnOffset(i)) * bytes)),
                      bytes);
        });
      }
    };
    bool isPiece = sink.fragment == ResultFragment::Row && count > 1 && count * bytes <= 16;
    isPiece ? storePiece(sink, v, row, values, elementOf(output), box, storeElements) : storeElements();
  };
  int rows = sink.fragment == ResultFragment::WarpgroupPairs
                 ? 2
                 : 1; // elements 2, 3, 6, 7, .. of a fragment are of its second row
  for (int number = 0; number < rows; ++number)
    ifThen(v, v.less(sink.rowOf(v, box, 2 * number), box.rows),
           [&] { storeRow(2 * number, [&](int i) { return rows == 1 || i / 2 % 2 == number; }); });
}

void storeBox(const ResultSink &sink, const ValueBuilder &v, ValueRange products, const ResultBox &box) {
  SmallVector<Value> results = applyEpilogue(sink, v, products, box);
  int64_t number = 0;
  for (auto [result, values] : llvm::zip(sink.results, results)) {
    if (!result.isMatrix()) {
      (result.copy.axis == mx::Axis::Row ? storeQuantizedRows : storeQuantizedColumns)(sink, v, result.copy,
                                                                                       values, box);
      continue;
    }
    ResultBox own = box; // every store takes the next buffer
    own.index = v.add(v.mul(box.index, int64_t(sink.outputs.size())), number++);
    (sink.store == mx::ResultStore::Tensor ? storeByTensorMap : storeByRows)(sink, v, result.matrix, values,
                                                                             own);
  }
}

} // namespace mxc
