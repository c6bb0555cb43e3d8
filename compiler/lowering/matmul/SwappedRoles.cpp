#include "compiler/lowering/Branch.h"
#include "compiler/lowering/matmul/SwappedProduct.h"
#include "compiler/lowering/nvvm/Launch.h"
#include "compiler/lowering/nvvm/Memory.h"
#include "compiler/lowering/nvvm/Threads.h"
#include "compiler/lowering/nvvm/Vectors.h"
#include "compiler/lowering/pipeline/Steps.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace mxc {

namespace {

// The CTA's part of one tile: i32.
struct Part {
  Value batch, row, column; // of c, in elements
  Value first, end;         // slabs of K
  Value rank;               // among the tile's CTAs
};

class SwappedEntry {
public:
  SwappedEntry(MatmulEntry &e, const SwappedPlan &plan) : e_(e), plan_(plan), v_(e.entry.values()) {
    auto extent = [&](StringRef name) { return v_.toI32(e.entry.extent(name)); };
    e.m = extent("M"), e.n = extent("N"), e.k = extent("K");
    e.batches = e.op.isBatched() ? extent("B") : v_.i32(1);
    e.scalars = e.entry.scalars(e.op->getParentOfType<mx::KernelOp>());
    mx::PipelineOp::create(v_.b, v_.loc, SwappedPlan::kWarps, /*tensor_columns=*/0, /*allocating_warp=*/0,
                           /*pair=*/false,
                           /*sharing=*/false, plan.tile.getSplits(), ArrayRef<int32_t>());
    weights_ = ring(plan.weights), tokens_ = ring(plan.tokens);
    sums_ = mx::SharedOp::create(v_.b, v_.loc, nvvm::pointerType(v_.b.getContext(), 3), "sums",
                                 plan.sumBytes(), 16);
    copies_.emplace(e, plan.copies());
    part_ = partOfCta();
  }

  void emit() {
    emitPlainRole(e_, "multiply", 0, 8, false, [&](const ValueBuilder &v) { multiply(v); });
    emitPlainRole(e_, "load weights", 8, 1, false, [&](const ValueBuilder &v) { loadWeights(v); });
    emitPlainRole(e_, "load tokens", 9, 1, false, [&](const ValueBuilder &v) { loadTokens(v); });
    emitDequantizeOperands(e_, *copies_, 10, 2);
    storeSums();
    if (plan_.tile.getSplits() > 1) mx::ClusterBarrierOp::create(v_.b, v_.loc); // others read this CTA's sums
  }

private:
  Value ring(const RingShape &shape) {
    return mx::RingOp::create(v_.b, v_.loc, mx::RingType::get(v_.b.getContext()),
                              v_.b.getStringAttr(shape.name), v_.b.getI32IntegerAttr(shape.stages),
                              v_.b.getDenseI64ArrayAttr(shape.parts), v_.b.getI32IntegerAttr(0),
                              v_.b.getI32IntegerAttr(0));
  }

  // Tiles that read the same rows of b are neighbours.
  Part partOfCta() {
    const mx::SwapTileAttr &tile = plan_.tile;
    Value cta = nvvm::ctaId(v_, nvvm::Dim::X), rank = mx::CtaRankOp::create(v_.b, v_.loc, v_.b.getI32Type());
    Value index = v_.divu(cta, tile.getSplits());
    Value rows = v_.ceilDivu(e_.m, tile.getTokens());
    Value columns = v_.ceilDivu(e_.n, kSwappedRows);
    Value perBatch = v_.mul(rows, columns), inBatch = v_.remu(index, perBatch);
    // Pairs of slabs, so that two sets of fragments take turns; behind K copies bring zeros.
    Value pairs = v_.ceilDivu(copies_->slabs(), 2);
    auto slab = [&](Value number) { return v_.mul(v_.divu(v_.mul(pairs, number), tile.getSplits()), 2); };
    return {v_.divu(index, perBatch),
            v_.mul(v_.remu(inBatch, rows), tile.getTokens()),
            v_.mul(v_.divu(inBatch, rows), kSwappedRows),
            slab(rank),
            slab(v_.add(rank, 1)),
            rank};
  }

  void copyBox(const ValueBuilder &v, Value map, std::initializer_list<Value> coordinates, Value ring,
               Value stage, int part, int64_t bytes) {
    SmallVector<Value> all(coordinates);
    if (e_.isBatched()) all.push_back(part_.batch);
    mx::CopyBoxOp::create(v.b, v.loc, map, all, ring, stage, Value(), v.b.getI32IntegerAttr(part),
                          v.b.getI64IntegerAttr(bytes), UnitAttr());
  }

  void loadWeights(const ValueBuilder &v) {
    Value codes = e_.entry.pointer(e_.nameOf(e_.op.getB())),
          scales = e_.entry.pointer(e_.nameOf(e_.op.getScalesB()));
    steps::forRange(v, part_.first, part_.end, [&](Value slab) {
      steps::fill(v, weights_, [&](Value stage) {
        copyBox(v, codes, {v.mul(slab, kStepK), part_.column}, weights_, stage, 0, plan_.weights.parts[0]);
        copyBox(v, scales, {v.i32(0), slab, v.divu(part_.column, kScaleTileRows)}, weights_, stage, 1,
                plan_.weights.parts[1]);
      });
    });
  }

