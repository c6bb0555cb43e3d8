#include "compiler/lowering/product/tensormemory/TileChoices.h"
#include "compiler/lowering/product/AdmissibleTile.h"
#include "compiler/lowering/product/tensormemory/TensorMemoryPlan.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace mxc {

// Products that a tile must be good for, where the kernel's own extents are not known: from one token to
// training.
static constexpr ProductShape kUsual[] = {{16, 8192, 8192},    {128, 2048, 7168},  {128, 8192, 8192},
                                          {512, 4096, 7168},   {1024, 1024, 1024}, {1024, 7168, 2048},
                                          {2048, 2048, 2048},  {4096, 1536, 7168}, {4096, 4096, 4096},
                                          {4096, 14336, 4096}, {8192, 8192, 8192}, {131072, 2048, 7168}};
// How far above the modelled best a tile is still worth trying.
static constexpr double kMargin = 1.25;

namespace {
struct Candidate {
  mx::MatmulTileAttr tile;
  std::unique_ptr<ProductPlan> planned; // null: refused for what no chip changes
  std::string refusal;

  const TensorMemoryPlan &plan() const { return static_cast<const TensorMemoryPlan &>(*planned); }
};
} // namespace

// With as many stages as fit; with the fewest that there are, and refused, where none do.
static Candidate deepest(mx::ProductOpInterface op, const Target &target, mx::MatmulTileAttr tile) {
  const unsigned least = tile.getMmaK() == mx::InstructionK::Wide ? mx::WideMmaOp::kStages : 2;
  mx::MatmulTileMembers members = tile.getMembers();
  for (members.stages = 16;; --members.stages) {
    tile = mx::MatmulTileAttr::get(op.getContext(), members);
    PlannedTile planned = admissible(op, tile, target);
    if (planned.refusal.empty() || members.stages == least)
      return {tile, std::move(planned.plan), std::move(planned.refusal)};
  }
}

// Of operands of 4 bits those with instructions of 96 elements along K come first, where the chip has them.
static Tiles listed(mx::ProductOpInterface op, std::span<const std::string_view> wide,
                    std::span<const std::string_view> table) {
  Tiles tiles;
  if (productStep(op).kind != mx::BlockMmaKind::Mxf8f6f4) tiles = tilesOf(wide, op.getContext());
  llvm::append_range(tiles, tilesOf(table, op.getContext()));
  return tiles;
}

static std::vector<ProductShape> shapesOf(mx::ProductOpInterface op) {
  ArrayRef<int64_t> a = cast<MemRefType>(op.getA().getType()).getShape(),
                    b = cast<MemRefType>(op.getB().getType()).getShape();
  ProductShape known = {a[a.size() - 2], b[b.size() - 2], a.back(), op.isBatched() ? a.front() : 1};
  for (int64_t extent : {known.m, known.n, known.k, known.batches})
    if (ShapedType::isDynamic(extent) || extent == 0) return {std::begin(kUsual), std::end(kUsual)};
  return {known};
}

// What budgets allow and the model does not: too few bytes under way, a buffer without use, never near the
// best.
static void refuseByModel(std::vector<Candidate> &candidates, const TensorRates &rates,
                          ArrayRef<ProductShape> shapes) {
  for (Candidate &candidate : candidates) {
    if (!candidate.refusal.empty()) continue;
    const TensorMemoryPlan &plan = candidate.plan();
    int64_t inFlight = costOf(plan.pipeTile(), rates).bytesInFlight;
    if (inFlight < rates.bytesInFlight)
      candidate.refusal = llvm::formatv("has {0} bytes under way, the memory's latency asks for {1}",
                                        inFlight, rates.bytesInFlight);
    else if (plan.buffers() < int(plan.tile.getBuffers()))
      candidate.refusal =
          llvm::formatv("has {0} boxes a tile: no use for {1} buffers", plan.boxes(), plan.tile.getBuffers());
  }
  std::vector<std::pair<double, ProductShape>> nearest(candidates.size(),
                                                       {1e30, ProductShape()}); // to the best: ratio, where
  for (const ProductShape &shape : shapes) {
    auto time = [&](const Candidate &candidate) {
      return timeOf(candidate.plan().pipeTile(), rates, shape).micros();
    };
    double best = 1e30;
    for (const Candidate &candidate : candidates)
      if (candidate.refusal.empty()) best = std::min(best, time(candidate));
    for (auto [candidate, near] : llvm::zip(candidates, nearest)) {
      if (!candidate.refusal.empty()) continue;
      if (double ratio = time(candidate) / best; ratio < near.first) near = {ratio, shape};
    }
  }
  for (auto [candidate, near] : llvm::zip(candidates, nearest))
    if (candidate.refusal.empty() && near.first > kMargin)
      candidate.refusal =
          llvm::formatv("takes {0:f2} times the best tile's modelled time, at {1} x {2} x {3}", near.first,
                        near.second.m, near.second.n, near.second.k);
}

static std::string estimate(const TensorMemoryPlan &plan, const TensorRates &rates) {
  TileCost cost = costOf(plan.pipeTile(), rates);
  return llvm::formatv("{0} cycles a step (tensor core {1}, copies {2}), {3} KB under way", cost.step(),
                       cost.multiply, cost.copy, cost.bytesInFlight / 1024);
}

std::vector<TileChoice> tensorMemoryChoices(mx::ProductOpInterface op, const Target &target) {
  std::vector<Candidate> candidates;
  for (mx::TileAttrInterface tile : listed(op, target.wideCandidates, target.matmulCandidates)) {
    candidates.push_back(deepest(op, target, cast<mx::MatmulTileAttr>(tile)));
    if (candidates.back().refusal.empty()) candidates.back().refusal = whyNotWorthwhile(op, tile);
  }
  refuseByModel(candidates, *target.tensorRates, shapesOf(op));
  std::vector<TileChoice> choices;
  for (const Candidate &candidate : candidates)
    choices.push_back({candidate.tile,
                       candidate.planned ? estimate(candidate.plan(), *target.tensorRates) : "",
                       candidate.refusal});
  return choices;
}

Tiles tensorMemoryDefaults(mx::ProductOpInterface op, const Target &target) {
  std::vector<Candidate> modelled;
  Tiles general; // at the end
  for (mx::TileAttrInterface listedTile :
       listed(op, target.wideTiles, op.getPartCount() > 1 ? target.partTiles : target.matmulTiles)) {
    auto tile = cast<mx::MatmulTileAttr>(listedTile);
    const bool isGeneral = tile.getStore() == mx::ResultStore::Rows; // with its own stages, where they fit
    if (isGeneral && admissible(op, tile, target).refusal.empty()) {
      general.push_back(tile);
      continue;
    }
    Candidate candidate = deepest(op, target, tile);
    if (!candidate.refusal.empty()) continue;
    isGeneral ? general.push_back(candidate.tile) : modelled.push_back(std::move(candidate));
  }
  if (general.empty() && modelled.empty()) // of rows by index
    general.push_back(generalTile(op.getContext()));
  Tiles tiles;
  ShapeExpression least; // of the tiles that follow
  for (const Candidate &candidate : llvm::reverse(modelled)) {
    ShapeExpression cycles = pipeCycles(candidate.plan().pipeTile(), *target.tensorRates, op.isBatched());
    StringAttr when;
    if (!least.empty()) when = StringAttr::get(op.getContext(), cycles.text() + " <= " + least.text());
    tiles.insert(tiles.begin(), mx::TileAttrInterface(candidate.tile).withCondition(when));
    least = min(cycles, least);
  }
  llvm::append_range(tiles, general);
  return tiles;
}

} // namespace mxc
