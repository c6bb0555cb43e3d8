#include "compiler/lowering/product/tensormemory/TileChoices.h"
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
static constexpr unsigned kWidths[] = {256, 192, 128, 64}; // of tiles, n

namespace {
struct Candidate {
  TensorMemoryPlan plan;
  std::string refusal;
};
} // namespace

static bool maySplit(mx::MatmulOp op) { return op.getReduction() != mx::Reduction::Sequential; }

using Members = mx::MatmulTileMembers;

static TensorMemoryPlan planOf(mx::MatmulOp op, const Target &target, Members tile) {
  tile.m = kCtaRows * tile.ctas;
  return TensorMemoryPlan(op, mx::MatmulTileAttr::get(op.getContext(), tile), target);
}

// With as many stages as fit; with two, and refused, where none do.
static Candidate deepest(mx::MatmulOp op, const Target &target, Members tile) {
  for (tile.stages = 16; tile.stages >= 2; --tile.stages) {
    TensorMemoryPlan plan = planOf(op, target, tile);
    if (plan.refusal(target).empty()) return {plan, ""};
  }
  tile.stages = 2;
  TensorMemoryPlan plan = planOf(op, target, tile);
  return {plan, plan.refusal(target)};
}

static std::vector<ProductShape> shapesOf(mx::MatmulOp op) {
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

std::vector<TileChoice> tensorMemoryTiles(mx::MatmulOp op, const Target &target) {
  std::vector<Candidate> candidates;
  for (unsigned ctas : {2, 1})
    for (unsigned n : kWidths)
      for (unsigned buffers : {1, 2})
        candidates.push_back(deepest(op, target, {.n = n, .ctas = ctas, .buffers = buffers}));
  for (unsigned n : kWidths)
    candidates.push_back(
        deepest(op, target, {.n = n, .ctas = 2, .buffers = 1, .scheduler = mx::TileScheduler::Clc}));
  if (maySplit(op))
    for (unsigned n : kWidths)
      for (unsigned slices : {2, 4, 8})
        candidates.push_back(deepest(op, target, {.n = n, .ctas = 2, .buffers = 1, .slices = slices}));
  refuseByModel(candidates, *target.tensorRates, shapesOf(op));
  std::vector<TileChoice> choices;
  for (const Candidate &candidate : candidates)
    choices.push_back(
        {candidate.plan.tile.getText(), estimate(candidate.plan, *target.tensorRates), candidate.refusal});
  return choices;
}

// Pairs of CTAs, which halve the bytes of b: over the usual shapes the best of four widths is within 1 % of
// the best of all tiles on average. Results whose rows are no multiples of 16 bytes leave element by element.
std::vector<std::string> tensorMemoryDefaults(mx::MatmulOp op, const Target &target) {
  std::vector<TensorMemoryPlan> plans;
  for (unsigned n : kWidths)
    plans.push_back(deepest(op, target, {.n = n, .ctas = 2, .buffers = 1}).plan);
  if (maySplit(op)) // of one tile with slices, this one gains most
    plans.insert(std::prev(plans.end()),
                 deepest(op, target, {.n = 128, .ctas = 2, .buffers = 1, .slices = 4}).plan);
  std::vector<std::string> tiles;
  ShapeExpression least; // of the tiles that follow
  for (const TensorMemoryPlan &plan : llvm::reverse(plans)) {
    ShapeExpression cycles = pipeCycles(plan.pipeTile(), *target.tensorRates, op.isBatched());
    std::string tile = plan.tile.getText();
    if (!least.empty())
      tile.insert(tile.size() - 1, ", when = \"" + cycles.text() + " <= " + least.text() + "\"");
    tiles.insert(tiles.begin(), tile);
    least = min(cycles, least);
  }
  tiles.push_back("#mx.matmul_tile<m = 128, n = 128, stages = 6, store = rows>");
  return tiles;
}

} // namespace mxc
