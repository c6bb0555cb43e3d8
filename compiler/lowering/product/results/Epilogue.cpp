// What stands between the product and what is stored: the region, its further inputs, c's old content.
#include "compiler/lowering/entry/ScalarRegion.h"
#include "compiler/lowering/nvvm/Memory.h"
#include "compiler/lowering/nvvm/Vectors.h"
#include "compiler/lowering/product/results/ResultStores.h"

#include <map>

using namespace mlir;

namespace mxc {

static Value toF32(const ValueBuilder &v, Value x) {
  return x.getType().isF32() ? x : arith::ExtFOp::create(v.b, v.loc, v.b.getF32Type(), x);
}

// `count` elements of a row from (row, column) on, of a matrix whose extents may be 1. Lanes outside read the
// last row or the row's last elements: what they make of them is not stored.
static Value loadElements(const ResultSink &sink, const ValueBuilder &v, Value matrix, const ResultBox &box,
                          Value row, Value column, int count) {
  auto type = cast<MemRefType>(matrix.getType());
  std::string name = sink.nameOf(matrix);
  int rank = type.getRank();
  int64_t bytes = mx::storageBytes(type.getElementType(), 1);
  Value index = v.i64(0);
  auto add = [&](Value at, Value last, int dimension) {
    if (type.getDimSize(dimension) == 1) return;
    Value inside = last ? v.minu(at, last) : at;
    index = v.add(index, v.mul(v.toI64(inside), sink.function.stride(name, dimension)));
  };
  if (rank == 3) add(box.batch, Value(), 0);
  add(row, v.sub(box.rows, v.i32(1)), rank - 2);
  add(column, v.sub(sink.columns, v.i32(count)), rank - 1);
  Type loaded = type.getElementType();
  if (count > 1) loaded = VectorType::get(count, loaded);
  Value address = nvvm::offsetBytes(v, sink.function.pointer(name), v.mul(index, bytes));
  return nvvm::load(v, loaded, address, count * bytes);
}

// Rows of c at multiples of 16 bytes, and of the inputs too (the entry's alignments ask for it): pieces of
// them are loaded whole.
static Value loadRow(const ResultSink &sink, const ValueBuilder &v, Value matrix, const ResultBox &box,
                     int count) {
  auto bytesOf = [](Value of) { return mx::storageBytes(getElementTypeOrSelf(of.getType()), 1); };
  int piece = 16 / std::max(bytesOf(matrix), sink.outputs.empty() ? 0 : bytesOf(sink.outputs.front()));
  SmallVector<Value> elements;
  for (int i = 0; i < count; i += piece) {
    Value loaded = loadElements(sink, v, matrix, box, box.row, v.add(box.column, i), piece);
    for (int j = 0; j < piece; ++j)
      elements.push_back(toF32(v, nvvm::element(v, loaded, j)));
  }
  return nvvm::fromElements(v, VectorType::get(count, v.b.getF32Type()), elements);
}

// The two columns of each row, which lie side by side: at multiples of their size, too (the same alignments).
static Value loadPairs(const ResultSink &sink, const ValueBuilder &v, Value matrix, const ResultBox &box,
                       int first, int count) {
  SmallVector<Value> elements;
  for (int i = first; i < first + count; i += 2) {
    Value pair = loadElements(sink, v, matrix, box, sink.rowOf(v, box, i), sink.columnOf(v, box, i), 2);
    for (int j : {0, 1})
      elements.push_back(toF32(v, nvvm::element(v, pair, j)));
  }
  return nvvm::fromElements(v, VectorType::get(count, v.b.getF32Type()), elements);
}

// What the box's elements from `first` on get: a scalar where all get the same. Broadcast elements are loaded
// once.
static Value loadInput(const ResultSink &sink, const ValueBuilder &v, Value matrix, const ResultBox &box,
                       int first, int count) {
  bool isColumn = cast<MemRefType>(matrix.getType()).getShape().back() == 1;
  if (!isColumn && sink.hasWholeRows()) return loadRow(sink, v, matrix, box, count);
  if (!isColumn && sink.hasWholePairs()) return loadPairs(sink, v, matrix, box, first, count);
  SmallVector<Value> elements;
  std::map<int, Value> ofRow;
  for (int i = first; i < first + count; ++i) {
    Value &known = isColumn ? ofRow[sink.rowOffset(i)] : elements.emplace_back();
    if (!known)
      known =
          toF32(v, loadElements(sink, v, matrix, box, sink.rowOf(v, box, i), sink.columnOf(v, box, i), 1));
    if (isColumn) elements.push_back(known);
  }
  if (ofRow.size() == 1) return elements.front();
  return nvvm::fromElements(v, VectorType::get(count, v.b.getF32Type()), elements);
}

// Only the box's elements from `first` on, which are all that `products` have.
static SmallVector<Value> applyToPiece(const ResultSink &sink, const ValueBuilder &v, ValueRange products,
                                       const ResultBox &box, int first) {
  auto type = cast<VectorType>(products.front().getType());
  int count = type.getNumElements();
  SmallVector<Value> results(products);
  if (sink.alpha) {
    Value alpha = nvvm::load(v, v.b.getF32Type(), sink.function.pointer(sink.nameOf(sink.alpha)), 4);
    SmallVector<Value> alphas(count, alpha);
    Value factor = nvvm::fromElements(v, type, alphas);
    for (Value &product : results)
      product = arith::MulFOp::create(v.b, v.loc, product, factor);
  }
  if (sink.epilogue) {
    SmallVector<Value> inputs = results;
    for (Value input : sink.inputs)
      inputs.push_back(loadInput(sink, v, input, box, first, count));
    results = applyScalarRegion(v, *sink.epilogue, inputs, {}, sink.scalars);
  }
  if (sink.accumulates)
    for (auto [result, output] : llvm::zip(results, sink.outputs))
      result = arith::AddFOp::create(v.b, v.loc, result, loadInput(sink, v, output, box, first, count));
  return results;
}

static Value elementsOf(const ValueBuilder &v, Value values, int first, int count) {
  SmallVector<Value> elements;
  for (int i = first; i < first + count; ++i)
    elements.push_back(nvvm::element(v, values, i));
  return nvvm::fromElements(v, VectorType::get(count, v.b.getF32Type()), elements);
}

SmallVector<Value> applyEpilogue(const ResultSink &sink, const ValueBuilder &v, ValueRange products,
                                 const ResultBox &box) {
  const int count = cast<VectorType>(products.front().getType()).getNumElements();
  // Beside all sums of a tile there are no registers for the inputs of a whole box: of eight columns at a
  // time.
  constexpr int kPiece = 4;
  if (sink.fragment != ResultFragment::WarpgroupPairs || sink.inputs.empty())
    return applyToPiece(sink, v, products, box, 0);
  SmallVector<SmallVector<Value>> elements; // of each result
  for (int first = 0; first < count; first += kPiece) {
    SmallVector<Value> ofPiece;
    for (Value product : products)
      ofPiece.push_back(elementsOf(v, product, first, kPiece));
    const SmallVector<Value> results = applyToPiece(sink, v, ofPiece, box, first);
    elements.resize(results.size());
    for (auto [all, result] : llvm::zip(elements, results))
      for (int i = 0; i < kPiece; ++i)
        all.push_back(nvvm::element(v, result, i));
  }
  SmallVector<Value> results;
  for (ArrayRef<Value> all : elements)
    results.push_back(nvvm::fromElements(v, VectorType::get(count, v.b.getF32Type()), all));
  return results;
}

} // namespace mxc