  void loadTokens(const ValueBuilder &v) {
    Value map = e_.entry.map(kRowCopies, 0);
    Value counts = copies_->counts(v, false, part_.batch, v.divu(part_.row, copies_->plan().blockRows));
    // Counted from the part's first slab on.
    counts = nvvm::offsetBytes(v, counts, v.toI64(v.mul(part_.first, 4)));
    Value length = v.sub(v.minu(part_.end, copies_->slabs()), part_.first);
    steps::forRange(v, v.i32(0), v.sub(part_.end, part_.first), [&](Value index) {
      mx::AwaitOp::create(v.b, v.loc, counts, index, length,
                          v.b.getI32IntegerAttr(copies_->plan().unitsPerBlock()));
      Value column = v.mul(v.add(part_.first, index), kStepK);
      steps::fill(v, tokens_, [&](Value stage) {
        for (int half = 0; half < 2; ++half)
          copyBox(v, map, {v.add(column, half * kStepKBf16), part_.row}, tokens_, stage, half,
                  plan_.tokens.parts[half]);
      });
    });
    copies_->leave(v);
  }

  void multiply(const ValueBuilder &v) {
    Type type = mx::AccumulatorType::get(v.b.getContext(), plan_.tile.getTokens());
    Value zero = mx::ZeroAccumulatorOp::create(v.b, v.loc, type);
    auto element = TypeAttr::get(cast<MemRefType>(e_.op.getB().getType()).getElementType());
    auto fragments = VectorType::get(32, v.b.getI32Type());
    Value blocks = v.ceilDivu(e_.k, 32);
    // A set of fragments is read until the products behind it have begun: the next step takes the other one.
    auto loop = scf::ForOp::create(v.b, v.loc, part_.first, part_.end, v.i32(2), zero);
    {
      OpBuilder::InsertionGuard guard(v.b);
      v.b.setInsertionPointToEnd(loop.getBody());
      Value sum = loop.getRegionIterArgs().front();
      for (int set = 0; set < 2; ++set) {
        Value left = v.sub(blocks, v.mul(v.add(loop.getInductionVar(), set), 4));
        Value a = steps::use(v, weights_, fragments, [&](Value stage) -> Value {
          return mx::LoadFragmentsOp::create(v.b, v.loc, fragments, weights_, stage, left, element);
        });
        sum = steps::use(v, tokens_, type, [&](Value stage) -> Value {
          return mx::FragmentMmaOp::create(v.b, v.loc, type, tokens_, stage, a, sum);
        });
      }
      scf::YieldOp::create(v.b, v.loc, sum);
    }
    storeAccumulator(v, mx::FinishOp::create(v.b, v.loc, type, tokens_, loop.getResult(0)));
  }

  // sums[token][row of b], as the fragments have them.
  void storeAccumulator(const ValueBuilder &v, Value accumulator) {
    int tokens = plan_.tile.getTokens();
    auto type = VectorType::get(tokens / 2, v.b.getF32Type());
    Value values = mx::AccumulatorColumnsOp::create(v.b, v.loc, type, accumulator, v.b.getI32IntegerAttr(0));
    Value thread = mx::RoleThreadOp::create(v.b, v.loc, v.b.getI32Type());
    Value row = v.add(v.mul(v.shru(thread, 5), 16), v.shru(v.bitAnd(thread, 31), 2));
    Value token = v.mul(v.bitAnd(thread, 3), 2);
    Value first = nvvm::offsetBytes(v, sums_, v.toI64(v.mul(v.add(v.mul(token, plan_.rowWords()), row), 4)));
    for (int i = 0; i < tokens / 2; ++i) {
      int64_t words = (i / 4 * 8 + i % 2) * plan_.rowWords() + i / 2 % 2 * 8;
      nvvm::store(v, nvvm::element(v, values, i), nvvm::offsetBytes(v, first, v.i64(words * 4)), 4);
    }
  }

  // Behind all roles, all CTAs of the tile: each takes its share of the tokens, adds the CTAs' sums in the
  // order of K, and stores results. Neighbouring threads have neighbouring columns of c.
  void storeSums() {
    int splits = plan_.tile.getSplits(), share = plan_.tile.getTokens() / splits;
    Value thread = nvvm::threadIdX(v_), row = v_.bitAnd(thread, kSwappedRows - 1);
    auto loop = scf::ForOp::create(v_.b, v_.loc, v_.divu(thread, kSwappedRows), v_.i32(share),
                                   v_.i32(32 * SwappedPlan::kWarps / kSwappedRows));
    OpBuilder::InsertionGuard guard(v_.b);
    v_.b.setInsertionPoint(loop.getBody()->getTerminator());
    Value token = v_.add(v_.mul(part_.rank, share), loop.getInductionVar());
    Value place =
        nvvm::offsetBytes(v_, sums_, v_.toI64(v_.mul(v_.add(v_.mul(token, plan_.rowWords()), row), 4)));
    Value sum;
    for (int rank = 0; rank < splits; ++rank) {
      Value part = mx::ClusterLoadOp::create(v_.b, v_.loc, v_.b.getF32Type(), place, v_.i32(rank));
      sum = sum ? Value(arith::AddFOp::create(v_.b, v_.loc, sum, part)) : part;
    }
    Value product = nvvm::fromElements(v_, VectorType::get(1, v_.b.getF32Type()), sum);
    Value atRow = v_.add(part_.row, token), atColumn = v_.add(part_.column, row);
    storeBox(e_, v_, product, {part_.batch, atRow, atColumn, atRow, atColumn, v_.i32(0)});
  }

  MatmulEntry &e_;
  const SwappedPlan &plan_;
  ValueBuilder v_;
  Value weights_, tokens_, sums_;
  std::optional<OperandCopies> copies_;
  Part part_;
};

} // namespace

void emitSwapped(const MatmulEntry &entry, const SwappedPlan &plan) {
  MatmulEntry e = entry;
  SwappedEntry(e, plan).emit();
}

} // namespace mxc
