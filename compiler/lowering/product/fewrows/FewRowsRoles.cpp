#include "compiler/lowering/entry/Branch.h"
#include "compiler/lowering/groups/GroupWindow.h"
#include "compiler/lowering/nvvm/Launch.h"
#include "compiler/lowering/nvvm/Memory.h"
#include "compiler/lowering/nvvm/Threads.h"
#include "compiler/lowering/nvvm/Vectors.h"
#include "compiler/lowering/pipeline/Steps.h"
#include "compiler/lowering/product/copies/DequantizeOperands.h"
#include "compiler/lowering/product/fewrows/FewRowsPlan.h"
#include "compiler/lowering/product/plan/BoxLoads.h"
#include "compiler/lowering/product/results/ResultStores.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace mxc {

namespace {

// A CTA's share of one tile. All i32.
struct CtaTile : TileRecord {
  SmallVector<Value> first; // slab of K, of each of its shares of that
  Value length;             // slabs of each
  Value rank;               // among the tile's CTAs
};

class FewRowsEntry {
public:
  FewRowsEntry(const ProductEntry &e, const FewRowsPlan &plan, ArrayRef<Value> rings)
      : e_(e), plan_(plan), v_(e.function.values()), results_(e.sink(ResultFragment::Row)) {
    for (int share = 0; share < plan.kShares(); ++share) { // as FewRowsPlan::rings() has them
      auto take = [&](SmallVector<Value> &to) { to.push_back(rings.consume_front()); };
      take(weights_);
      if (!plan.usesCopies()) take(codes_);
      take(tokens_), take(tokens_);
    }
    if (plan.usesCopies()) copies_.emplace(e, plan.copies());
    slabs_ = v_.ceilDivu(e.k, kStepK), blocks_ = v_.ceilDivu(e.k, kBlockColumns);
    tile_ = tileOfCta();
  }

  void emit() {
    for (int share = 0; share < plan_.kShares(); ++share)
      emitPlainRole(e_, numbered("multiply", share), plan_.warpsOfShare() * share, plan_.warpsOfShare(),
                    false, [&](const ValueBuilder &v) { multiply(v, share); });
    int next = plan_.multiplyingWarps();
    emitPlainRole(
        e_, "load weights", next, 1, false, [&](const ValueBuilder &v) { load(v, weights_, plan_.weights); },
        /*early=*/e_.op.getConstantB());
    plan_.usesCopies() ? emitTokensByCopies(next + 1) : emitTokens(next + 1);
    auto storeResults = [&] { storeSums(), clearScales(); };
    e_.hasGroups() ? ifThen(v_, v_.less(tile_.row, tile_.rows), storeResults) : storeResults();
    if (plan_.tile.getSplits() > 1) mx::ClusterBarrierOp::create(v_.b, v_.loc); // others read this CTA's sums
  }

private:
  static std::string numbered(const std::string &name, int number) {
    return number ? name + " " + std::to_string(number) : name;
  }

  // Slabs of each share of K; past K copies bring zeros.
  Value lengthOfShare() { return v_.ceilDivu(slabs_, int(plan_.tile.getSplits()) * plan_.kShares()); }

  CtaTile tileInBatch(Value index, Value rank) {
    Value rows = v_.ceilDivu(e_.m, plan_.tile.getTokens());
    Value columns = v_.ceilDivu(e_.n, plan_.columns());
    Value perBatch = v_.mul(rows, columns), inBatch = v_.remu(index, perBatch);
    Value length = lengthOfShare(), batch = v_.divu(index, perBatch);
    Value row = v_.mul(v_.remu(inBatch, rows), plan_.tile.getTokens());
    CtaTile tile = {};
    tile.group = tile.batch = batch;
    tile.row = tile.scaleRow = row, tile.rows = e_.m;
    tile.column = v_.mul(v_.divu(inBatch, rows), plan_.columns());
    tile.length = length, tile.rank = rank;
    return tile;
  }

