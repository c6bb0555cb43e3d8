#include "compiler/lowering/product/tensormemory/TileChoices.h"
#include "compiler/lowering/product/tensormemory/TensorMemoryPlan.h"

#include "mlir/AsmParser/AsmParser.h"
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
  TensorMemoryPlan plan;
  std::string refusal;
};
} // namespace

static mx::MatmulTileAttr parse(mx::ProductOpInterface op, std::string_view tile) {
  return cast<mx::MatmulTileAttr>(parseAttribute(tile, op.getContext()));
}

// Rows by index come one by one.
static bool gathersByBoxes(mx::ProductOpInterface op, mx::MatmulTileAttr tile) {
  return op.getGather() && tile.getLoad() == mx::OperandLoad::Tensor;
}

static bool mayTake(mx::ProductOpInterface op, mx::MatmulTileAttr tile) {
  if (!op.getEnds() && tile.getScheduler() == mx::TileScheduler::Counter) return false; // tiles take as long
  if (op.getPartCount() > 1 && !mx::whyNotParts(tile).empty()) return false;
  if (gathersByBoxes(op, tile)) return false;
  if (op.getEnds() && !mx::whyNotGrouped(tile, op.isRaggedK()).empty()) return false;
  return !op.isSequential() || mx::whyNotSequential(tile).empty();
}

// With as many stages as fit; with the fewest that there are, and refused, where none do.
static Candidate deepest(mx::ProductOpInterface op, const Target &target, mx::MatmulTileAttr tile) {
  auto planOf = [&](unsigned stages) {
    mx::MatmulTileMembers members = tile.getMembers();
    members.stages = stages;
    return TensorMemoryPlan(op, mx::MatmulTileAttr::get(op.getContext(), members), target);
  };
  const unsigned least = tile.getMmaK() == mx::InstructionK::Wide ? mx::WideMmaOp::kStages : 2;
  for (unsigned stages = 16; stages >= least; --stages)
    if (TensorMemoryPlan plan = planOf(stages); plan.refusal(target).empty()) return {plan, ""};
  TensorMemoryPlan plan = planOf(least);
  return {plan, plan.refusal(target)};
}

// Of operands of 4 bits those with instructions of 96 elements along K come first, where the chip has them.
static std::vector<std::string_view> listed(mx::ProductOpInterface op, std::span<const std::string_view> wide,
                                            std::span<const std::string_view> tiles) {
  std::vector<std::string_view> all;
  if (productStep(op).kind != mx::BlockMmaKind::Mxf8f6f4) all.assign(wide.begin(), wide.end());
  all.insert(all.end(), tiles.begin(), tiles.end());
  return all;
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
    const TensorMemoryPlan &plan = candidate.plan;
    int64_t inFlight = costOf(plan.pipeTile(), rates).bytesInFlight;
    if (!candidate.refusal.empty()) continue;
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
      return timeOf(candidate.plan.pipeTile(), rates, shape).micros();
    };
    double best = 1e30;
    for (const Candidate &candidate : candidates)
      if (candidate.refusal.empty()) best = std::min(best, time(candidate));
    for (auto [candidate, near] : llvm::zip(candidates, nearest))
      if (double ratio = time(candidate) / best; ratio < near.first) near = {ratio, shape};
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

std::vector<TileChoice> tensorMemoryTiles(mx::ProductOpInterface op, const Target &target) {
  std::vector<Candidate> candidates;
  for (std::string_view text : listed(op, target.wideCandidates, target.matmulCandidates))
    if (mx::MatmulTileAttr tile = parse(op, text); mayTake(op, tile))
      candidates.push_back(deepest(op, target, tile));
  refuseByModel(candidates, *target.tensorRates, shapesOf(op));
  std::vector<TileChoice> choices;
  for (const Candidate &candidate : candidates)
    choices.push_back(
        {candidate.plan.tile.getText(), estimate(candidate.plan, *target.tensorRates), candidate.refusal});
  return choices;
}

std::vector<std::string> tensorMemoryDefaults(mx::ProductOpInterface op, const Target &target) {
  std::vector<TensorMemoryPlan> plans;
  std::vector<std::string> tiles; // the general ones, at the end
  for (std::string_view text :
       listed(op, target.wideTiles, op.getPartCount() > 1 ? target.partTiles : target.matmulTiles))
    if (mx::MatmulTileAttr tile = parse(op, text); !gathersByBoxes(op, tile)) {
      if (tile.getStore() == mx::ResultStore::Rows) {
        Candidate fitted{TensorMemoryPlan(op, tile, target), ""};
        if (!fitted.plan.refusal(target).empty()) fitted = deepest(op, target, tile);
        if (fitted.refusal.empty()) tiles.push_back(fitted.plan.tile.getText());
      } else if (mayTake(op, tile)) {
        if (Candidate candidate = deepest(op, target, tile); candidate.refusal.empty())
          plans.push_back(candidate.plan);
      }
    }
  if (tiles.empty() && plans.empty()) // of rows by index
    tiles.push_back(
        mx::MatmulTileAttr::get(op.getContext(), mx::MatmulTileMembers()).getFallback().getText());
  ShapeExpression least; // of the tiles that follow
  for (const TensorMemoryPlan &plan : llvm::reverse(plans)) {
    ShapeExpression cycles = pipeCycles(plan.pipeTile(), *target.tensorRates, op.isBatched());
    std::string tile = plan.tile.getText();
    if (!least.empty())
      tile.insert(tile.size() - 1, ", when = \"" + cycles.text() + " <= " + least.text() + "\"");
    tiles.insert(tiles.begin(), tile);
    least = min(cycles, least);
  }
  return tiles;
}

} // namespace mxc
