#include "compiler/lowering/product/plan/ProductPlan.h"
#include "compiler/lowering/entry/MatrixTensorMap.h"
#include "compiler/lowering/product/plan/ProductEntry.h"

#include <map>

using namespace mlir;

namespace mxc {

EntryPlan ProductPlan::entry(mx::ProductOpInterface op, const KernelSignature &signature) const {
  EntryPlan entry;
  entry.shared = shared;
  std::vector<AbiAlignment> &alignments = entry.variant.alignments;
  for (const OperandBox &box : operandBoxes()) {
    int bytes = 16; // copies of lanes
    if (!box.isGathered) {
      entry.maps.push_back(mapOf(box, op, signature));
      bytes = mapAlignment(entry.maps.back().type);
    }
    if (!readsPieces()) continue;
    const std::string &name = signature.argument(box.argument).name;
    if (llvm::none_of(alignments, [&](const AbiAlignment &known) { return known.argument == name; }))
      alignments.push_back({name, bytes});
  }
  if (op.isRaggedK() && ordersInWorkspace()) entry.workspaces.push_back(kGroupOrders.str());
  complete(op, signature, entry);
  return entry;
}

void ProductPlan::emit(mx::ProductOpInterface op, const KernelSignature &signature,
                       EntryFunction &function) const {
  emitBefore(op, signature, function);
  ValueBuilder v = function.values();
  const PipelineShape of = pipeline();
  mx::PipelineOp::create(v.b, v.loc, /*within=*/Value(), of.warps, of.tensorColumns, of.allocatingWarp,
                         of.isPair, of.shares, of.splits, of.registers);
  SmallVector<Value> created;
  std::map<std::string, int> named; // several rings of one shape are numbered
  for (const RingShape &shape : rings()) {
    const int number = named[shape.name]++;
    created.push_back(createRing(v, shape, number ? shape.name + " " + std::to_string(number) : shape.name));
  }
  emitBody(op, signature, function, created);
}

ProductExtents::ProductExtents(mx::ProductOpInterface op, const KernelSignature &signature)
    : m(signature.extent("M").size()), n(signature.extent("N").size()), k(signature.extent("K").size()),
      batches(op.isBatched() ? signature.extent("B").size() : ShapeExpression(1)),
      rowsA(op.getGather() ? signature.extent("T").size() : m), isBatched(op.isBatched()) {
  matrices = op.getPartCount();
  if (op.isRaggedK()) kGroups = signature.extent("G").size();
  if (op.hasGroups()) groups = signature.extent("G").size(), groupAlignment = op.getGroupAlignment();
}

ProductExtents ProductExtents::ofB() const {
  ProductExtents b = *this;
  if (hasGroups()) b.batches = groups, b.isBatched = true;
  return b;
}

ProductExtents ProductExtents::ofResults() const {
  ProductExtents results = *this;
  if (!kGroups.empty()) results.batches = kGroups, results.isBatched = true;
  return results;
}

// Groups that lie side by side have whole tiles of scales each.
ShapeExpression ProductExtents::scaleRowsA() const {
  if (!hasGroups() || groupAlignment != 1) return m;
  return kScaleTileRows * (ceilDiv(m, kScaleTileRows) + groups + -1);
}

// A group of n rows has at most (n + tileM - 1) / tileM tiles; with n rounded up to multiples of its
// alignment, where tiles are multiples of that, (n + tileM - alignment) / tileM.
ShapeExpression ProductExtents::tiles(int tileM, int tileN) const {
  if (hasGroups()) {
    const int64_t align = tileM % groupAlignment ? 1 : groupAlignment;
    ShapeExpression rows = align * ceilDiv(m, align) + groups * (tileM - align);
    return rows / tileM * min(min(m, groups), 1) * ceilDiv(n, tileN);
  }
  return ceilDiv(m, tileM) * ceilDiv(n, tileN) * ofResults().batches;
}

ProductStep productStep(mx::ProductOpInterface op) {
  const BlockFormatInfo &a = info(op.getFormatA()), &b = info(op.getFormatB());
  const bool areFour = info(a.element).bits() == 4 && info(b.element).bits() == 4;
  const auto kind = !areFour                        ? mx::BlockMmaKind::Mxf8f6f4
                    : a.scale == ScaleFormat::UE4M3 ? mx::BlockMmaKind::Mxf4nvf4
                                                    : mx::BlockMmaKind::Mxf4;
  return {kind, a.element, b.element, (areFour ? 2 : 1) * kStepBytes, a.blockColumns * int(kScaleTileBlocks)};
}

int narrowestBits(mx::ProductOpInterface op) {
  auto bits = [](BlockFormat format) { return info(info(format).element).bits(); };
  return std::min(bits(op.getFormatA()), bits(op.getFormatB()));
}

int bytesOfResult(mx::ProductOpInterface op) {
  constexpr int kWithoutMatrices = 2; // boxes of 64 columns: two blocks
  const llvm::SmallVector<mlir::Value> matrices = mx::matrixResults(op);
  if (matrices.empty()) return kWithoutMatrices;
  return int(mx::storageBytes(mlir::getElementTypeOrSelf(matrices.front().getType()), 1));
}

} // namespace mxc
