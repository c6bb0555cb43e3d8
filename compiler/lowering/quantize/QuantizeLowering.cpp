// mx.quantize to tile level. Along rows: load (directly, or by bulk copies through shared memory), prologue,
// block maxima, scales, codes. Along columns, or both: quantize/ColumnTiles.h.
#include "compiler/lowering/entry/Branch.h"
#include "compiler/lowering/entry/MatrixTensorMap.h"
#include "compiler/lowering/entry/ScalarRegion.h"
#include "compiler/lowering/entry/SupportedFormats.h"
#include "compiler/lowering/groups/GroupedRows.h"
#include "compiler/lowering/nvvm/Launch.h"
#include "compiler/lowering/nvvm/Memory.h"
#include "compiler/lowering/nvvm/Vectors.h"
#include "compiler/lowering/pipeline/Steps.h"
#include "compiler/lowering/quantize/ColumnTiles.h"
#include "compiler/lowering/quantize/EncodeBlocks.h"
#include "compiler/lowering/quantize/GroupedScales.h"
#include "compiler/lowering/quantize/InputRing.h"
#include "compiler/lowering/quantize/LaneBlocks.h"
#include "compiler/lowering/quantize/LaneElements.h"
#include "compiler/lowering/quantize/RandomWords.h"
#include "compiler/lowering/quantize/SquareBlocks.h"
#include "compiler/lowering/quantize/TensorScale.h"
#include "compiler/lowering/quantize/TileDriver.h"
#include "dialect/formats/Hadamard.h"

using namespace mlir;

namespace mxc {

namespace {

// One tile of mx.quantize: its plan, and what its lanes do.
class QuantizeTile {
public:
  QuantizeTile(mx::QuantizeOp op, mx::QuantizeTileAttr tile, const Target &target,
               const KernelSignature &signature)
      : op_(op), tile_(tile), target_(target), signature_(signature) {
    if (isBulk()) placeInputs();
    if (joinsRows()) placeMaxima(shared_, tile, lanesPerMaximum());
  }

  TilePlan plan() const {
    TilePlan plan;
    plan.shared = shared_;
    plan.rowsApart = hasAdjacentRows() ? 1 : plan.rowsApart;
    plan.keepsResidency = isStreaming();
    if (const unsigned elements = tile_.getRowsPerWarp() * tile_.getLaneElements();
        hasLongSteps() && elements > 32)
      plan.mostResidentThreads = op_.getFourOverSix() && elements > 64 ? 384 : 512;
    if (tile_.getAccess() == mx::TileAccess::Vector) {
      for (Value input : op_.getInputs()) {
        std::string name = nameOf(input);
        // A tensor map's base and strides are multiples of 16 bytes.
        int alignment = isBulk() ? 16 : accessBytes(target_, laneBytes(input));
        plan.alignments.push_back({name, alignment});
        if (isBulk())
          plan.maps.push_back(
              matrixTensorMap(signature_.argument(input), tile_.getColumns(), tile_.getWarps()));
      }
      plan.alignments.push_back({nameOf(op_.getData()), accessBytes(target_, laneBytes(op_.getData()))});
      if (blocks() > 1 &&
          scaleLayoutKindOf(signature_.argument(op_.getScales())) == mx::ScaleLayoutKind::Tcgen05)
        plan.alignments.push_back({nameOf(op_.getScales()), 8}); // two words
    }
    if (op_.hasGroups()) {
      plan.tileRows = tileRowsText(op_, signature_);
      if (!op_.hasCompactGroups())
        plan.place = [tile = *this](EntryFunction &entry, CtaPosition &at) { return tile.place(entry, at); };
    }
    plan.body = [tile = *this](EntryFunction &entry, const TilePosition &at) { tile.emit(entry, at); };
    return plan;
  }

private:
  using Rows = SmallVector<Value>; // a vector of elements a row

