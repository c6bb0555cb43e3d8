#include "compiler/lowering/product/warpgroups/OperandCopies.h"
#include "compiler/lowering/nvvm/Memory.h"
#include "compiler/lowering/product/plan/MatmulMaps.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace mxc {

static constexpr int kSlabBytes = 2 * kStepK, kCountsAt = 64;

namespace {
struct Extents { // as the ABI's expressions
  std::string m, n, k, b;
  std::string slabs() const { return "max(ceildiv(" + k + ", 128), 1)"; }
};
} // namespace

static Extents extentsOf(mx::MatmulOp op, const KernelSignature &signature) {
  auto text = [&](StringRef name) { return signature.extent(name).text(); };
  return {text("M"), text("N"), text("K"), op.isBatched() ? text("B") : "1"};
}

void addOperandCopies(mx::MatmulOp op, KernelSignature &signature) {
  Extents at = extentsOf(op, signature);
  signature.addWorkspace(
      kCopies, llvm::formatv("({0} + {1}) * {2} * {3} * {4}", at.m, at.n, at.b, at.slabs(), kSlabBytes),
      WorkspaceZeroing::No);
  signature.addWorkspace(kRowCopies,
                         llvm::formatv("{0} * {1} * {2} * {3}", at.m, at.b, at.slabs(), kSlabBytes),
                         WorkspaceZeroing::No);
  signature.addWorkspace(kCounts,
                         llvm::formatv("{0} + 4 * (ceildiv({1}, 32) + ceildiv({2}, 128)) * {3} * {4}",
                                       kCountsAt, at.m, at.n, at.b, at.slabs()),
                         WorkspaceZeroing::Once);
}

std::array<TensorMapRecipe, 2> operandCopyMaps(mx::MatmulOp op, const KernelSignature &signature,
                                               const MatmulPlan &plan) {
  Extents at = extentsOf(op, signature);
  std::string pitch = llvm::formatv("{0} * {1}", at.slabs(), kSlabBytes);
  auto map = [&](const std::string &rows, uint32_t boxRows, const std::string &offset) {
    SmallVector<MapDimension> dimensions = {{"max(" + at.k + ", 1)", "", kStepKBf16}, {rows, pitch, boxRows}};
    if (op.isBatched()) dimensions.push_back({at.b, rows + " * " + pitch, 1});
    TensorMapRecipe recipe =
        tensorMapRecipe(kCopies.str(), TensorMapType::BF16, TensorMapSwizzle::B128, dimensions);
    if (!offset.empty()) recipe.offset = ShapeExpression(offset);
    return recipe;
  };
  return {map(at.m, kCtaRows, ""), map(at.n, plan.columnsB(), at.b + " * " + at.m + " * " + pitch)};
}

// Whole slabs: inside of one the order is another, and what lies behind K was written as zeros.
TensorMapRecipe rowCopyMap(mx::MatmulOp op, const KernelSignature &signature, int rows) {
  Extents at = extentsOf(op, signature);
  std::string pitch = llvm::formatv("{0} * {1}", at.slabs(), kSlabBytes);
  SmallVector<MapDimension> dimensions = {{at.slabs() + " * 128", "", kStepKBf16},
                                          {at.m, pitch, uint32_t(rows)}};
  if (op.isBatched()) dimensions.push_back({at.b, at.m + " * " + pitch, 1});
  return tensorMapRecipe(kRowCopies.str(), TensorMapType::BF16, TensorMapSwizzle::B128, dimensions);
}

OperandCopies::OperandCopies(const MatmulEntry &e, const CopyPlan &plan) : e_(e), plan_(plan) {
  ValueBuilder v = e.entry.values();
  copies_ = e.entry.pointer(plan.both ? kCopies : kRowCopies), counts_ = e.entry.pointer(kCounts);
  slabs_ = v.ceilDivu(e.k, kStepK), blocksA_ = v.ceilDivu(e.m, plan.blockRows);
  blocksB_ = plan.both ? v.ceilDivu(e.n, plan.blockRows) : v.i32(0);
}

Value OperandCopies::row(const ValueBuilder &v, bool isB, Value batch, Value row) const {
  Value index = v.add(v.mul(v.toI64(batch), v.toI64(isB ? e_.n : e_.m)), v.toI64(row));
  if (isB) index = v.add(index, v.mul(v.toI64(e_.batches), v.toI64(e_.m)));
  return nvvm::offsetBytes(v, copies_, v.mul(index, v.mul(v.toI64(slabs_), kSlabBytes)));
}

Value OperandCopies::counts(const ValueBuilder &v, bool isB, Value batch, Value block) const {
  Value index = v.add(v.mul(batch, blocks(isB)), block);
  if (isB) index = v.add(index, v.mul(e_.batches, blocksA_));
  return nvvm::offsetBytes(v, counts_, v.add(v.mul(v.mul(v.toI64(index), v.toI64(slabs_)), 4), kCountsAt));
}

Value OperandCopies::tickets(const ValueBuilder &) const { return counts_; }

void OperandCopies::leave(const ValueBuilder &v) const {
  Value through = nvvm::offsetBytes(v, counts_, v.i64(4));
  Value words = v.mul(v.mul(v.add(blocksA_, blocksB_), e_.batches), slabs_);
  mx::LeaveOp::create(v.b, v.loc, through, v.b.getI32IntegerAttr(plan_.warps), counts_,
                      v.add(words, kCountsAt / 4));
}

} // namespace mxc
