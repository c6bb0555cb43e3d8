#include "compiler/lowering/product/warpgroups/WarpgroupPlan.h"
#include "compiler/lowering/product/copies/DequantizeOperands.h"
#include "compiler/lowering/product/plan/CodeBoxes.h"
#include "compiler/lowering/product/plan/LoadRole.h"
#include "compiler/lowering/product/results/SliceSums.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace mxc {

static constexpr int kStoreWarps = 8; // that multiply, too

static ResultFragment fragmentOf(mx::MatmulTileAttr tile) {
  return tile.getA() == mx::LeftOperand::CopiedAlone ? ResultFragment::WarpgroupPairsTransposed
                                                     : ResultFragment::WarpgroupPairs;
}

WarpgroupPlan::WarpgroupPlan(mx::ProductOpInterface op, mx::MatmulTileAttr tile, const Target &)
    : ClusterTilePlan(op, tile, fragmentOf(tile), kStoreWarps, /*storeRows=*/16),
      formatA(info(op.getFormatA())), narrowest(narrowestBits(op)), isRaggedK(op.isRaggedK()) {
  operands = copiesRing(op);
  codes = {"codes", 2,
           slabBoxes(op, {.isB = isBInFlight(),
                          .rows = kCtaRows,
                          .tilesAlong = scaleTilesOfSlab(),
                          .isGathered = gathersRows})};
  placeStaging();
  queue = queueOfRecords(/*ahead=*/1);
  placeRings(shared, WarpgroupPlan::rings());
}

void WarpgroupPlan::declare(mx::ProductOpInterface op, KernelSignature &signature) {
  addOperandCopies(op, signature);
  addSliceSums(op, signature, kStoreWarps);
}

// A stage is 64 elements of K in bf16, of all rows of b that the tile has (of a alone: of its rows): in a
// cluster each CTA brings its half.
OperandRing WarpgroupPlan::copiesRing(mx::ProductOpInterface op) const {
  const CopyPlan made = copies();
  SmallVector<OperandBox> boxes;
  if (made.has(/*isB=*/false))
    boxes.push_back({.argument = op.getA(),
                     .rows = isInFlight() ? rowsA() : kCtaRows,
                     .step = kStepKBf16,
                     .owner = sharesA() ? BoxOwner::HalfToBoth : BoxOwner::Each,
                     .copied = made.operands});
  if (made.has(/*isB=*/true))
    boxes.push_back({.isB = true,
                     .argument = op.getB(),
                     .rows = columnsB(),
                     .step = kStepKBf16,
                     .matrices = boxMatrices(),
                     .owner = ctas() == 2 ? BoxOwner::HalfToBoth : BoxOwner::Each,
                     .copied = made.operands,
                     .map = unsigned(boxes.size())});
  return {"operands", int(tile.getStages()), boxes};
}

SmallVector<OperandBox> WarpgroupPlan::halfBoxes() const {
  OperandBox half = operands.boxes.front();
  half.rows /= 2, half.map = 1;
  return {half};
}

SmallVector<RingShape> WarpgroupPlan::rings() const {
  SmallVector<RingShape> rings = {operands};
  if (isInFlight()) rings.push_back(codes);
  if (hasQueue()) rings.push_back(queue);
  return rings;
}

SmallVector<OperandBox> WarpgroupPlan::operandBoxes() const {
  SmallVector<OperandBox> boxes = operands.boxes;
  if (isInFlight()) llvm::append_range(boxes, codes.boxes);
  if (hasHalfTiles()) llvm::append_range(boxes, halfBoxes());
  return boxes;
}

CopyPlan WarpgroupPlan::copies() const {
  return {.operands = isInFlight() ? copiedBeside(sideM()) : CopiedOperands::Both,
          .warps = copyWarps() + 1,
          .forFragments = isInFlight(),
          .byRuns = loadsBoxes(),
          .first = {.ctas = ctas(),
                    .supergroup = int(tile.getSupergroup()),
                    .tileM = int(tile.getM()),
                    .tileN = int(tile.getN())},
          .byWaves = ctas() == 2 || hasRegistersForCopies()};
}

std::string WarpgroupPlan::refusal(const Target &target) const {
  if (tile.getN() == 192) return llvm::formatv("has n = 192, {0} takes 64, 128 and 256", target.name).str();
  if (std::string why = schedulerRefusal(target); !why.empty()) return why;
  if (isBInFlight()) return refusalOfB(target);
  if (isInFlight() && bitsA() != 8 && bitsA() != 4)
    return llvm::formatv("has a = in_flight, which is for elements of 8 and 4 bits of a, found {0}", bitsA())
        .str();
  if (isInFlight() && gathersRows && bitsA() != 8)
    return llvm::formatv("has a = in_flight, which gathers rows of a of 8 bits, found {0}", bitsA()).str();
  // Which slice is last each warp finds out for itself.
  if (tile.getSlices() > 1 && hasColumnCopies)
    return llvm::formatv(
               "has slices = {0}, which results quantized along columns do not take: pairs of warps "
               "store them",
               tile.getSlices())
        .str();
  if (std::string why = instructionRefusal(target); !why.empty()) return why;
  if (std::string why = rowsRefusal(target); !why.empty()) return why;
  return sharedRefusal(target);
}