  const BlockFormatInfo &format() const { return info(op_.getFormat()); }
  // Four rows of one input to codes of 8 bits in blocks of 32: memory is all that bounds them. Longer blocks
  // and fewer bits take arithmetic that more threads hide
  // (docs/decisions/0092-residency-by-spare-shared-memory.md).
  bool isStreaming() const {
    return tile_.getVariant() == mx::TileVariant::Direct && tile_.getAccess() == mx::TileAccess::Vector &&
           tile_.getRowsPerWarp() == 4 && op_.getInputs().size() == 1 && info(format().element).bits() == 8 &&
           int(op_.getRule().maximumBlock().columns) <= info(BlockFormat::MXFP8_E4M3).blockColumns;
  }
  int blocks() const { return blocksPerLane(tile_, format()); }
  bool hasLongSteps() const { return op_.getRandom() || op_.getHadamard() || op_.getFourOverSix(); }
  int lanesPerBlock() const { return blocks() > 1 ? 1 : int(tile_.getLanesPerBlock(format().blockColumns)); }
  /// Where scales of rows lie side by side those of a warp do, too.
  bool hasAdjacentRows() const {
    const ScaleLayoutInfo &layout = info(*mx::scaleLayoutOf(cast<MemRefType>(op_.getScales().getType())));
    return layout.storage == ScaleStorage::Lines && layout.tileBlocks == 1 && !isBulk() &&
           !op_.hasCompactGroups() && int(tile_.getRowsPerWarp()) == layout.tileRows;
  }
  /// Blocks with one maximum have several rows.
  bool joinsRows() const { return op_.getRule().maximumBlock().rows > 1; }
  int lanesPerMaximum() const {
    return blocks() > 1 ? 1 : int(tile_.getLanesPerBlock(unsigned(op_.getRule().maximumBlock().columns)));
  }
  bool isBulk() const { return tile_.getVariant() == mx::TileVariant::Bulk; }
  std::string nameOf(Value argument) const { return signature_.argument(argument).name; }
  Type elementOf(Value argument) const { return cast<MemRefType>(argument.getType()).getElementType(); }
  int64_t bytesOf(Value argument) const { return mx::storageBytes(elementOf(argument), 1); }
  int64_t laneBytes(Value argument) const {
    return mx::storageBytes(elementOf(argument), tile_.getLaneElements());
  }
  int64_t boxBytes(Value input) const { return tile_.getWarps() * tile_.getColumns() * bytesOf(input); }

  // Bulk: the ring holds every input's boxes, one for each of a lane's rows.
  void placeInputs() {
    SmallVector<int64_t> parts;
    for (Value input : op_.getInputs())
      parts.push_back(tile_.getRowsPerWarp() * boxBytes(input));
    ring_ = inputRing(parts);
    placeRings(shared_, {ring_});
  }

  // Groups begin at multiples of 128: a CTA's rows are one group's.
  Value place(EntryFunction &entry, CtaPosition &at) const {
    ValueBuilder v = entry.values();
    GroupedRows rows =
        groupedRows(entry, op_, nameOf(op_.getEnds()), v.divu(v.toI64(at.rowBlock), kScaleTileRows), at.lane);
    auto index = [&](Value i64) { return at.ctaRow.getType() == i64.getType() ? i64 : v.toI32(i64); };
    at.rowCount = v.add(index(rows.first), index(v.toI64(rows.count)));
    return rows.hasRows;
  }

  TilePosition gathered(EntryFunction &entry, TilePosition at) const {
    ValueBuilder v = entry.values();
    for (auto [row, valid] : llvm::zip(at.rows, at.rowValid)) {
      GatheredRow source =
          gatheredRow(entry, entry.pointer(nameOf(op_.getGather())), v.toI64(row), valid, entry.extent("N"));
      at.sources.push_back(source.source);
      at.sourceValid.push_back(source.isThere);
    }
    return at;
  }

  void emit(EntryFunction &entry, const TilePosition &given) const {
    if (!op_.hasCompactGroups()) return emitRows(entry, given, nullptr);
    ValueBuilder v = entry.values();
    GroupedScales groups(entry, nameOf(op_.getEnds()), given);
    TilePosition at = given;
    at.rowCount =
        at.ctaRow.getType() == groups.rowEnd().getType() ? groups.rowEnd() : v.toI64(groups.rowEnd());
    at.scaleRowCount = v.mul(tileRows(entry, op_), kScaleTileRows);
    for (auto [row, valid] : llvm::zip(at.rows, at.rowValid))
      valid = v.less(row, at.rowCount);
    ifThen(v, v.less(at.ctaRow, at.rowCount), [&] { emitRows(entry, at, &groups); });
  }

