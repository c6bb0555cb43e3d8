// mx.gather_dot: a warp has a row of the result. A lane takes pieces of 8 elements of the row and of every
// row that is named for it, 32 pieces apart; then the lanes' sums are added as a tree.
#include "compiler/lowering/combine/GatherDot.h"
#include "compiler/lowering/combine/EntriesByAccess.h"
#include "compiler/lowering/combine/NamedRows.h"
#include "compiler/lowering/entry/Branch.h"
#include "compiler/lowering/entry/EntryDriver.h"
#include "compiler/lowering/entry/KernelLoweringInterface.h"
#include "compiler/lowering/entry/TileGrid.h"
#include "compiler/lowering/nvvm/Memory.h"
#include "compiler/lowering/nvvm/Threads.h"
#include "compiler/lowering/nvvm/Vectors.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace mxc {

namespace {

constexpr int kPiece = 8, kWarps = kCombineThreads / 32; // semantics/combine.md states what a lane adds

class GatherDotEntry {
public:
  GatherDotEntry(mx::GatherDotOp op, const KernelSignature &signature, RowAccess access)
      : op_(op), signature_(signature), access_(access) {}

  SmallVector<std::string> needs() const {
    if (access_ == RowAccess::Element) return {};
    return {signature_.columns().name + " % " + std::to_string(kPiece) + " == 0", "N > 0"};
  }

  EntryPlan plan(ShapeExpression when) {
    EntryPlan plan;
    plan.variant.when = std::move(when);
    plan.variant.tile = access_ == RowAccess::Vector ? "access = vector" : "access = element";
    plan.variant.block[0] = kCombineThreads;
    TileGrid().cover(plan.variant,
                     "ceildiv(" + signature_.rows().text() + ", " + std::to_string(kWarps) + ")", "1");
    if (access_ == RowAccess::Vector)
      for (Value matrix : {op_.getLeft(), op_.getRight()})
        plan.variant.alignments.push_back({signature_.argument(matrix).name, pieceBytes(matrix, kPiece)});
    return plan;
  }

  void emit(EntryFunction &entry) {
    ValueBuilder v = entry.values();
    TileGrid::Place place = TileGrid().place(v, [&](Value i) { return v.toI64(i); });
    Value thread = nvvm::threadIdX(v), lane = v.bitAnd(thread, 31);
    Value row = v.add(v.mul(place.row, kWarps), v.toI64(v.shru(thread, 5)));
    whereWork(v, v.less(row, entry.rows()), [&] { // the same in a whole warp
      NamedRows rows(entry, signature_, op_.getRight(), op_.getRows(), row);
      Value isFirst = v.equal(lane, v.i32(0));
      SmallVector<Value> dots;
      for (auto [j, sum] : llvm::enumerate(laneSums(entry, rows, row, lane)))
        dots.push_back(v.select(rows.isThere(j), sumOfWarp(v, sum), f32(v, 0)));
      ifThen(v, isFirst, [&] {
        for (auto [j, dot] : llvm::enumerate(dots))
          nvvm::store(v, dot, rows.placeIn(op_.getDots(), j), 4);
      });
    });
  }

private:
  // Over its pieces, in ascending order.
  SmallVector<Value> laneSums(EntryFunction &entry, const NamedRows &rows, Value row, Value lane) {
    ValueBuilder v = entry.values();
    SmallVector<Value> zeros(rows.count(), f32(v, 0));
    auto loop = scf::ForOp::create(v.b, v.loc, v.mul(v.toI64(lane), kPiece), entry.columns(),
                                   v.i64(32 * kPiece), zeros);
    OpBuilder::InsertionGuard guard(v.b);
    v.b.setInsertionPointToStart(loop.getBody());
    SmallVector<Value> sums(loop.getRegionIterArgs());
    Value column = loop.getInductionVar();
    sums = access_ == RowAccess::Vector ? withPiece(entry, rows, row, column, sums)
                                        : withElements(entry, rows, row, column, sums);
    scf::YieldOp::create(v.b, v.loc, sums);
    return SmallVector<Value>(loop.getResults());
  }

  SmallVector<Value> withPiece(EntryFunction &entry, const NamedRows &rows, Value row, Value column,
                               SmallVector<Value> sums) {
    ValueBuilder v = entry.values();
    Type element = cast<MemRefType>(op_.getLeft().getType()).getElementType();
    Value address = elementAddress(entry, signature_, op_.getLeft(), row, column);
    Value leftWords = loadWords(v, element, address, kPiece);
    SmallVector<Value> words; // every load is issued before the first use
    for (size_t j = 0; j < rows.count(); ++j)
      words.push_back(rows.load(j, column, kPiece));
    SmallVector<Value> left = elementsOf(v, element, leftWords, kPiece);
    for (auto [j, sum] : llvm::enumerate(sums))
      for (auto [x, y] : llvm::zip(left, rows.elements(j, words[j], kPiece)))
        sum = nvvm::multiplyAdd(v, x, y, sum);
    return sums;
  }

  SmallVector<Value> withElements(EntryFunction &entry, const NamedRows &rows, Value row, Value first,
                                  ArrayRef<Value> sums) {
    ValueBuilder v = entry.values();
    Type element = cast<MemRefType>(op_.getLeft().getType()).getElementType();
    auto loop = scf::ForOp::create(v.b, v.loc, v.i64(0), v.i64(kPiece), v.i64(1), sums);
    OpBuilder::InsertionGuard guard(v.b);
    v.b.setInsertionPointToStart(loop.getBody());
    Value column = v.add(first, loop.getInductionVar()), isInside = v.less(column, entry.columns());
    Value address = elementAddress(entry, signature_, op_.getLeft(), row, column);
    Value x = toF32(v, loadIf(v, isInside, element, address, mx::storageBytes(element, 1)));
    SmallVector<Value> next;
    for (auto [j, sum] : llvm::enumerate(loop.getRegionIterArgs()))
      next.push_back(nvvm::multiplyAdd(v, x, rows.element(j, column, isInside), sum));
    scf::YieldOp::create(v.b, v.loc, next);
    return SmallVector<Value>(loop.getResults());
  }

  static Value sumOfWarp(const ValueBuilder &v, Value sum) {
    for (int distance = 16; distance; distance /= 2) {
      Value bits = nvvm::shuffleXor(v, nvvm::bitcast(v, v.b.getI32Type(), sum), distance);
      sum = arith::AddFOp::create(v.b, v.loc, sum, nvvm::bitcast(v, v.b.getF32Type(), bits));
    }
    return sum;
  }

  mutable mx::GatherDotOp op_; // accessors of operations are not const
  const KernelSignature &signature_;
  RowAccess access_;
};

struct GatherDotLowering : KernelLoweringInterface::ExternalModel<GatherDotLowering, mx::GatherDotOp> {
  LogicalResult lowerKernel(Operation *op, ModuleOp module, const Target &target,
                            KernelSignature &signature) const {
    return emitByAccess<GatherDotEntry>(cast<mx::GatherDotOp>(op), module, target, signature);
  }
};

} // namespace

void registerGatherDotLowering(DialectRegistry &registry) {
  attachLowering<mx::GatherDotOp, GatherDotLowering>(registry);
}

} // namespace mxc
