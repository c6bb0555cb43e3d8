// mx.combine: a lane has a piece of a row of the result. It loads the pieces of all rows that are named for
// it before it adds the first one.
#include "compiler/lowering/combine/EntriesByAccess.h"
#include "compiler/lowering/combine/GatherDot.h"
#include "compiler/lowering/combine/NamedRows.h"
#include "compiler/lowering/entry/Branch.h"
#include "compiler/lowering/entry/EntryDriver.h"
#include "compiler/lowering/entry/KernelLoweringInterface.h"
#include "compiler/lowering/entry/TileGrid.h"
#include "compiler/lowering/nvvm/Memory.h"
#include "compiler/lowering/nvvm/Threads.h"
#include "compiler/lowering/nvvm/Vectors.h"

using namespace mlir;

namespace mxc {

namespace {

// One access of an entry point.
class CombineEntry {
public:
  CombineEntry(mx::CombineOp op, const KernelSignature &signature, RowAccess access)
      : op_(op), signature_(signature), access_(access),
        elements_(access == RowAccess::Element ? 1 : 16 / mx::storageBytes(elementOf(op.getInput()), 1)) {}

  SmallVector<std::string> needs() const {
    if (access_ == RowAccess::Element) return {};
    return {signature_.columns().name + " % " + std::to_string(elements_) + " == 0", "N > 0"};
  }

  EntryPlan plan(ShapeExpression when) {
    EntryPlan plan;
    plan.variant.when = std::move(when);
    plan.variant.tile = access_ == RowAccess::Vector ? "access = vector" : "access = element";
    plan.variant.block[0] = kCombineThreads;
    TileGrid().cover(plan.variant, signature_.rows().text(),
                     "ceildiv(" + signature_.columns().text() + ", " +
                         std::to_string(elements_ * kCombineThreads) + ")");
    if (access_ == RowAccess::Vector)
      for (Value matrix : {op_.getInput(), op_.getSums()})
        plan.variant.alignments.push_back({signature_.argument(matrix).name, pieceBytes(matrix, elements_)});
    return plan;
  }

  void emit(EntryFunction &entry) {
    ValueBuilder v = entry.values();
    TileGrid::Place place = TileGrid().place(v, [&](Value i) { return v.toI64(i); });
    Value thread = v.toI64(nvvm::threadIdX(v));
    Value column = v.mul(v.add(v.mul(place.column, kCombineThreads), thread), elements_);
    whereWork(v, v.less(place.row, entry.rows()), [&] {
      Value isInside = v.less(column, entry.columns());
      NamedRows rows(entry, signature_, op_.getInput(), op_.getRows(), place.row);
      SmallVector<Value> sums = access_ == RowAccess::Vector
                                    ? pieceSums(v, rows, v.select(isInside, column, v.i64(0)))
                                    : elementSum(v, rows, column, isInside);
      store(entry, place.row, column, isInside, sums);
    });
  }

private:
  static Type elementOf(Value matrix) { return cast<MemRefType>(matrix.getType()).getElementType(); }

  // One a row, or nothing; +0 for no row.
  SmallVector<Value> weights(const ValueBuilder &v, const NamedRows &rows) {
    SmallVector<Value> weights;
    for (size_t j = 0; op_.getWeights() && j < rows.count(); ++j) {
      Value weight = nvvm::load(v, v.b.getF32Type(), rows.placeIn(op_.getWeights(), j), 4);
      weights.push_back(v.select(rows.isThere(j), weight, f32(v, 0)));
    }
    return weights;
  }

  static Value added(const ValueBuilder &v, Value x, Value weight, Value sum) {
    return weight ? nvvm::multiplyAdd(v, weight, x, sum) : arith::AddFOp::create(v.b, v.loc, sum, x);
  }

  SmallVector<Value> pieceSums(const ValueBuilder &v, const NamedRows &rows, Value column) {
    SmallVector<Value> words; // every load is issued before the first use
    for (size_t j = 0; j < rows.count(); ++j)
      words.push_back(rows.load(j, column, elements_));
    SmallVector<Value> factors = weights(v, rows), sums(elements_, f32(v, 0));
    for (size_t j = 0; j < rows.count(); ++j)
      for (auto [sum, x] : llvm::zip(sums, rows.elements(j, words[j], elements_)))
        sum = added(v, x, factors.empty() ? Value() : factors[j], sum);
    return sums;
  }

  SmallVector<Value> elementSum(const ValueBuilder &v, const NamedRows &rows, Value column, Value isInside) {
    SmallVector<Value> factors = weights(v, rows);
    Value sum = f32(v, 0);
    for (size_t j = 0; j < rows.count(); ++j)
      sum = added(v, rows.element(j, column, isInside), factors.empty() ? Value() : factors[j], sum);
    return {sum};
  }

  void store(EntryFunction &entry, Value row, Value column, Value isInside, ArrayRef<Value> sums) {
    ValueBuilder v = entry.values();
    Type element = elementOf(op_.getSums());
    Value values = nvvm::fromElements(v, VectorType::get(sums.size(), v.b.getF32Type()), sums);
    if (!element.isF32())
      values = arith::TruncFOp::create(v.b, v.loc, VectorType::get(sums.size(), element), values);
    Value address = elementAddress(entry, signature_, op_.getSums(), row, column);
    if (access_ == RowAccess::Element)
      return ifThen(v, isInside, [&] {
        nvvm::store(v, nvvm::element(v, values, 0), address, mx::storageBytes(element, 1));
      });
    Type words = VectorType::get(mx::storageBytes(element, elements_) / 4, v.b.getI32Type());
    nvvm::storeIf(v, isInside, nvvm::bitcast(v, words, values), address,
                  pieceBytes(op_.getSums(), elements_));
  }

  mutable mx::CombineOp op_; // accessors of operations are not const
  const KernelSignature &signature_;
  RowAccess access_;
  int elements_; // of a lane
};

struct CombineLowering : KernelLoweringInterface::ExternalModel<CombineLowering, mx::CombineOp> {
  LogicalResult lowerKernel(Operation *op, ModuleOp module, const Target &target,
                            KernelSignature &signature) const {
    return emitByAccess<CombineEntry>(cast<mx::CombineOp>(op), module, target, signature);
  }
};

} // namespace

void registerCombineLowering(DialectRegistry &registry) {
  attachLowering<mx::CombineOp, CombineLowering>(registry);
  registerGatherDotLowering(registry);
}

} // namespace mxc