  void emitRows(EntryFunction &entry, const TilePosition &given, GroupedScales *groups) const {
    ValueBuilder v = entry.values();
    TilePosition at = op_.isGathered() ? gathered(entry, given) : given;
    if (groups) groups->lookAhead();
    if (!isBulk()) return quantizeRows(entry, at, groups, loadDirectly(entry, at));
    Value ring = fillInBulk(entry, at);
    nvvm::launchDependents(v); // the whole input is under way
    steps::use(v, ring,
               [&](Value stage) { quantizeRows(entry, at, groups, loadFromBoxes(v, at, ring, stage)); });
  }

  void quantizeRows(EntryFunction &entry, TilePosition &at, GroupedScales *groups,
                    ArrayRef<Rows> inputs) const {
    ValueBuilder v = entry.values();
    Rows rows = op_.hasPrologue() ? applyPrologue(entry, at, inputs) : inputs.front();
    for (auto [row, isThere] : llvm::zip(rows, at.sourceValid)) // padding is zeros, after a prologue too
      row = v.select(isThere, row, arith::ConstantOp::create(v.b, v.loc, v.b.getZeroAttr(row.getType())));
    if (op_.getHadamard()) transformRows(entry, at, rows);
    Rows valid;
    for (Value rowValid : at.rowValid)
      valid.push_back(v.bitAnd(rowValid, at.columnValid));
    const int lanes = lanesPerBlock(), lanesOfMaximum = lanesPerMaximum();
    const QuantizeRule rule = op_.getRule();
    CopyTypes types(op_.getCopies().front());
    auto join = [&](MutableArrayRef<Value> maxima) {
      if (joinsRows()) joinRows(v, sharedMemory(v, shared_), at, tile_, lanesOfMaximum, maxima);
    };
    Rows parts = splitVectors(v, rows, blocks()), partValid;
    for (Value isValid : valid)
      partValid.append(blocks(), isValid);
    std::optional<RandomWords> random;
    if (op_.getRandom())
      random.emplace(entry, RandomNumbers(entry, signature_, op_.getRandom()), at,
                     int(tile_.getLaneElements()), blocks());
    auto wordsOf = [&](size_t row) { return random->of(row); };
    EncodedBlocks encoded =
        encodeBlocks(v, rule, types, parts, partValid, lanesOfMaximum,
                     tensorScaleOf(entry, signature_, op_, mx::Axis::Row), join,
                     random ? function_ref<SmallVector<Value>(size_t)>(wordsOf) : nullptr);
    if (blocks() == 1) clearOutside(v, rule, at, encoded.scales);
    storeLaneElements(entry, at, tile_, nameOf(op_.getData()), types.element,
                      joinWords(v, encoded.codes, blocks()), target_);
    const AbiArgument &scales = signature_.argument(op_.getScales());
    const mx::ScaleLayoutKind layout = scaleLayoutKindOf(scales);
    if (blocks() > 1)
      return storeBlockPairs(v, entry.pointer(scales.name), types.scale, layout, at, encoded.scales);
    if (format().blockRows > 1) {
      const TilePosition ofBlocks = scalesOfBlocks(v, at);
      return storeScales(v, entry.pointer(scales.name), types.scale, layout, ofBlocks, lanes,
                         encoded.scales.front());
    }
    if (groups) groups->place(at, layout, lanes);
    storeScales(v, entry.pointer(scales.name), types.scale, layout, at, lanes, encoded.scales);
    if (groups) groups->pad(entry.pointer(scales.name), types.scale, layout, at, lanes);
  }