  // The same of rows in groups. CTAs past the last tile have no slabs and no rows.
  CtaTile tileInGroup(Value index, Value rank) {
    const mx::SwapTileAttr &tile = plan_.tile;
    const GroupCut cut = {.ends = e_.function.pointer(e_.nameOf(e_.op.getEnds())),
                          .groups = e_.groups,
                          .rows = e_.m,
                          .columns = v_.ceilDivu(e_.n, plan_.columns()),
                          .lane = v_.bitAnd(nvvm::threadIdX(v_), 31),
                          .align = e_.op.getGroupAlignment(),
                          .tileM = tile.getTokens()};
    auto [exists, of] = groupOfTile(v_, cut, index);
    Value inGroup = v_.mul(v_.remu(of.number, of.rows), tile.getTokens());
    CtaTile result = {};
    result.group = result.batch = of.group;
    result.row = v_.add(of.begin, inGroup);
    result.column = v_.mul(v_.divu(of.number, of.rows), plan_.columns());
    result.rows = v_.select(exists, of.end, v_.i32(0));
    result.scaleRow = of.scaleRow(v_, cut, inGroup);
    result.length = v_.select(exists, lengthOfShare(), v_.i32(0));
    result.rank = rank;
    return result;
  }

  // Tiles that read the same rows of b are neighbours.
  CtaTile tileOfCta() {
    const mx::SwapTileAttr &tile = plan_.tile;
    Value cta = nvvm::ctaId(v_, nvvm::Dim::X), rank = mx::CtaRankOp::create(v_.b, v_.loc, v_.b.getI32Type());
    Value index = v_.divu(cta, tile.getSplits());
    CtaTile result = e_.hasGroups() ? tileInGroup(index, rank) : tileInBatch(index, rank);
    for (int share = 0; share < plan_.kShares(); ++share)
      result.first.push_back(v_.mul(v_.add(v_.mul(rank, plan_.kShares()), share), result.length));
    return result;
  }

  using Body = function_ref<void(int share, Value slab)>;
  void forSlabs(const ValueBuilder &v, Body body) {
    steps::forRange(v, v.i32(0), tile_.length, [&](Value index) {
      for (int share = 0; share < plan_.kShares(); ++share)
        body(share, v.add(tile_.first[share], index));
    });
  }

  void load(const ValueBuilder &v, ArrayRef<Value> rings, const OperandRing &shape) {
    const BoxLoads loads(e_, v, tile_, shape.boxes);
    forSlabs(v, [&](int share, Value slab) { loads.fill(rings[share], slab); });
  }

  void emitTokens(int warp) {
    emitPlainRole(e_, "load tokens", warp, 1, false,
                  [&](const ValueBuilder &v) { load(v, codes_, plan_.codes); });
    int warps = plan_.dequantizingWarps();
    for (int half = 0; half < 2; ++half) {
      int first = plan_.firstDequantizing() + half * warps;
      emitPlainRole(e_, numbered("dequantize", half), first, warps, false, [&](const ValueBuilder &v) {
        Value firstRow = plan_.gathers ? v.i32(0) : tile_.scaleRow; // among the scales
        forSlabs(v, [&](int share, Value slab) {
          steps::use(v, codes_[share], [&](Value codeStage) {
            steps::fill(v, tokens(share, half), [&](Value stage) {
              emitDequantizeTokens(e_, v, {codes_[share], codeStage, tokens(share, half), stage, half},
                                   tokens(), warps, firstRow, blocksFrom(v, slab));
            });
          });
        });
      });
    }
  }

  void emitTokensByCopies(int warp) {
    emitPlainRole(e_, "load tokens", warp, 1, false, [&](const ValueBuilder &v) { loadCopies(v); });
    emitDequantizeOperands(e_, *copies_, plan_.firstDequantizing(), plan_.dequantizingWarps());
  }