Value WarpgroupPlan::isHalfTile(const ValueBuilder &v, const TileRecord &of) const {
  return v.less(v.sub(of.rows, of.row), v.i32(tile.getM() / 2 + 1));
}

// With b in flight a CTA has 128 of its rows, which are columns of c; all rows of the tile, copied, are its N
// side.
std::string WarpgroupPlan::refusalOfB(const Target &target) const {
  constexpr StringRef what = "has a = copied_alone, which takes";
  if (narrowest != 8) return llvm::formatv("{0} elements of 8 bits, found {1}", what, narrowest).str();
  if (gathersRows) return "has a = copied_alone, which does not gather rows of a";
  if (ctas() == 2 && !sharesA()) return llvm::formatv("{0} share = a with ctas = 2", what).str();
  if (ctaColumns() != kCtaRows)
    return llvm::formatv("{0} n = {1} with ctas = {2}, found {3}", what, kCtaRows * ctas(), ctas(),
                         tile.getN())
        .str();
  if (tile.getM() != 128 && tile.getM() != 256)
    return llvm::formatv("{0} m = 128 and 256, found {1}", what, tile.getM()).str();
  if (tile.getSlices() > 1) return llvm::formatv("{0} one slice, found {1}", what, tile.getSlices()).str();
  if (!storesBoxes()) return llvm::formatv("{0} store = tensor", what).str();
  return sharedRefusal(target);
}

SmallVector<std::string> WarpgroupPlan::conditions(mx::ProductOpInterface op) const {
  SmallVector<std::string> conditions = ClusterTilePlan::conditions(op);
  if (loadsBoxes()) conditions.push_back("K % 16 == 0"); // 16 elements a lane
  if (tile.getSlices() > 1)                              // none is empty
    conditions.push_back(llvm::formatv("K > {0}", kStepK * (tile.getSlices() - 1)));
  return conditions;
}

// A warp's box of results that are transposed: 16 columns, of as many rows as a box has bytes for.
void WarpgroupPlan::narrow(TensorMapRecipe &map) const {
  if (!isBInFlight()) return ClusterTilePlan::narrow(map);
  map.box[0] = kTransposedColumns, map.box[1] = rowsOfTransposedBox();
  map.swizzle = elementBytes == 2 ? TensorMapSwizzle::B32 : TensorMapSwizzle::B64;
}

// Clusters beyond the tiles' help to make the copies, some two units of 32 x 128 a warp.
ShapeExpression WarpgroupPlan::pieces(const ProductExtents &at) const {
  const ShapeExpression pieces = ClusterTilePlan::pieces(at), rowsB = at.n * at.matricesOfB();
  const ShapeExpression copied = isBInFlight() ? at.m : isInFlight() ? rowsB : at.m + rowsB;
  return min(64 * pieces, max(pieces, ceilDiv(copied * ceilDiv(at.k, kStepK), 192 * ctas())));
}

void WarpgroupPlan::finish(mx::ProductOpInterface, const KernelSignature &, EntryPlan &entry) const {
  llvm::append_range(entry.workspaces, ArrayRef{nameOfCopies(copies().operands).str(), kCounts.str()});
}

PipelineShape WarpgroupPlan::pipeline() const {
  // Two warpgroups with the accumulators, one that loads and copies: together what a launch of 12 warps has.
  static constexpr int32_t kFragments[] = {216, 216, 72}, kCopies[] = {208, 208, 88};
  return {.warps = kWarps,
          .shares = ctas() == 2,
          .registers = hasRegistersForCopies() ? ArrayRef(kCopies) : ArrayRef(kFragments)};
}

void WarpgroupPlan::emitRoles(const TileEntry &e) const {
  const OperandCopies made(e, copies());
  const WarpgroupEntry entry(e, *this, made);
  emitMultiplyOnWarpgroups(entry);
  emitLoadCopies(entry);
  if (loadsCodesApart())
    emitLoad(e, {.name = "load codes", .firstWarp = codeWarp(), .ring = codes, .stepK = kStepK});
  emitDequantizeOperands(e, made, firstCopyWarp(), copyWarps());
}

} // namespace mxc