  // After a row's end zeros go in, and nothing comes out.
  void transformRows(EntryFunction &entry, const TilePosition &at, Rows &rows) const {
    ValueBuilder v = entry.values();
    const int count = int(tile_.getLaneElements()), lanes = std::max(kHadamardElements / count, 1);
    const bool isVector = tile_.getAccess() == mx::TileAccess::Vector;
    auto zeroOf = [&](Type type) { return arith::ConstantOp::create(v.b, v.loc, v.b.getZeroAttr(type)); };
    Type type = VectorType::get(count, v.b.getBF16Type());
    for (Value &row : rows) {
      if (isVector && lanes > 1) row = v.select(at.columnValid, row, zeroOf(row.getType()));
      row = mx::HadamardOp::create(v.b, v.loc, type, row, at.lane, lanes);
      if (isVector) continue;
      Rows elements;
      for (int i = 0; i < count; ++i)
        elements.push_back(
            v.select(elementValid(entry, at, i), nvvm::element(v, row, i), zeroOf(v.b.getBF16Type())));
      row = nvvm::fromElements(v, type, elements);
    }
  }

  SmallVector<Rows> loadDirectly(EntryFunction &entry, const TilePosition &at) const {
    SmallVector<Rows> inputs; // every load is issued before the first use
    for (Value input : op_.getInputs())
      inputs.push_back(loadLaneElements(entry, at, tile_, nameOf(input), elementOf(input), target_));
    return inputs;
  }

  Value fillInBulk(EntryFunction &entry, const TilePosition &at) const {
    ValueBuilder v = entry.values();
    InputBoxes boxes;
    boxes.row = v.toI32(at.ctaRow), boxes.column = v.toI32(at.ctaColumn);
    boxes.count = tile_.getRowsPerWarp(), boxes.rowsApart = 32;
    for (Value input : op_.getInputs()) {
      boxes.maps.push_back(entry.pointer(nameOf(input)));
      boxes.bytes.push_back(boxBytes(input));
    }
    Value ring = beginInputs(v, sharedMemory(v, shared_), tile_.getWarps(), ring_);
    fillBoxes(v, ring, boxes);
    return ring;
  }

  SmallVector<Rows> loadFromBoxes(const ValueBuilder &v, const TilePosition &at, Value ring,
                                  Value stage) const {
    SmallVector<Rows> inputs;
    for (auto [part, input] : llvm::enumerate(op_.getInputs())) {
      Value boxes = inputAddress(v, ring, stage, part);
      int64_t bytes = laneBytes(input);
      Value inBox = v.add(v.mul(at.warp, tile_.getColumns() * bytesOf(input)), v.mul(at.lane, bytes));
      auto words = VectorType::get(bytes / 4, v.b.getI32Type());
      auto elements = VectorType::get(tile_.getLaneElements(), elementOf(input));
      Rows &rows = inputs.emplace_back();
      for (unsigned j = 0; j < tile_.getRowsPerWarp(); ++j) {
        Value address = nvvm::offsetBytes(v, boxes, v.add(inBox, j * boxBytes(input)));
        Value loaded = nvvm::load(v, words, address, std::min<int64_t>(16, bytes));
        rows.push_back(nvvm::bitcast(v, elements, loaded));
      }
    }
    return inputs;
  }

  // What lies beyond the row's end is zero again after the prologue: padding is +0, not f(+0).
  Rows applyPrologue(EntryFunction &entry, const TilePosition &at, ArrayRef<Rows> inputs) const {
    ValueBuilder v = entry.values();
    Rows valid, results;
    if (tile_.getAccess() == mx::TileAccess::Element)
      for (unsigned i = 0; i < tile_.getLaneElements(); ++i)
        valid.push_back(elementValid(entry, at, i));
    IRMapping scalars = entry.scalars(op_->getParentOfType<mx::KernelOp>());
    Rows ofRows; // scalars, of rows(..)
    for (unsigned j = 0; op_.getRowValues() && j < at.rows.size(); ++j)
      ofRows.push_back(
          loadRowValue(v, entry.pointer(nameOf(op_.getRowValues())), v.toI64(at.rows[j]), at.rowValid[j]));
    for (unsigned j = 0; j < at.rows.size(); ++j) {
      SmallVector<Value> row;
      for (const Rows &input : inputs)
        row.push_back(input[j]);
      if (!ofRows.empty()) row.push_back(ofRows[j]);
      results.push_back(applyScalarRegion(v, op_.getPrologue().front(), row, valid, scalars).front());
    }
    return results;
  }

