// mx.matmul and mx.grouped_matmul to tile level: the machine of every tile plans it, then emits rings and
// roles.
#include "compiler/lowering/entry/EntryDriver.h"
#include "compiler/lowering/entry/LaunchCondition.h"
#include "compiler/lowering/entry/SupportedFormats.h"
#include "compiler/lowering/product/AdmissibleTile.h"
#include "compiler/lowering/product/ProductMachines.h"
#include "compiler/lowering/product/TileChoices.h"
#include "compiler/lowering/product/plan/ProductEntry.h"
#include "dialect/formats/Blockwise.h"

using namespace mlir;

namespace mxc {

// The operation that makes scales of which tensor cores with scales multiply the same elements.
static void noteConversion(InFlightDiagnostic &error, mx::ProductOpInterface op, StringRef operand,
                           Value scales, BlockFormat format) {
  auto type = cast<MemRefType>(scales.getType());
  auto layout = mx::ScaleLayoutAttr::get(op.getContext(), mx::ScaleLayoutKind::Tcgen05);
  auto matrix = [](Type element, MemRefLayoutAttrInterface layout) { // to be written so: without quotes
    std::string text;
    llvm::raw_string_ostream(text) << MemRefType::get({ShapedType::kDynamic, ShapedType::kDynamic}, element,
                                                      layout);
    return text;
  };
  const BlockFormatInfo &block = info(format);
  const bool isB = scales == op.getScalesB();
  error.attachNote() << "for " << operand
                     << (op.isBatched()          ? ", each matrix of the batch"
                         : isB && op.hasGroups() ? ", each group's matrix"
                                                 : "")
                     << ": mx.convert_scales ins(%s : " << matrix(type.getElementType(), type.getLayout())
                     << ") outs(%t : " << matrix(Float8E8M0FNUType::get(op.getContext()), layout)
                     << ") inexact(%n : memref<1xi64>) block = "
                     << text({block.blockRows, block.blockColumns}) << " to " << text({1, kBlockColumns});
}

// Promotion is for tensor cores whose sums are in registers.
static LogicalResult requireBlockwise(mx::ProductOpInterface op, BlockFormat format, const Target &target) {
  auto refused = [&] {
    return op->emitOpError("block format ")
           << StringRef(info(format).name) << ": products with f32 scales are ";
  };
  if (target.tensorCore != TensorCore::Warpgroups) {
    InFlightDiagnostic error = refused()
                               << "generated for sm_90a, found " << StringRef(target.name)
                               << ", whose tensor cores take scales that are powers of two, for blocks of "
                               << kBlockColumns << ": mx.convert_scales makes them, once";
    noteConversion(error, op, "a", op.getScalesA(), format);
    noteConversion(error, op, "b", op.getScalesB(), op.getFormatB());
    return error;
  }
  if (!mx::quantizedResults(op).empty())
    return refused() << "not yet generated with results that are quantized";
  if (op.getPartCount() > 1) return refused() << "not yet generated with parts";
  return success();
}

// A step along K has words of scales that are powers of two; those of two levels multiply their own kind.
static LogicalResult requireProduct(mx::ProductOpInterface op, BlockFormat format, const Target &target) {
  const BlockFormatInfo &block = info(format);
  if (isBlockwise(format)) return requireBlockwise(op, format, target);
  if (failed(requireGenerated(op, format, target))) return failure();
  if (block.blockColumns == kBlockColumns && info(block.scale).rule == ScaleRule::PowerOfTwo)
    return success();
  if (info(block.scale).rule == ScaleRule::TwoLevel && op.getFormatA() == op.getFormatB()) return success();
  return op->emitOpError("block format ")
         << StringRef(block.name) << ": products are generated for blocks of " << kBlockColumns
         << " elements with ue8m0 scales";
}

// The variant of one tile; nothing where its condition never holds.
static LogicalResult lowerTile(mx::ProductOpInterface op, mx::TileAttrInterface tile, ModuleOp module,
                               const Target &target, KernelSignature &signature) {
  const auto [plan, refusal] = admissible(op, tile, target);
  if (!refusal.empty()) return op->emitOpError("tile ") << tile << " " << refusal;
  FailureOr<std::optional<ShapeExpression>> when = launchCondition(op, signature, tile, plan->conditions(op));
  if (failed(when)) return failure();
  if (!*when) return success();
  EntryPlan entry = plan->entry(op, signature);
  entry.variant.when = **when;
  return emitEntry(op, module, target, signature, std::move(entry),
                   [&, &plan = *plan](EntryFunction &function) { plan.emit(op, signature, function); });
}

// Whether a tile's CTAs read a b that is constant before they wait for earlier grids.
static bool readsBEarly(mx::ProductOpInterface op, Attribute tile) {
  auto cut = dyn_cast<mx::MatmulTileAttr>(tile);
  return !cut || (isBlockwise(op.getFormatA()) && cut.getLoad() == mx::OperandLoad::Tensor);
}

static LogicalResult lowerProduct(mx::ProductOpInterface op, ModuleOp module, const Target &target,
                                  KernelSignature &signature) {
  for (BlockFormat format : {op.getFormatA(), op.getFormatB()})
    if (failed(requireProduct(op, format, target))) return failure();
  ArrayRef<const ProductMachine *> machines = productMachines(target, op.getFormatA());
  if (machines.empty())
    return op->emitOpError("is not yet on this target (") << StringRef(target.name) << ")";
  if (target.tensorCore == TensorCore::Warpgroups && !isBlockwise(op.getFormatA()))
    signature.abi.operation.attributes["operands"] = "bf16"; // P3: what --verify multiplies
  if (op.getConstantB() &&
      llvm::none_of(op.getTilesAttr(), [&](Attribute tile) { return readsBEarly(op, tile); }))
    signature.abi.operation.attributes["without_effect"] = "constant = b"; // for mxc inspect
  for (const ProductMachine *machine : machines)
    machine->declare(op, signature);
  addGroupOrders(op, signature);
  addTileCounter(op, signature);
  for (Attribute attribute : op.getTilesAttr())
    if (failed(lowerTile(op, cast<mx::TileAttrInterface>(attribute), module, target, signature)))
      return failure();
  return success();
}

// For a chip whose tiles do not depend on a model of its rates.
static std::span<const std::string_view> defaultTiles(mx::ProductOpInterface op, const Target &target) {
  if (isBlockwise(op.getFormatA()))
    return op.hasGroups()   ? target.blockwiseRowGroupTiles
           : op.isRaggedK() ? target.blockwiseKGroupTiles
                            : target.blockwiseTiles;
  if (op.getPartCount() > 1 && !target.partTiles.empty()) return target.partTiles;
  const bool isNarrow = narrowestBits(op) < 8;
  if (isNarrow && !op.isSequential() && !op.getEnds() && !target.narrowProductTiles.empty())
    return target.narrowProductTiles;
  if (op.isSequential() || isNarrow) return target.sequentialTiles;
  return op.hasGroups() ? target.rowGroupTiles : op.isRaggedK() ? target.kGroupTiles : target.matmulTiles;
}

// Those of a chip without tensor memory.
static Tiles chosenTiles(mx::ProductOpInterface op, const Target &target) {
  Tiles tiles = tilesOf(defaultTiles(op, target), op.getContext());
  llvm::erase_if(tiles, [&](mx::TileAttrInterface tile) {
    // The conditions of tiles of few rows count 128 columns of c a tile, and with two parts that has 64;
    // those of groups count rows alone.
    if (op.getPartCount() > 1 && !op.hasGroups() && isa<mx::SwapTileAttr>(tile)) return true;
    return !admissible(op, tile, target).refusal.empty();
  });
  if (tiles.empty() && target.tensorCore != TensorCore::None) // it runs, or its refusal names the clause
    tiles.push_back(generalTile(op.getContext()));
  return tiles;
}

static std::vector<TileChoice> choices(mx::ProductOpInterface op, const Target &target) {
  std::vector<TileChoice> choices;
  const bool isFullRate = isBlockwise(op.getFormatA());
  for (mx::TileAttrInterface tile :
       tilesOf(isFullRate ? target.blockwiseCandidates : target.matmulCandidates, op.getContext())) {
    std::string refusal = admissible(op, tile, target).refusal;
    if (refusal.empty()) refusal = whyNotWorthwhile(op, tile);
    choices.push_back({tile, "", std::move(refusal)});
  }
  return choices;
}

namespace {
template <class Op> struct ProductLowering : KernelLoweringInterface::ExternalModel<ProductLowering<Op>, Op> {
  LogicalResult lowerKernel(Operation *op, ModuleOp module, const Target &target,
                            KernelSignature &signature) const {
    return lowerProduct(cast<mx::ProductOpInterface>(op), module, target, signature);
  }
  Tiles getDefaultTiles(Operation *op, const Target &target) const {
    auto product = cast<mx::ProductOpInterface>(op);
    return target.tensorRates ? tensorMemoryDefaults(product, target) : chosenTiles(product, target);
  }
  std::vector<TileChoice> getTileChoices(Operation *op, const Target &target) const {
    auto product = cast<mx::ProductOpInterface>(op);
    return target.tensorRates ? tensorMemoryChoices(product, target) : choices(product, target);
  }
};
} // namespace

void registerMatmulLowering(DialectRegistry &registry) {
  attachLowering<mx::MatmulOp, ProductLowering<mx::MatmulOp>>(registry);
}

void registerGroupedMatmulLowering(DialectRegistry &registry) {
  attachLowering<mx::GroupedMatmulOp, ProductLowering<mx::GroupedMatmulOp>>(registry);
}

} // namespace mxc
