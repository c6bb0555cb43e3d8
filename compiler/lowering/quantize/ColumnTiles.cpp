#include "compiler/lowering/quantize/ColumnTiles.h"
#include "compiler/lowering/entry/Branch.h"
#include "compiler/lowering/entry/LaunchCondition.h"
#include "compiler/lowering/entry/MatrixTensorMap.h"
#include "compiler/lowering/entry/TileGrid.h"
#include "compiler/lowering/groups/GroupedRows.h"
#include "compiler/lowering/nvvm/Cluster.h"
#include "compiler/lowering/nvvm/Threads.h"
#include "compiler/lowering/quantize/ColumnPlan.h"
#include "compiler/lowering/quantize/RandomWords.h"
#include "compiler/lowering/quantize/TensorScale.h"
#include "compiler/lowering/quantize/Totals.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include <map>
#include <numeric>
#include <set>

using namespace mlir;

namespace mxc {

static constexpr int64_t kCopyBytes = 16; // bulk copies count in these
// Resident where there is much to keep in registers: the addresses of rows that lie anywhere, long steps
// beside totals, or two scales to choose from.
static constexpr unsigned kCrowdedCtas = 2;

// What pairs and pieces need of the extents; a copy's coordinates have 32 bits.
static SmallVector<std::string> needsOf(ColumnPlan &plan) {
  SmallVector<std::string> needs;
  const Extent &rows = plan.signature.rows(), &columns = plan.signature.columns();
  auto divides = [&](const Extent &extent, int64_t divisor) {
    if (divisor > 1) needs.push_back(extent.name + " % " + std::to_string(divisor) + " == 0");
  };
  // The fewest elements that are pieces of so many bytes, where there is more to ask than K6 does.
  auto areStored = [&](const Extent &extent, int64_t bytes) {
    if (bytes > 1) divides(extent, 8 * bytes / std::gcd(int64_t(plan.elementBits()), int64_t(8)));
  };
  if (plan.tile.getLoad() == mx::ColumnLoad::Direct) divides(columns, kLaneColumns);
  if (plan.columnCopy) areStored(plan.columnCopy->isTransposed ? rows : columns, plan.columnStoreBytes());
  if (plan.rowCopy && (!plan.columnCopy || plan.columnCopy->isTransposed))
    areStored(columns, plan.tile.getStoreBytes());
  if (hasTotals(plan.op) && !plan.tile.takesEverything()) // of nothing: the tile that takes everything
    for (const Extent &extent : plan.signature.extents)
      if (extent.name != "N") needs.push_back(extent.name + " > 0");
  if (plan.op.isGathered() && plan.tile.getLoad() == mx::ColumnLoad::Direct)
    needs.push_back("N > 0");                // where there is no row, the first one is read instead
  if (plan.isBulk() && plan.op.isGathered()) // whole rows, and their last columns
    for (Value input : plan.op.getInputs())
      divides(columns, kCopyBytes / mx::storageBytes(elementTypeOf(input), 1));
  if (plan.isBulk())
    for (const Extent *extent : {&rows, &columns})
      needs.push_back(extent->name + " <= " + std::to_string(kNarrowExtent));
  return needs;
}

static EntryPlan entryPlan(ColumnPlan &plan, ShapeExpression when) {
  EntryPlan entry;
  entry.variant.tile = plan.tile.getText();
  entry.variant.when = std::move(when);
  setLaunchShape(entry.variant, plan);
  auto align = [&](Value argument, int64_t bytes) {
    if (bytes > mx::storageBytes(elementTypeOf(argument), 1))
      entry.variant.alignments.push_back({plan.nameOf(argument), bytes});
  };
  for (Value input : plan.op.getInputs()) {
    if (plan.isBulk()) { // a copy's places are multiples of 16 bytes, as a tensor map's base and strides are
      align(input, kCopyBytes);
      if (plan.op.isGathered()) continue;
      entry.maps.push_back(
          matrixTensorMap(plan.signature.argument(input), plan.tile.getColumns(), kColumnTileRows));
    } else if (plan.tile.getLoad() == mx::ColumnLoad::Direct) {
      align(input, kLaneColumns * mx::storageBytes(elementTypeOf(input), 1));
    }
  }
  if (plan.rowCopy) align(plan.rowCopy->data, plan.tile.getStoreBytes());
  if (plan.columnCopy) align(plan.columnCopy->data, plan.columnStoreBytes());
  for (const AbiArgument &argument : plan.signature.abi.arguments)
    if (argument.kind == ArgumentKind::Workspace) entry.workspaces.push_back(argument.name);
  entry.shared = plan.shared;
  return entry;
}

// The CTA's threads, whose values are in shared memory; with them those of its cluster, for nothing but that
// their stores come at one time. CTAs without work have left.
static void meetBeforeStores(const ValueBuilder &v, const ColumnPlan &plan) {
  if (plan.isClustered) nvvm::arriveAtCluster(v);
  nvvm::syncThreads(v);
  if (plan.isClustered) nvvm::waitForCluster(v);
}

// The maxima of the lane's blocks, a vector of its columns a row.
static SmallVector<Value> laneMaxima(const ValueBuilder &v, const ColumnPlan &plan, const QuantizeRule &rule,
                                     ArrayRef<Value> rows) {
  SmallVector<Value> maxima;
  const size_t height = rows.size() / plan.laneBlocks();
  for (; !rows.empty(); rows = rows.drop_front(height))
    llvm::append_range(maxima, columnMaxima(v, rule, rows.take_front(height)));
  return maxima;
}

// The transform of the lane's blocks; past the last row it gives zeros.
static SmallVector<Value> transformed(const ValueBuilder &v, const ColumnPosition &at, ArrayRef<Value> rows) {
  const Type pair = VectorType::get(kLaneColumns, v.b.getBF16Type());
  auto op = mx::HadamardColumnsOp::create(v.b, v.loc, SmallVector<Type>(rows.size(), pair), rows);
  Value isEnd = v.less(at.rowsLeft, v.add(at.row, kColumnBlockRows));
  auto branch = scf::IfOp::create(v.b, v.loc, op.getResultTypes(), isEnd, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(v.b);
  v.b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(v.b, v.loc, op.getResults());
  v.b.setInsertionPointToStart(branch.thenBlock());
  Value zero = arith::ConstantOp::create(v.b, v.loc, v.b.getZeroAttr(pair));
  SmallVector<Value> kept;
  for (auto [r, row] : llvm::enumerate(op.getTransformed()))
    kept.push_back(v.select(v.less(v.add(at.row, int64_t(r)), at.rowsLeft), row, zero));
  scf::YieldOp::create(v.b, v.loc, kept);
  return SmallVector<Value>(branch.getResults());
}

// The column copy of `rows`, which are its values, to shared memory.
static EncodedBlocks keepColumns(EntryFunction &entry, const ColumnPlan &plan, const ColumnPosition &at,
                                 Value shared, ArrayRef<Value> rows, ArrayRef<Value> maxima,
                                 Value tensorScale) {
  ValueBuilder v = entry.values();
  mx::QuantizeOp op = plan.op;
  std::optional<RandomNumbers> numbers;
  if (op.getRandom()) numbers.emplace(entry, plan.signature, op.getRandom());
  const int height = int(rows.size()) / plan.laneBlocks();
  Value firstRow = v.add(v.toI32(at.ctaRow), at.row), firstColumn = v.add(v.toI32(at.ctaColumn), at.column);
  auto words = [&](int column, int row) { // a row of the copy is a column
    SmallVector<Value> all;
    for (int r = row; r < row + height; r += kRandomColumns)
      llvm::append_range(
          all, numbers->ofColumnRun(v.divu(v.add(firstRow, r), kRandomColumns), v.add(firstColumn, column)));
    return all;
  };
  EncodedBlocks blocks = encodeColumns(v, op.getRule(), CopyTypes(*plan.columnCopy), rows, maxima,
                                       plan.columnCopy->isTransposed, tensorScale,
                                       numbers ? function_ref<SmallVector<Value>(int, int)>(words)
                                               : function_ref<SmallVector<Value>(int, int)>());
  keepColumnCopy(v, plan, at, shared, blocks);
  return blocks;
}

// What becomes of the rows of the lanes' blocks.
static void emitCopies(EntryFunction &entry, ColumnPlan &plan, const ColumnPosition &at, Value shared,
                       ArrayRef<Value> given) {
  ValueBuilder v = entry.values();
  const QuantizeRule rule = plan.op.getRule();
  SmallVector<Value> rows(given); // of the column copy
  if (plan.columnCopy && plan.isTransformed(mx::Axis::Column)) rows = transformed(v, at, given);
  if (plan.joinsRows()) keepBlockMaxima(v, plan, at, shared, columnMaxima(v, rule, rows));
  // Before others' maxima are read; and inputs lie where values go.
  if ((plan.joinsRows() && plan.columnCopy) || (plan.keepsValues() && plan.isBulk())) nvvm::syncThreads(v);
  if (plan.keepsValues()) keepValues(v, plan, at, shared, given);
  Value scaleOfRows = tensorScaleOf(entry, plan.signature, plan.op, mx::Axis::Row),
        scaleOfColumns = scaleOfRows;
  if (plan.tensors() == 2) scaleOfColumns = tensorScaleOf(entry, plan.signature, plan.op, mx::Axis::Column);
  SmallVector<Value> maxima;
  if (plan.joinsRows() && plan.columnCopy)
    maxima = joinedMaxima(v, plan, at, shared);
  else if (!plan.joinsRows() && (plan.columnCopy || plan.hasSmallSquares()))
    maxima = laneMaxima(v, plan, rule, rows);
  if (plan.hasSmallSquares()) joinSmallSquares(v, plan, at, shared, maxima);
  EncodedBlocks ofColumns;
  if (plan.columnCopy) ofColumns = keepColumns(entry, plan, at, shared, rows, maxima, scaleOfColumns);
  keepTotals(v, plan, at, shared, given, maxima);
  meetBeforeStores(v, plan);
  if (plan.rowCopy) quantizeTileRows(entry, plan, at, shared, scaleOfRows);
  if (plan.takesAmaxOfRows()) nvvm::syncThreads(v);
  if (plan.columnCopy) storeColumnCopy(entry, plan, at, shared, ofColumns);
  addTotals(entry, plan, at, shared);
}

static void emitTile(EntryFunction &entry, ColumnPlan &plan, const ColumnPosition &at) {
  Value shared = sharedMemory(entry.values(), plan.shared);
  loadColumnBlocks(entry, plan, at, shared,
                   [&](ArrayRef<Value> rows) { emitCopies(entry, plan, at, shared, rows); });
}

// The CTA's tile, or of a group that ends before it nothing; of no tile at all, totals of nothing.
static void emitWork(EntryFunction &entry, ColumnPlan &plan, ColumnPosition &at) {
  ValueBuilder v = entry.values();
  if (!plan.op.hasGroups()) return emitTile(entry, plan, at);
  Value hasRows = placeInGroup(entry, plan, at);
  ifThen(v, hasRows, [&] { emitTile(entry, plan, at); });
  if (plan.op.getAmax()) ifThen(v, v.equal(hasRows, v.i1(false)), [&] { passTotals(entry, plan, at); });
}

// What CTAs do: tiles that agree in it differ in their clusters, and in when they are launched.
static auto codeOf(mx::ColumnTileAttr tile) {
  return std::tuple(tile.getLoad(), tile.getColumns(), tile.getStoreBytes(), tile.getOrder(),
                    tile.getCtasPerSm(), tile.takesEverything());
}

static bool isClustered(mx::ColumnTileAttr tile) {
  return tile.getClusterRows() * tile.getClusterColumns() > 1;
}

// Lanes hold the blocks of a column copy whole or four of them do, and up to eight of them a row's of a row
// copy: what goes on from there is made for these lengths and scales.
static LogicalResult requireBlocks(mx::QuantizeOp op) {
  const BlockFormatInfo &format = info(op.getFormat());
  const bool isWhole = kColumnBlockRows % format.blockColumns == 0 && info(format.scale).bytes() == 1,
             isJoined = format.blockColumns == kColumnTileRows;
  for (const mx::QuantizedCopy &copy : op.getCopies()) {
    if (copy.axis == mx::Axis::Column && !isWhole && !isJoined)
      return op.emitOpError("block format ")
             << StringRef(format.name) << ": code along columns is generated for blocks of 16 and "
             << kColumnBlockRows << " elements with scales of one byte, and of " << kColumnTileRows;
    const ScaleLayout layout = *mx::scaleLayoutOf(cast<MemRefType>(copy.scales.getType()));
    bool isTiled = layout == ScaleLayout::Tcgen05;
    if (copy.axis == mx::Axis::Row && !takesRowBlocks(format.blockColumns, isTiled))
      return op.emitOpError("block format ")
             << StringRef(format.name)
             << ": code beside amax(..) and column_sum(..) is generated for blocks of "
             << (isTiled ? "16 and 32" : "16 to 128") << " elements along rows";
  }
  return success();
}

// The columns of which no CTA may have only a part: those of one maximum.
static int64_t fewestColumns(mx::QuantizeOp op) {
  const BlockShape maximum = op.getRule().maximumBlock();
  return op.getQuantizedAxis() == mx::Axis::Column ? maximum.rows : std::max(maximum.rows, maximum.columns);
}

static LogicalResult requireColumns(mx::QuantizeOp op, mx::ColumnTileAttr tile) {
  if (fewestColumns(op) <= tile.getColumns()) return success();
  return op.emitOpError("tile ") << tile << ": the " << fewestColumns(op)
                                 << " columns of one maximum must lie in a CTA's";
}

LogicalResult emitColumnTiles(mx::QuantizeOp op, ModuleOp module, const Target &target,
                              KernelSignature &signature) {
  if (failed(requireBlocks(op))) return failure();
  declareTotals(op, signature);
  auto tiles = llvm::map_to_vector(op.getTilesAttr(), llvm::CastTo<mx::ColumnTileAttr>);
  std::map<decltype(codeOf(tiles.front())), std::string> entries;
  for (mx::ColumnTileAttr tile : tiles) {
    if (failed(requireColumns(op, tile))) return failure();
    ColumnPlan plan(op, tile, target, signature);
    FailureOr<std::optional<ShapeExpression>> when = launchCondition(op, signature, tile, needsOf(plan));
    if (failed(when)) return failure();
    if (!*when) continue;
    if (plan.isBulk() && !target.hasBulkTensor)
      return op.emitOpError("tile ") << tile << ": " << StringRef(target.name)
                                     << " has no bulk tensor copies";
    plan.isClustered =
        llvm::any_of(tiles, [&](auto other) { return codeOf(other) == codeOf(tile) && isClustered(other); });
    std::string &name = entries[codeOf(tile)];
    if (!name.empty()) {
      shareEntry(signature, entryPlan(plan, **when).variant, name);
      continue;
    }
    FailureOr<std::string> emitted =
        emitEntry(op, module, target, signature, entryPlan(plan, **when), [&](EntryFunction &entry) {
          if (unsigned ctas = tile.getCtasPerSm())
            entry.operation()->setAttr("nvvm.minctasm", entry.builder().getI32IntegerAttr(ctas));
          ColumnPosition at = columnPosition(entry, plan);
          ValueBuilder v = entry.values();
          if (hasTotals(op) && tile.takesEverything()) at.hasWork = emitEmptyTotals(entry, plan, at);
          whereWork(
              v, at.hasWork, [&] { emitWork(entry, plan, at); },
              plan.isBulk() ? NextGrid::ByBody : NextGrid::BeforeWaiting);
        });
    if (failed(emitted)) return failure();
    name = *emitted;
  }
  return success();
}

// Tiles of less than 128 columns are for what was timed in them: blocks of a lane, as they are.
static bool takesNarrowTiles(mx::QuantizeOp op) {
  const QuantizeRule rule = op.getRule();
  const BlockFormatInfo &format = info(rule.format);
  const bool isBlockOfLane = rule.maximumBlock() == BlockShape{1, format.blockColumns} &&
                             format.blockColumns <= kColumnBlockRows && info(format.element).bits() != 6;
  return isBlockOfLane && !op.hasGroups() && !hasTotals(op) && !op.getRandom() && !op.getHadamard() &&
         !op.getFourOverSix();
}

Tiles defaultColumnTiles(mx::QuantizeOp op, const Target &target) {
  bool isBoth = op.getQuantizedAxis() == mx::Axis::Both;
  bool isWide = op.hasPrologue() || elementTypeOf(op.getInputs().front()).isF32();
  const ColumnTiles &of = target.columnTiles;
  const Tiles tiles = tilesOf(
      isBoth ? (isWide ? of.wideBoth : of.both) : (isWide ? of.wideColumns : of.columns), op.getContext());
  KernelSignature signature = signatureOf(op->getParentOfType<mx::KernelOp>());
  // For both copies of 4 bits large matrices take narrow tiles, too: 63.9 us beside 71.3 at 8192x8192.
  const bool takesNarrow = takesNarrowTiles(op) && !isWide,
             prefersNarrow = takesNarrow && isBoth && info(info(op.getFormat()).element).bits() == 4;
  Tiles result;
  std::set<int64_t> taken; // widths of stores of which an earlier tile takes every shape
  for (mx::TileAttrInterface listed : tiles) {
    const auto tile = cast<mx::ColumnTileAttr>(listed);
    const bool isNarrow = tile.getColumns() < kColumnTileRows, storesPieces = tile.getStoreBytes() > 1;
    if (isNarrow ? !takesNarrow : prefersNarrow && storesPieces) continue;
    if (taken.count(tile.getStoreBytes())) continue;
    if (!tile.getWhen()) taken.insert(tile.getStoreBytes());
    const ColumnPlan plan(op, tile, target, signature);
    bool isFallback = op.isGathered() && listed == tiles.back(); // for columns that no copy takes
    if (plan.hasLooseLines() && !plan.rowCopy && !result.empty() && !isFallback)
      continue; // stores by the byte
    const bool isDirect = isFallback || plan.shared.bytes() > target.maxSharedBytes,
               isCrowded = isFallback || op.getFourOverSix() ||
                           (hasTotals(op) && (op.getRandom() || op.getHadamard()));
    mx::ColumnTileMembers members = tile.getMembers();
    if (isDirect) members.load = mx::ColumnLoad::Direct;
    if (isCrowded) members.ctasPerSm = std::min(members.ctasPerSm, kCrowdedCtas);
    result.push_back(mx::ColumnTileAttr::get(op.getContext(), members));
  }
  return result;
}

Tiles candidateColumnTiles(mx::QuantizeOp op, const Target &target) {
  Tiles tiles = tilesOf(target.columnTiles.candidates, op.getContext());
  llvm::erase_if(tiles, [&](mx::TileAttrInterface tile) {
    return cast<mx::ColumnTileAttr>(tile).getColumns() < fewestColumns(op);
  });
  return tiles;
}

} // namespace mxc