  mutable mx::QuantizeOp op_; // accessors of operations are not const
  mx::QuantizeTileAttr tile_;
  const Target &target_;
  const KernelSignature &signature_;
  SharedLayout shared_;
  RingShape ring_; // bulk
};

} // namespace

// Whose CTA has the rows of a block of 128x128, and two of them side by side; or one, of values that take
// twice the registers.
static mx::QuantizeTileAttr squareTile(mx::QuantizeOp op, bool isWide) {
  return mx::QuantizeTileAttr::get(op.getContext(), {.warps = 32, .laneElements = isWide ? 4u : 8u});
}

static ScaleLayout scaleLayout(mx::QuantizeOp op) {
  return *mx::scaleLayoutOf(cast<MemRefType>(op.getScales().getType()));
}

// The layout tcgen05 is for blocks that tensor cores read.
static bool canHold(ScaleLayout layout, const BlockFormatInfo &format) {
  return layout != ScaleLayout::Tcgen05 || format.blockColumns <= info(BlockFormat::MXFP8_E4M3).blockColumns;
}

// That tiles must fit: one that requireLayouts refuses, with the reason, bars none of them.
static ScaleLayout layoutOfTiles(mx::QuantizeOp op) {
  return canHold(scaleLayout(op), info(op.getFormat())) ? scaleLayout(op) : ScaleLayout::Dense;
}

// No group has a part of blocks of several rows, which are those of weights. Their scales lie as the products
// read them.
static LogicalResult requireLayouts(mx::QuantizeOp op) {
  const BlockFormatInfo &format = info(op.getFormat()), &tensorCores = info(BlockFormat::MXFP8_E4M3);
  if (op.hasGroups() && op.getRule().maximumBlock().rows > 1)
    return op.emitOpError("block format ")
           << StringRef(format.name) << ": code for blocks of several rows is generated without groups";
  for (const mx::QuantizedCopy &copy : op.getCopies()) {
    const ScaleLayout layout = *mx::scaleLayoutOf(cast<MemRefType>(copy.scales.getType()));
    if (format.blockRows > 1 && layout != ScaleLayout::Dense)
      return op.emitOpError("block format ")
             << StringRef(format.name)
             << ": scales of blocks of several rows are generated dense, found the layout "
             << StringRef(name(layout));
    if (op.hasGroups() && info(layout).users != ScaleUsers::Kernels)
      return op.emitOpError("scales of groups are not generated in another library's layout, found ")
             << StringRef(name(layout)) << ": mx.convert_scales writes it";
    if (!canHold(layout, format))
      return op.emitOpError("block format ")
             << StringRef(format.name) << ": the layout " << StringRef(name(layout))
             << " is for blocks that tensor cores read; block = "
             << text({format.blockRows, format.blockColumns}) << " to "
             << text({tensorCores.blockRows, tensorCores.blockColumns}) << " writes each scale for those";
  }
  return success();
}

// A lane may have several blocks where they are shorter than its vectors. Where there are groups, words are
// stored row by row.
static int mostBlocksPerLane(mx::QuantizeOp op) {
  const bool hasOwnMaxima = op.getRule().maximumBlock().columns == info(op.getFormat()).blockColumns;
  return op.hasGroups() || !hasOwnMaxima || mustClear(op.getRule()) ? 1 : 2;
}

static LogicalResult lowerQuantize(mx::QuantizeOp op, ModuleOp module, const Target &target,
                                   KernelSignature &signature) {
  BlockFormat format = op.getFormat();
  if (failed(requireGenerated(op, format, target))) return failure();
  if (failed(requireLayouts(op))) return failure();
  const BlockShape maximum = op.getRule().maximumBlock();
  if (op.hasColumnTiles()) return emitColumnTiles(op, module, target, signature);
  auto planTile = [&](mx::QuantizeTileAttr tile) -> FailureOr<TilePlan> {
    if (tile.getVariant() == mx::TileVariant::Bulk && !target.hasBulkTensor)
      return op.emitOpError("tile ") << tile << ": " << StringRef(target.name)
                                     << " has no bulk tensor copies";
    if (tile.getVariant() == mx::TileVariant::Bulk && op.isGathered())
      return op.emitOpError("tile ") << tile
                                     << ": a bulk tensor copy gathers no rows; expected variant = direct";
    if (failed(requireTile(op, tile, info(format), scaleLayout(op), mostBlocksPerLane(op)))) return failure();
    if (tile.getLanesPerBlock(unsigned(maximum.columns)) > 32)
      return op.emitOpError("tile ") << tile << ": the " << maximum.columns
                                     << " elements of one maximum must lie in a warp";
    if (maximum.rows > 1 && !hasWholeBlocks(tile, maximum))
      return op.emitOpError("tile ")
             << tile << ": expected warps = 32, rows_per_warp = 4 and variant = direct for blocks of "
             << maximum.rows << " rows";
    return QuantizeTile(op, tile, target, signature).plan();
  };
  return emitTiles(op, op.getTilesAttr(), module, target, signature, info(format), planTile);
}

// The chip's choice along rows.
static ArrayRef<std::string_view> rowTiles(mx::QuantizeOp op, const Target &target) {
  if (op.getInputs().size() > 1) return target.fusedQuantizeTiles;
  const bool isNarrow =
      !op.hasPrologue() && !cast<MemRefType>(op.getInputs().front().getType()).getElementType().isF32();
  if (!isNarrow || target.narrowQuantizeTiles.empty()) return target.quantizeTiles;
  const BlockFormatInfo &format = info(op.getFormat());
  // Scales of two levels, random bits and the transform are of 16 elements, which a lane has alone.
  const bool isOf16 = format.tensorScale == TensorScale::Tensor || op.getRandom() || op.getHadamard();
  const std::pair<bool, ArrayRef<std::string_view>> special[] = {
      {op.getRule().maximumBlock().columns >= 128, target.longBlockQuantizeTiles},
      {isOf16, target.twoLevelQuantizeTiles},
      {info(format.element).bits() == 4, target.fourBitQuantizeTiles}};
  for (auto [isMeant, tiles] : special)
    if (isMeant && !tiles.empty()) return tiles;
  return target.narrowQuantizeTiles;
}

namespace {
struct QuantizeLowering : KernelLoweringInterface::ExternalModel<QuantizeLowering, mx::QuantizeOp> {
  LogicalResult lowerKernel(Operation *op, ModuleOp module, const Target &target,
                            KernelSignature &signature) const {
    return lowerQuantize(cast<mx::QuantizeOp>(op), module, target, signature);
  }
  Tiles getDefaultTiles(Operation *op, const Target &target) const {
    auto quantize = cast<mx::QuantizeOp>(op);
    if (quantize.hasColumnTiles()) return defaultColumnTiles(quantize, target);
    if (quantize.getRule().maximumBlock().rows > 1) return {squareTile(quantize, quantize.hasPrologue())};
    return tilesThatFit(op, rowTiles(quantize, target), info(quantize.getFormat()), layoutOfTiles(quantize),
                        mostBlocksPerLane(quantize));
  }
  std::vector<TileChoice> getTileChoices(Operation *op, const Target &target) const {
    std::vector<TileChoice> choices;
    for (mx::TileAttrInterface tile : candidates(cast<mx::QuantizeOp>(op), target))
      choices.push_back({tile});
    return choices;
  }

private:
  static Tiles candidates(mx::QuantizeOp op, const Target &target) {
    if (op.hasColumnTiles()) return candidateColumnTiles(op, target);
    if (op.getRule().maximumBlock().rows > 1)
      return {squareTile(op, /*isWide=*/false), squareTile(op, /*isWide=*/true)};
    return tilesThatFit(op, target.quantizeCandidates, info(op.getFormat()), layoutOfTiles(op),
                        mostBlocksPerLane(op));
  }
};
} // namespace

void registerQuantizeLowering(DialectRegistry &registry) {
  attachLowering<mx::QuantizeOp, QuantizeLowering>(registry);
}

} // namespace mxc