  void loadCopies(const ValueBuilder &v) {
    const BoxLoads loads(e_, v, tile_, plan_.tokens.boxes);
    Value all = copies_->counts(v, false, tile_.batch, v.divu(tile_.row, copies_->plan().blockRows));
    SmallVector<Value> counts, lengths; // from a share's first slab on
    for (Value first : tile_.first) {
      Value known = v.minu(first, v.sub(slabs_, v.i32(1))); // a share past K awaits the last one
      counts.push_back(nvvm::offsetBytes(v, all, v.toI64(v.mul(known, 4))));
      lengths.push_back(v.sub(v.minu(v.add(known, tile_.length), slabs_), known));
    }
    forSlabs(v, [&](int share, Value slab) {
      mx::AwaitOp::create(v.b, v.loc, counts[share], v.sub(slab, tile_.first[share]), lengths[share],
                          v.b.getI32IntegerAttr(copies_->plan().unitsPerBlock()));
      for (int half = 0; half < 2; ++half)
        loads.fill(tokens(share, half), v.add(v.mul(slab, kStepK / kStepKBf16), half));
    });
    copies_->leave(v);
  }

  Value blocksFrom(const ValueBuilder &v, Value slab) {
    return v.sub(blocks_, v.mul(slab, kScaleTileBlocks));
  }

  // A share without steps waits for no product: where ptxas sees zeros meet a wait for products, it takes
  // all of them for written in between, and runs one after the other.
  void multiply(const ValueBuilder &v, int share) {
    auto type = VectorType::get(plan_.tile.getTokens() / 2, v.b.getF32Type());
    Value any = v.cmp(ValueBuilder::Predicate::ne, tile_.length, v.i32(0));
    storeShare(v, share, steps::whereElseZero(v, any, type, [&]() -> Value {
                 Value sum = multiplySteps(v, share);
                 sum = mx::FinishOp::create(v.b, v.loc, sum.getType(), tokens(share, 1), sum,
                                            v.b.getUnitAttr());
                 return mx::AccumulatorColumnsOp::create(v.b, v.loc, type, sum, v.b.getI32IntegerAttr(0));
               }));
  }

  Value multiplySteps(const ValueBuilder &v, int share) {
    Type type = mx::AccumulatorType::get(v.b.getContext(), plan_.tile.getTokens());
    Value zero = mx::ZeroAccumulatorOp::create(v.b, v.loc, type);
    auto element = TypeAttr::get(cast<MemRefType>(e_.op.getB().getType()).getElementType());
    auto fragments = VectorType::get(16, v.b.getI32Type());
    Value inTile = v.bitAnd(tile_.column, kScaleTileRows - 1);
    auto loop = scf::ForOp::create(v.b, v.loc, v.i32(0), tile_.length, v.i32(1), zero);
    {
      OpBuilder::InsertionGuard guard(v.b);
      v.b.setInsertionPointToEnd(loop.getBody());
      Value blocks = blocksFrom(v, v.add(tile_.first[share], loop.getInductionVar()));
      // A half's fragments are made while the products of the half before run.
      Value sum = steps::use(v, weights_[share], type, [&](Value weightStage) {
        Value sum = loop.getRegionIterArgs().front();
        for (int half = 0; half < 2; ++half) {
          Value a = mx::LoadFragmentsOp::create(v.b, v.loc, fragments, weights_[share], weightStage,
                                                v.b.getI32IntegerAttr(half), inTile, blocks, element,
                                                /*scale=*/TypeAttr(),
                                                plan_.matrices > 1 ? v.b.getUnitAttr() : UnitAttr());
          if (half) mx::ReleaseOp::create(v.b, v.loc, weights_[share]);
          sum = steps::use(v, tokens(share, half), type, [&](Value stage) -> Value {
            return mx::FragmentMmaOp::create(v.b, v.loc, type, tokens(share, half), stage,
                                             v.b.getI32IntegerAttr(0), a, sum);
          });
        }
        return sum;
      });
      scf::YieldOp::create(v.b, v.loc, sum);
    }
    return loop.getResult(0);
  }

