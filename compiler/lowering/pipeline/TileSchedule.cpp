// mx.tiles: which tile a cluster works on next. Static: cluster c takes tiles c, c + clusters, ..
#include "compiler/lowering/nvvm/Launch.h"
#include "compiler/lowering/pipeline/StepLowering.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace mxc {

// Tile i of a batch in supergroups of S rows (docs/semantics.md has no say in it: order changes no bit):
// g = i / (S * columns), w = i % (S * columns), height = min(S, rows - g * S): row g * S + w % height, column
// w / height.
static std::pair<Value, Value> inSupergroups(const ValueBuilder &v, Value i, Value rows, Value columns,
                                             int supergroup) {
  Value perGroup = v.mul(columns, supergroup);
  Value group = v.divu(i, perGroup), within = v.remu(i, perGroup);
  Value first = v.mul(group, supergroup);
  Value height = v.minu(v.i32(supergroup), v.sub(rows, first));
  return {v.add(first, v.remu(within, height)), v.divu(within, height)};
}

void lowerTiles(mx::TilesOp op, Pipeline &pipeline) {
  OpBuilder builder(op);
  ValueBuilder v{builder, op.getLoc()};
  Value perBatch = v.mul(op.getRows(), op.getColumns()), count = v.mul(perBatch, op.getBatches());
  Value first = nvvm::ctaId(v, nvvm::Dim::X), step = nvvm::gridSize(v, nvvm::Dim::X);
  if (pipeline.isPair()) first = v.shru(first, 1), step = v.shru(step, 1);
  auto loop = scf::ForOp::create(builder, op.getLoc(), first, count, step);
  Operation *yield = loop.getBody()->getTerminator();
  builder.setInsertionPoint(yield);
  Value i = loop.getInductionVar();
  Value batch = v.divu(i, perBatch), inBatch = v.sub(i, v.mul(batch, perBatch));
  auto [row, column] = inSupergroups(v, inBatch, op.getRows(), op.getColumns(), op.getSupergroup());
  SmallVector<Value> record = {batch, row, column};
  Block &body = op.getBody().front();
  body.getTerminator()->erase();
  for (auto [argument, value] : llvm::zip(body.getArguments(), record))
    argument.replaceAllUsesWith(value);
  loop.getBody()->getOperations().splice(yield->getIterator(), body.getOperations());
  op.erase();
}

} // namespace mxc
