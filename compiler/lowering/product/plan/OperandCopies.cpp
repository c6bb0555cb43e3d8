#include "compiler/lowering/product/plan/OperandCopies.h"
#include "compiler/lowering/nvvm/Memory.h"
#include "compiler/lowering/product/plan/ProductMaps.h"

using namespace mlir;

namespace mxc {

static constexpr int kSlabBytes = 2 * kStepK, kCountsAt = 64;

StringRef nameOfCopies(CopiedOperands operands) {
  switch (operands) {
  case CopiedOperands::Both:
    return "mxc.copies";
  case CopiedOperands::A:
    return "mxc.rows";
  case CopiedOperands::B:
    return "mxc.columns";
  }
  llvm_unreachable("copied operands");
}

// Slabs of 128 elements of K that a row of a copy has.
static ShapeExpression slabsOf(const ProductExtents &at) { return max(ceilDiv(at.k, kStepK), 1); }

void addOperandCopies(mx::ProductOpInterface op, KernelSignature &signature) {
  const ProductExtents at(op, signature);
  const ShapeExpression slabs = slabsOf(at);
  auto add = [&](CopiedOperands operands, const ShapeExpression &rows) {
    signature.addWorkspace(nameOfCopies(operands), rows * at.batches * slabs * kSlabBytes,
                           WorkspaceZeroing::No);
  };
  const ShapeExpression rowsB = at.n * at.matricesOfB(), blocksB = ceilDiv(at.n, 128) * at.matricesOfB();
  add(CopiedOperands::Both, at.m + rowsB);
  const bool copiesA = llvm::any_of(op.getTilesAttr(), [](Attribute attribute) {
    auto tile = dyn_cast<mx::MatmulTileAttr>(attribute);
    return tile && tile.getA() == mx::LeftOperand::CopiedAlone;
  });
  if (copiesA || !op.getEnds()) add(CopiedOperands::A, at.m); // without groups few rows' tiles have it
  add(CopiedOperands::B, rowsB);
  signature.addWorkspace(kCounts, kCountsAt + 4 * (ceilDiv(at.m, 8) + blocksB) * at.batches * slabs,
                         WorkspaceZeroing::Once);
}

static ShapeExpression batchesOf(const ProductExtents &at) {
  return at.isBatched ? at.batches : ShapeExpression();
}
static ShapeExpression matricesOf(const ProductExtents &at) {
  return at.isBatched || at.hasGroups() || at.matrices > 1 ? at.batches * at.matricesOfB()
                                                           : ShapeExpression();
}

// Boxes end with K where both operands are copied. Where one alone is, slabs are whole: inside of one the
// order is another, and what lies past K was written as zeros.
TensorMapRecipe copiesMap(const OperandBox &box, mx::ProductOpInterface op,
                          const KernelSignature &signature) {
  const ProductExtents at(op, signature);
  const bool areBoth = box.copied == CopiedOperands::Both;
  const ShapeExpression pitch = slabsOf(at) * kSlabBytes,
                        columns = areBoth ? max(at.k, 1) : slabsOf(at) * kStepK,
                        &rows = box.isB ? at.n : at.m, matrices = box.isB ? matricesOf(at) : batchesOf(at);
  SmallVector<MapDimension> dimensions = {{columns, {}, kStepKBf16},
                                          {rows, pitch, uint32_t(box.rowsOfMatrix())}};
  if (!matrices.empty()) dimensions.push_back({matrices, rows * pitch, uint32_t(std::max(1, box.matrices))});
  TensorMapRecipe map = tensorMapRecipe(nameOfCopies(*box.copied).str(), TensorMapType::BF16,
                                        TensorMapSwizzle::B128, dimensions);
  if (areBoth && box.isB) map.offset = at.batches * at.m * slabsOf(at) * kSlabBytes;
  return map;
}

OperandCopies::OperandCopies(const ProductEntry &e, const CopyPlan &plan) : e_(e), plan_(plan) {
  ValueBuilder v = e.function.values();
  copies_ = e.function.pointer(nameOfCopies(plan.operands)), counts_ = e.function.pointer(kCounts);
  slabs_ = v.ceilDivu(e.k, kStepK);
  blocksA_ = plan.has(false) ? v.ceilDivu(e.m, plan.blockRows) : v.i32(0);
  blocksB_ = plan.has(true) ? v.ceilDivu(e.n, plan.blockRows) : v.i32(0);
}

Value OperandCopies::row(const ValueBuilder &v, bool isB, Value batch, Value row) const {
  Value index = v.add(v.mul(v.toI64(batch), v.toI64(isB ? e_.n : e_.m)), v.toI64(row));
  if (isB && plan_.has(false)) index = v.add(index, v.mul(v.toI64(e_.batches), v.toI64(e_.m)));
  return nvvm::offsetBytes(v, copies_, v.mul(index, v.mul(v.toI64(slabs_), kSlabBytes)));
}

Value OperandCopies::counts(const ValueBuilder &v, bool isB, Value batch, Value block) const {
  Value index = v.add(v.mul(batch, blocks(isB)), block);
  if (isB && plan_.has(false)) index = v.add(index, v.mul(e_.batches, blocksA_));
  return nvvm::offsetBytes(v, counts_, v.add(v.mul(v.mul(v.toI64(index), v.toI64(slabs_)), 4), kCountsAt));
}

Value OperandCopies::allBlocks(const ValueBuilder &v) const {
  Value blocksB = e_.matrices() == 1 ? blocksB_ : v.mul(blocksB_, e_.matrices());
  if (e_.hasGroups()) return v.add(blocksA_, v.mul(blocksB, e_.groups));
  return v.mul(v.add(blocksA_, blocksB), e_.batches);
}

Value OperandCopies::tickets(const ValueBuilder &) const { return counts_; }

void OperandCopies::leave(const ValueBuilder &v) const {
  Value through = nvvm::offsetBytes(v, counts_, v.i64(4));
  Value words = v.mul(allBlocks(v), slabs_);
  mx::LeaveOp::create(v.b, v.loc, through, v.b.getI32IntegerAttr(plan_.warps), counts_,
                      v.add(words, kCountsAt / 4));
}

} // namespace mxc