  int tokens() const { return int(plan_.tile.getTokens()); }
  Value tokens(int share, int half) const { return tokens_[2 * share + half]; }

  // Where a share's codes and tokens were: nothing is under way to them any more.
  Value sumsOf(const ValueBuilder &v, int share) {
    Value first = plan_.usesCopies() ? tokens(share, 0) : codes_[share];
    return mx::StageAddressOp::create(v.b, v.loc, nvvm::pointerType(v.b.getContext(), 3), first, v.i32(0),
                                      v.b.getI32IntegerAttr(0));
  }

  // sums[token][row of b] of a share, as the fragments have them.
  void storeShare(const ValueBuilder &v, int share, Value values) {
    int tokens = plan_.tile.getTokens();
    Value thread = mx::RoleThreadOp::create(v.b, v.loc, v.b.getI32Type());
    Value row = v.add(v.mul(v.shru(thread, 5), 16), v.shru(v.bitAnd(thread, 31), 2));
    Value token = v.mul(v.bitAnd(thread, 3), 2);
    mx::RoleBarrierOp::create(v.b, v.loc); // the last tokens are read
    Value first =
        nvvm::offsetBytes(v, sumsOf(v, share), v.toI64(v.mul(v.add(v.mul(token, plan_.rowWords()), row), 4)));
    for (int i = 0; i < tokens / 2; ++i) {
      int64_t words = (i / 4 * 8 + i % 2) * plan_.rowWords() + i / 2 % 2 * 8;
      nvvm::store(v, nvvm::element(v, values, i), nvvm::offsetBytes(v, first, v.i64(words * 4)), 4);
    }
  }

  // After all roles, all CTAs of the tile: each takes its share of the tokens, adds the CTAs' sums in the
  // order of K, and stores results. Neighbouring threads have neighbouring columns of c, four each. Loads of
  // several pieces are under way at a time: those from other CTAs take long.
  void storeSums() {
    constexpr int kColumns = 4;
    // As registers allow: warps that load have few.
    const int budget = plan_.registers().empty() ? 12 : 6,
              sums = plan_.tile.getSplits() * plan_.kShares() * plan_.matrices;
    const int most = std::clamp(budget / sums, 1, 4);
    const int perRow = plan_.columns() / kColumns, threads = 32 * plan_.warps();
    const int pieces = share() * perRow;
    const int rounds = llvm::divideCeil(pieces, threads), atOnce = std::min(rounds, most);
    const bool isWhole = pieces % (threads * atOnce) == 0; // each load is of a piece
    steps::forRange(v_, v_.i32(0), v_.i32(llvm::divideCeil(rounds, atOnce)), [&](Value round) {
      Value first = v_.add(v_.mul(round, threads * atOnce), nvvm::threadIdX(v_));
      SmallVector<SumPiece> mine;
      for (int i = 0; i < atOnce; ++i)
        mine.push_back(loadSums(v_.add(first, threads * i), pieces, perRow, kColumns, isWhole));
      for (const SumPiece &piece : mine) {
        // Lanes that share a block meet: those without a piece have one of a row past the last one.
        Value row = v_.add(tile_.row, piece.token);
        if (quantizes() && isWhole)
          storePiece(piece, row);
        else if (quantizes())
          storePiece(piece, v_.select(piece.exists, row, tile_.rows));
        else
          ifThen(v_, piece.exists, [&] { storePiece(piece, row); });
      }
    });
  }

  bool quantizes() const { return !mx::quantizedResults(e_.op).empty(); }

