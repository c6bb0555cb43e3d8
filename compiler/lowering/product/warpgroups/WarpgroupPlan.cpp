#include "compiler/lowering/product/warpgroups/WarpgroupPlan.h"
#include "compiler/lowering/product/ProductMachine.h"
#include "compiler/lowering/product/plan/ProductMaps.h"
#include "compiler/lowering/product/results/SliceSums.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace mxc {

static constexpr int kStoreWarps = 8; // that multiply, too

// A stage is 64 elements of K in bf16, of all rows of b that the tile has (of a alone: of its rows): in a
// cluster each CTA brings its half.
WarpgroupPlan::WarpgroupPlan(mx::ProductOpInterface op, mx::MatmulTileAttr tile)
    : ClusterTilePlan(op, tile, kStoreWarps, /*storeRows=*/16), formatA(info(op.getFormatA())),
      narrowest(narrowestBits(op)), isRaggedK(op.isRaggedK()) {
  constexpr int kRowBytes = 2 * kStepKBf16;
  operands = {"operands", int(tile.getStages()), {sideN() * kRowBytes}};
  if (!isInFlight()) operands.parts.insert(operands.parts.begin(), kCtaRows * kRowBytes);
  codes = {"codes", 2, {kCtaRows * kStepK * bitsA() / 8, scaleTilesOfSlab() * kScaleTileBytes}};
  placeStaging(fragment());
  queue = queueOfRecords(/*ahead=*/1);
  isInFlight() ? placeRingsAndQueue({operands, codes}) : placeRingsAndQueue({operands});
}

CopyPlan WarpgroupPlan::copies() const {
  return {.operands = isBInFlight()  ? CopiedOperands::A
                      : isInFlight() ? CopiedOperands::B
                                     : CopiedOperands::Both,
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

// Of b in flight: a CTA has 128 of its rows, which are columns of c; all rows of the tile, copied, are its N
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
  map.box[0] = kTransposedColumns, map.box[1] = rowsOfTransposedBox();
  map.swizzle = elementBytes == 2 ? TensorMapSwizzle::B32 : TensorMapSwizzle::B64;
}

EntryPlan WarpgroupPlan::entry(mx::ProductOpInterface op, const KernelSignature &signature) const {
  const ProductExtents at(op, signature);
  EntryPlan entry;
  if (isBInFlight()) {
    entry.maps = {operandCopyMap(op, signature, /*isB=*/false, rowsA()),
                  matrixMap(op.getB(), signature, at.ofB(), at.n, at.k, kCtaRows),
                  scaleMap(op.getScalesB(), signature, at.ofB(), at.n, kScaleTileBytes / 2, 1)};
    if (hasHalfTiles()) entry.maps.push_back(operandCopyMap(op, signature, /*isB=*/false, rowsA() / 2));
  } else if (isInFlight() && gathersRows)
    entry.maps = {operandCopyMap(op, signature, /*isB=*/true, rowsOfPartB(), partsB())};
  else if (isInFlight())
    entry.maps = {operandCopyMap(op, signature, /*isB=*/true, rowsOfPartB(), partsB()),
                  slabsMap(op.getA(), signature, at, kCtaRows),
                  scaleMap(op.getScalesA(), signature, at, at.scaleRowsA(), kScaleTileBytes / 2, 1,
                           kStepK / scaleTilesOfSlab(), 0, uint32_t(scaleTilesOfSlab()))};
  else
    llvm::append_range(entry.maps, operandCopyMaps(op, signature, kCtaRows, rowsOfPartB(), partsB()));
  entry.shared = shared;
  entry.workspaces = {nameOfCopies(copies().operands).str(), kCounts.str()};
  if (tile.getSlices() > 1) llvm::append_range(entry.workspaces, ArrayRef{kParts.str(), kArrivals.str()});
  AbiVariant &variant = entry.variant;
  if (storesBoxes())
    for (TensorMapRecipe &map : resultMaps(op, signature, storeRows)) {
      if (isBInFlight()) narrow(map);
      variant.alignments.push_back({map.argument, 16});
      entry.maps.push_back(std::move(map));
    }
  if (loadsBoxes())
    for (Value operand : {op.getA(), op.getB()})
      variant.alignments.push_back({signature.argument(operand).name, 16});
  if (isInFlight()) // by tensor maps, and in words of four
    for (Value scales : {op.getScalesA(), op.getScalesB()})
      variant.alignments.push_back({signature.argument(scales).name, 16});
  alignQuantized(op, signature, variant);
  alignInputPairs(op, signature, variant);
  // Clusters beyond the tiles' help to make the copies, some two units of 32 x 128 a warp.
  ShapeExpression pieces = at.tiles(tile.getM(), columns());
  if (tile.getSlices() > 1) pieces = pieces * tile.getSlices();
  ShapeExpression rowsB = at.n * at.matricesOfB();
  ShapeExpression helpers = ceilDiv((isBInFlight()  ? at.m
                                     : isInFlight() ? rowsB
                                                    : at.m + rowsB) *
                                        ceilDiv(at.k, kStepK),
                                    192 * ctas());
  fillVariant(variant, min(64 * pieces, max(pieces, helpers)), warps());
  return entry;
}

void WarpgroupPlan::emit(mx::ProductOpInterface op, const KernelSignature &signature,
                         EntryFunction &function) const {
  ValueBuilder v = function.values();
  // Two warpgroups with the accumulators, one that loads and copies: together what a launch of 12 warps has.
  static constexpr int32_t kFragments[] = {216, 216, 72}, kCopies[] = {208, 208, 88};
  mx::PipelineOp::create(v.b, v.loc, /*within=*/Value(), warps(), /*tensor_columns=*/0, /*allocating_warp=*/0,
                         /*pair=*/false,
                         /*sharing=*/ctas() == 2, /*splits=*/1,
                         hasRegistersForCopies() ? kCopies : kFragments);
  Value operandRing = createRing(v, operands), codeRing = isInFlight() ? createRing(v, codes) : Value();
  Value queueRing = handsOut() ? createRing(v, queue) : Value();
  Value stagingMemory = staging(v), turningMemory = turning(v);
  ProductEntry e(op, signature, function);
  ProductTiles walked =
      tiles(e, mx::StaticScheduleAttr::get(op.getContext(), tile.getSupergroup(), tile.getSlices()));
  walked.queue = queueRing;
  const OperandCopies made(e, copies());
  WarpgroupEntry entry{{e, *this, walked, operandRing, sink(e, fragment())}, codeRing, made};
  entry.results.staging = stagingMemory, entry.results.turning = turningMemory;
  emitMultiplyOnWarpgroups(entry);
  emitLoadCopies(entry);
  if (loadsCodesApart()) emitLoadCodes(entry);
  emitDequantizeOperands(entry, made, firstCopyWarp(), copyWarps());
  if (handsOut()) emitHandOut(e, walked, scheduleWarp());
}

namespace {
class WarpgroupMachine : public ProductMachine {
public:
  bool takes(Attribute tile) const override { return isa<mx::MatmulTileAttr>(tile); }
  void declare(mx::ProductOpInterface op, KernelSignature &signature) const override {
    addOperandCopies(op, signature);
    addSliceSums(op, signature, kStoreWarps);
  }
  std::unique_ptr<ProductPlan> plan(mx::ProductOpInterface op, Attribute tile,
                                    const Target &) const override {
    return std::make_unique<WarpgroupPlan>(op, cast<mx::MatmulTileAttr>(tile));
  }
};
} // namespace

const ProductMachine *warpgroupMachine() {
  static const WarpgroupMachine machine;
  return &machine;
}

} // namespace mxc
