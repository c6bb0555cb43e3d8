#include "compiler/lowering/quantize/TileDriver.h"
#include "compiler/lowering/entry/Branch.h"
#include "compiler/lowering/entry/LaunchCondition.h"
#include "compiler/lowering/entry/SupportedFormats.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace mxc {

// Blocks whose scales a warp stores at once.
static int blocksOfWord(ScaleLayout layout) {
  return info(layout).storage == ScaleStorage::Tiles ? info(layout).tileBlocks : 1;
}

int blocksPerLane(mx::QuantizeTileAttr tile, const BlockFormatInfo &format) {
  const unsigned columns = format.blockColumns, elements = tile.getLaneElements();
  const bool hasSeveral = elements > columns && elements % columns == 0;
  return hasSeveral && tile.getRowsPerWarp() == 4 && tile.getAccess() == mx::TileAccess::Vector
             ? int(elements / columns)
             : 1;
}

// Where scales leave as words, the lanes of a word's blocks are in one warp; where codes do, a lane has whole
// ones.
static bool fits(mx::QuantizeTileAttr tile, const BlockFormatInfo &format, ScaleLayout layout,
                 int mostBlocks) {
  if (int blocks = blocksPerLane(tile, format); blocks > 1) return blocks <= mostBlocks;
  const unsigned lanes = tile.getLanesPerBlock(format.blockColumns);
  if (tile.getAccess() == mx::TileAccess::Vector &&
      tile.getLaneElements() * info(format.element).bits() % 32 != 0)
    return false;
  return lanes != 0 && lanes * unsigned(blocksOfWord(layout)) <= 32;
}

LogicalResult requireTile(Operation *op, mx::QuantizeTileAttr tile, const BlockFormatInfo &format,
                          ScaleLayout layout, int mostBlocks) {
  if (fits(tile, format, layout, mostBlocks)) return success();
  if (tile.getLanesPerBlock(format.blockColumns) != 0 && tile.getAccess() == mx::TileAccess::Vector &&
      tile.getLaneElements() * info(format.element).bits() % 32 != 0)
    return op->emitOpError("tile ") << tile << ": lane_elements must make whole words of 32 bits of "
                                    << StringRef(info(format.element).mlirType) << " with access = vector";
  return op->emitOpError("tile ") << tile << ": lane_elements must be a block's " << format.blockColumns
                                  << " elements or a part of them, " << blocksOfWord(layout)
                                  << " blocks a warp at least (layout " << StringRef(name(layout)) << ")";
}

// Lanes whose codes are no whole words (six bits) take twice as many elements, but where copies set their
// number.
static mx::QuantizeTileAttr withWholeWords(mx::QuantizeTileAttr tile, int bits) {
  unsigned elements = tile.getLaneElements();
  const bool mayTakeMore =
      tile.getAccess() == mx::TileAccess::Vector && tile.getVariant() == mx::TileVariant::Direct;
  while (mayTakeMore && elements * unsigned(bits) % 32 != 0)
    elements *= 2;
  if (elements == tile.getLaneElements()) return tile;
  mx::QuantizeTileMembers members = tile.getMembers();
  members.laneElements = elements;
  return mx::QuantizeTileAttr::get(tile.getContext(), members);
}

// A lane's codes of a row: of 32 elements those below 8 bits.
static constexpr unsigned kMostCodeBits = 192;

Tiles tilesThatFit(Operation *op, std::span<const std::string_view> table, const BlockFormatInfo &format,
                   ScaleLayout layout, int mostBlocks) {
  const int bits = info(format.element).bits();
  llvm::SetVector<mx::QuantizeTileAttr> fitting;
  for (mx::TileAttrInterface of : tilesOf(table, op->getContext())) {
    auto tile = withWholeWords(cast<mx::QuantizeTileAttr>(of), bits);
    if (tile.getLaneElements() * bits <= kMostCodeBits && fits(tile, format, layout, mostBlocks))
      fitting.insert(tile);
  }
  return Tiles(fitting.begin(), fitting.end());
}

// Lanes with vector access take whole pieces of a row and count in 32 bits.
static SmallVector<std::string> needsOf(mx::QuantizeTileAttr tile, const KernelSignature &signature) {
  if (tile.getAccess() != mx::TileAccess::Vector) return {};
  SmallVector<std::string> needs = {signature.columns().name + " % " +
                                    std::to_string(tile.getLaneElements()) + " == 0"};
  for (const Extent &extent : signature.extents)
    if (extent.name == "G") // scales have up to 128 rows more a group
      needs.push_back(signature.rows().name + " + 128 * G <= " + std::to_string(kNarrowExtent));
  for (const Extent &extent : signature.extents)
    if (extent.name == "N") needs.push_back("N > 0"); // gathered: where there is no row, the first is read
  for (const Extent *extent : {&signature.rows(), &signature.columns()})
    needs.push_back(extent->name + " <= " + std::to_string(kNarrowExtent));
  return needs;
}

namespace {
struct PlannedTile {
  mx::QuantizeTileAttr tile;
  TilePlan plan;
  EntryPlan entry;
  std::string emitted = {}; // the entry's name
};
} // namespace

// Threads of a multiprocessor whose registers must suffice: as many bytes under way, whatever a lane has.
static uint32_t residentThreads(mx::QuantizeTileAttr tile, const TilePlan &plan) {
  return std::min(tile.getRowsPerWarp() * tile.getLaneElements() > 64 ? 512u : 1024u,
                  plan.mostResidentThreads);
}