  // By the CTA of a matrix's or group's last rows.
  void clearScales() {
    if (!quantizes()) return;
    Value isLast = v_.less(tile_.rows, v_.add(v_.add(tile_.row, tokens()), 1));
    Value last = v_.add(tile_.scaleRow, v_.sub(v_.sub(tile_.rows, tile_.row), v_.i32(1)));
    ifThen(v_, v_.bitAnd(isLast, v_.equal(tile_.rank, v_.i32(0))), [&] {
      for (const mx::QuantizedCopy &copy : mx::quantizedResults(e_.op))
        clearScalesPast(results_, v_, copy, last, tile_.column, plan_.columns(), nvvm::threadIdX(v_));
    });
  }

  int share() const { return llvm::divideCeil(plan_.tile.getTokens(), plan_.tile.getSplits()); } // tokens

  struct SumPiece {
    Value exists, token, column; // in the tile
    SmallVector<Value> terms[2]; // of each product, in the order of K
  };
  // Threads past the end load what the last piece has.
  SumPiece loadSums(Value index, int pieces, int perRow, int columns, bool isWhole) {
    Value exists = v_.cmp(ValueBuilder::Predicate::ult, index, v_.i32(pieces));
    Value inside = isWhole ? index : v_.minu(index, v_.i32(pieces - 1));
    Value column = v_.mul(v_.bitAnd(inside, perRow - 1), columns), inShare = v_.divu(inside, perRow);
    Value token = v_.add(v_.mul(tile_.rank, share()), inShare);
    if (plan_.tile.getTokens() % plan_.tile.getSplits()) { // the last share is shorter
      exists = v_.bitAnd(exists, v_.less(token, v_.i32(plan_.tile.getTokens())));
      token = v_.minu(token, v_.i32(plan_.tile.getTokens() - 1));
    }
    SumPiece piece{exists, token, column, {}};
    Value at = v_.toI64(v_.mul(v_.add(v_.mul(piece.token, plan_.rowWords()), column), 4));
    auto type = VectorType::get(columns, v_.b.getF32Type());
    for (unsigned rank = 0; rank < plan_.tile.getSplits(); ++rank)
      for (int share = 0; share < plan_.kShares(); ++share) {
        Value place = nvvm::offsetBytes(v_, sumsOf(v_, share), at);
        for (int matrix = 0; matrix < plan_.matrices; ++matrix) { // rows of b below the first one's
          if (matrix) place = nvvm::offsetBytes(v_, place, v_.i64(4 * plan_.columns()));
          piece.terms[matrix].push_back(mx::ClusterLoadOp::create(v_.b, v_.loc, type, place, v_.i32(rank)));
        }
      }
    return piece;
  }

  void storePiece(const SumPiece &piece, Value row) {
    SmallVector<Value> sums;
    for (ArrayRef<Value> terms : ArrayRef(piece.terms).take_front(plan_.matrices)) {
      sums.push_back(terms.front());
      for (Value term : terms.drop_front())
        sums.back() = arith::AddFOp::create(v_.b, v_.loc, sums.back(), term);
    }
    Value column = v_.add(tile_.column, piece.column), ofBlock = v_.bitAnd(column, -mx::kResultBlock);
    storeBox(results_, v_, sums,
             {tile_.batch,
              row,
              column,
              tile_.rows,
              row,
              ofBlock,
              v_.i32(0),
              {tile_.row, tile_.scaleRow, nvvm::threadIdX(v_)}});
  }

  const ProductEntry &e_;
  const FewRowsPlan &plan_;
  ValueBuilder v_;
  ResultSink results_;
  SmallVector<Value> weights_, codes_, tokens_; // rings of each share; of tokens two
  Value slabs_, blocks_;
  std::optional<OperandCopies> copies_;
  CtaTile tile_;
};

} // namespace

void emitFewRows(const ProductEntry &e, const FewRowsPlan &plan, ArrayRef<Value> rings) {
  FewRowsEntry(e, plan, rings).emit();
}

} // namespace mxc