// Dynamic shared memory that nobody uses, so that no more CTAs are resident than `residentThreads` make: with
// three CTAs of 512 threads in place of two, an H200 streams 0.7 % slower (decision 0092). The number of
// registers decides otherwise, and no directive sets a lower bound for it.
static uint32_t spareSharedBytes(const PlannedTile &planned, const Target &target) {
  const mx::QuantizeTileAttr tile = planned.tile;
  if (!target.residencySharedBytes || !planned.plan.keepsResidency) return 0;
  const uint32_t ctas = residentThreads(tile, planned.plan) / planned.entry.variant.block[0];
  if (ctas == 0) return 0;
  const uint32_t shareOfOneMore = target.residencySharedBytes / (ctas + 1);
  return llvm::alignTo(shareOfOneMore - kReservedSharedBytes + 1, kReservedSharedBytes);
}

// Whether one code serves CTAs of both: they differ in their warps, and when they are launched.
static bool shareEntry(const PlannedTile &a, const PlannedTile &b) {
  auto code = [](mx::QuantizeTileAttr tile) {
    return std::tuple(tile.getVariant(), tile.getRowsPerWarp(), tile.getLaneElements(), tile.getAccess(),
                      tile.getOrder());
  };
  // A bulk copy's boxes and barriers are its own.
  return a.tile.getVariant() == mx::TileVariant::Direct && code(a.tile) == code(b.tile);
}

static FailureOr<std::vector<PlannedTile>>
planTiles(Operation *op, ArrayAttr tiles, const Target &target, const KernelSignature &signature,
          llvm::function_ref<FailureOr<TilePlan>(mx::QuantizeTileAttr tile)> planTile) {
  std::vector<PlannedTile> planned;
  for (mx::QuantizeTileAttr tile : tilesOf(tiles)) {
    FailureOr<std::optional<ShapeExpression>> when =
        launchCondition(op, signature, tile, needsOf(tile, signature));
    if (failed(when)) return failure();
    if (!*when) continue;
    FailureOr<TilePlan> plan = planTile(tile);
    if (failed(plan)) return failure();
    EntryPlan entry;
    entry.variant.tile = tile.getText();
    entry.variant.when = **when;
    entry.variant.alignments = plan->alignments;
    std::string matrixRows = "ceildiv(" + signature.rows().text() + ", 128)";
    setLaunchShape(entry.variant, signature, tile, plan->tileRows.empty() ? matrixRows : plan->tileRows);
    entry.maps = plan->maps;
    entry.shared = plan->shared;
    planned.push_back({tile, std::move(*plan), std::move(entry)});
    planned.back().entry.variant.sharedBytes = spareSharedBytes(planned.back(), target);
  }
  return planned;
}

static void emitBody(EntryFunction &function, const PlannedTile &planned, const BlockFormatInfo &format) {
  ValueBuilder v = function.values();
  CtaPosition cta = ctaPosition(function, planned.tile, planned.entry.mostThreads != 0);
  auto body = [&] {
    planned.plan.body(function, tilePosition(v, planned.tile, format, cta, planned.plan.rowsApart));
  };
  // They are enough. Without this ptxas would save registers for twice as many, and
  // load one row after the other; nvJitLink would not.
  const uint32_t threads = std::max(planned.entry.mostThreads, planned.entry.variant.block[0]);
  function.operation()->setAttr(
      "nvvm.minctasm",
      v.b.getI32IntegerAttr(std::max(residentThreads(planned.tile, planned.plan) / threads, 1u)));
  const bool isBulk = planned.tile.getVariant() == mx::TileVariant::Bulk;
  whereWork(
      v, cta.hasWork,
      [&] {
        if (!planned.plan.place) return body();
        Value hasRows = planned.plan.place(function, cta);
        ifThen(v, hasRows, body);
      },
      isBulk ? NextGrid::ByBody : NextGrid::BeforeWaiting);
}

LogicalResult emitTiles(Operation *op, ArrayAttr tiles, ModuleOp module, const Target &target,
                        KernelSignature &signature, const BlockFormatInfo &format,
                        llvm::function_ref<FailureOr<TilePlan>(mx::QuantizeTileAttr tile)> planTile) {
  FailureOr<std::vector<PlannedTile>> all = planTiles(op, tiles, target, signature, planTile);
  if (failed(all)) return failure();
  for (PlannedTile &planned : *all) {
    SmallVector<PlannedTile *> others; // that share its entry
    for (PlannedTile &other : *all)
      if (&other != &planned && shareEntry(other, planned)) others.push_back(&other);
    if (!others.empty() && !others.front()->emitted.empty()) {
      shareEntry(signature, planned.entry.variant, others.front()->emitted);
      continue;
    }
    for (const PlannedTile *other : others)
      planned.entry.mostThreads = std::max(
          {planned.entry.mostThreads, planned.entry.variant.block[0], other->entry.variant.block[0]});
    FailureOr<std::string> emitted =
        emitEntry(op, module, target, signature, planned.entry,
                  [&](EntryFunction &function) { emitBody(function, planned, format); });
    if (failed(emitted)) return failure();
    planned.emitted = *emitted;
  }
  return success();
}

} // namespace mxc
