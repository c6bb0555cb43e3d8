#include "compiler/lowering/entry/Branch.h"
#include "compiler/lowering/groups/GroupWindow.h"
#include "compiler/lowering/nvvm/Launch.h"
#include "compiler/lowering/nvvm/Memory.h"
#include "compiler/lowering/nvvm/Threads.h"
#include "compiler/lowering/nvvm/Vectors.h"
#include "compiler/lowering/pipeline/Steps.h"
#include "compiler/lowering/product/fewrows/FewRowsPlan.h"
#include "compiler/lowering/product/plan/ProductMaps.h"
#include "compiler/lowering/product/plan/RowsByIndex.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace mxc {

namespace {

// The CTA's part of one tile: i32.
struct Part {
  Value batch, row, column; // of c, in elements; of groups batch is the group
  Value rows, scaleRow;     // the end of the rows that there are; the first one's among the scales
  SmallVector<Value> first; // slab of K, of each part
  Value length;             // slabs of each
  Value rank;               // among the tile's CTAs
};

class FewRowsEntry {
public:
  FewRowsEntry(const ProductEntry &e, const FewRowsPlan &plan)
      : e_(e), plan_(plan), v_(e.function.values()), results_(e.sink(ResultFragment::Row)) {
    mx::PipelineOp::create(v_.b, v_.loc, /*within=*/Value(), plan.warps(), /*tensor_columns=*/0,
                           /*allocating_warp=*/0,
                           /*pair=*/false, /*sharing=*/false, plan.tile.getSplits(), plan.registers());
    for (int part = 0; part < plan.parts(); ++part) {
      weights_.push_back(ring(plan.weights, part));
      if (!plan.usesCopies()) codes_.push_back(ring(plan.codes, part));
      for (int half = 0; half < 2; ++half)
        tokens_.push_back(ring(plan.tokens, 2 * part + half));
    }
    if (plan.usesCopies()) copies_.emplace(e, plan.copies());
    slabs_ = v_.ceilDivu(e.k, kStepK), blocks_ = v_.ceilDivu(e.k, kBlockColumns);
    part_ = partOfCta();
  }

  void emit() {
    for (int part = 0; part < plan_.parts(); ++part)
      emitPlainRole(e_, numbered("multiply", part), plan_.warpsOfPart() * part, plan_.warpsOfPart(), false,
                    [&](const ValueBuilder &v) { multiply(v, part); });
    int next = plan_.multiplyingWarps();
    emitPlainRole(
        e_, "load weights", next, 1, false,
        [&](const ValueBuilder &v) {
          load(v, weights_, plan_.weights, e_.op.getB(), e_.op.getScalesB(), part_.column, part_.column,
               true);
        },
        /*early=*/e_.op.getConstantB());
    plan_.usesCopies() ? emitTokensByCopies(next + 1) : emitTokens(next + 1);
    auto storeResults = [&] { storeSums(), clearScales(); };
    e_.hasGroups() ? ifThen(v_, v_.less(part_.row, part_.rows), storeResults) : storeResults();
    if (plan_.tile.getSplits() > 1) mx::ClusterBarrierOp::create(v_.b, v_.loc); // others read this CTA's sums
  }

private:
  static std::string numbered(const std::string &name, int part) {
    return part ? name + " " + std::to_string(part) : name;
  }

  Value ring(const RingShape &shape, int part) { return createRing(v_, shape, numbered(shape.name, part)); }

  // Slabs of each part of K; past K copies bring zeros.
  Value lengthOfPart() { return v_.ceilDivu(slabs_, int(plan_.tile.getSplits()) * plan_.parts()); }

  Part partInBatch(Value index, Value rank) {
    Value rows = v_.ceilDivu(e_.m, plan_.tile.getTokens());
    Value columns = v_.ceilDivu(e_.n, plan_.columns());
    Value perBatch = v_.mul(rows, columns), inBatch = v_.remu(index, perBatch);
    Value length = lengthOfPart(), batch = v_.divu(index, perBatch);
    Value row = v_.mul(v_.remu(inBatch, rows), plan_.tile.getTokens());
    return {batch, row, v_.mul(v_.divu(inBatch, rows), plan_.columns()), e_.m, row, {}, length, rank};
  }

  // The same of rows in groups. CTAs behind the last tile have no slabs and no rows.
  Part partInGroup(Value index, Value rank) {
    const mx::SwapTileAttr &tile = plan_.tile;
    const GroupCut cut = {.ends = e_.function.pointer(e_.nameOf(e_.op.getEnds())),
                          .groups = e_.groups,
                          .rows = e_.m,
                          .columns = v_.ceilDivu(e_.n, plan_.columns()),
                          .lane = v_.bitAnd(nvvm::threadIdX(v_), 31),
                          .align = e_.op.getGroupAlignment(),
                          .tileM = tile.getTokens()};
    auto [isThere, of] = groupOfTile(v_, cut, index);
    Value inGroup = v_.mul(v_.remu(of.number, of.rows), tile.getTokens());
    return {of.group,
            v_.add(of.begin, inGroup),
            v_.mul(v_.divu(of.number, of.rows), plan_.columns()),
            v_.select(isThere, of.end, v_.i32(0)),
            of.scaleRow(v_, cut, inGroup),
            {},
            v_.select(isThere, lengthOfPart(), v_.i32(0)),
            rank};
  }

  // Tiles that read the same rows of b are neighbours.
  Part partOfCta() {
    const mx::SwapTileAttr &tile = plan_.tile;
    Value cta = nvvm::ctaId(v_, nvvm::Dim::X), rank = mx::CtaRankOp::create(v_.b, v_.loc, v_.b.getI32Type());
    Value index = v_.divu(cta, tile.getSplits());
    Part result = e_.hasGroups() ? partInGroup(index, rank) : partInBatch(index, rank);
    for (int part = 0; part < plan_.parts(); ++part)
      result.first.push_back(v_.mul(v_.add(v_.mul(rank, plan_.parts()), part), result.length));
    return result;
  }

  void copyBox(const ValueBuilder &v, Value map, SmallVector<Value> coordinates, Value ring, Value stage,
               int part, int64_t bytes, bool hasBatch, bool hasParts = false) {
    if (hasParts) coordinates.push_back(v.i32(0));
    if (hasBatch) coordinates.push_back(part_.batch);
    mx::CopyBoxOp::create(v.b, v.loc, map, coordinates, ring, stage, Value(), v.b.getI32IntegerAttr(part),
                          v.b.getI64IntegerAttr(bytes), UnitAttr());
  }

  using Body = function_ref<void(int part, Value slab)>;
  void forSlabs(const ValueBuilder &v, Body body) {
    steps::forRange(v, v.i32(0), part_.length, [&](Value index) {
      for (int part = 0; part < plan_.parts(); ++part)
        body(part, v.add(part_.first[part], index));
    });
  }

  // Codes and scale tiles of an operand, from its row `row` on, whose scales begin at `scaleRow`.
  void load(const ValueBuilder &v, ArrayRef<Value> rings, const RingShape &shape, Value operand, Value scales,
            Value row, Value scaleRow, bool isB) {
    const bool hasBatch = isB ? e_.hasSeveralB() : e_.isBatched();
    Value codeMap = e_.function.pointer(e_.nameOf(operand)),
          scaleMap = e_.function.pointer(e_.nameOf(scales));
    forSlabs(v, [&](int part, Value slab) {
      steps::fill(v, rings[part], [&](Value stage) {
        Value column = v.mul(slab, kStepK);
        SmallVector<Value> place = isB ? SmallVector<Value>{column, row}
                                       : rowsCoordinates(v, column, row, part_.rows, e_.hasGroups());
        const bool hasParts = isB && plan_.products > 1;
        copyBox(v, codeMap, place, rings[part], stage, 0, shape.parts[0], hasBatch, hasParts);
        copyBox(v, scaleMap, {v.i32(0), slab, v.divu(scaleRow, kScaleTileRows)}, rings[part], stage, 1,
                shape.parts[1], hasBatch, hasParts);
      });
    });
  }

  void loadByIndex(const ValueBuilder &v) {
    const LaneRows rows(e_, v, part_.row, part_.rows, tokens());
    forSlabs(v, [&](int part, Value slab) {
      steps::fill(v, codes_[part], [&](Value stage) {
        rows.copyCodes(v, v.mul(slab, kStepK), codes_[part], stage, 0);
        rows.copyScales(v, slab, codes_[part], stage, 1);
      });
    });
  }

  void emitTokens(int warp) {
    emitPlainRole(e_, "load tokens", warp, 1, false, [&](const ValueBuilder &v) {
      if (plan_.gathers) return loadByIndex(v);
      load(v, codes_, plan_.codes, e_.op.getA(), e_.op.getScalesA(), part_.row, part_.scaleRow, false);
    });
    int warps = plan_.dequantizingWarps();
    for (int half = 0; half < 2; ++half) {
      int first = plan_.firstDequantizing() + half * warps;
      emitPlainRole(e_, numbered("dequantize", half), first, warps, false, [&](const ValueBuilder &v) {
        Value firstRow = plan_.gathers ? v.i32(0) : part_.scaleRow; // among the scales
        forSlabs(v, [&](int part, Value slab) {
          steps::use(v, codes_[part], [&](Value codeStage) {
            steps::fill(v, tokens(part, half), [&](Value stage) {
              emitDequantizeTokens(e_, v, {codes_[part], codeStage, tokens(part, half), stage, half},
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
    Value map = e_.function.map(nameOfCopies(CopiedOperands::A), 0);
    Value all = copies_->counts(v, false, part_.batch, v.divu(part_.row, copies_->plan().blockRows));
    SmallVector<Value> counts, lengths; // from a part's first slab on
    for (Value first : part_.first) {
      Value known = v.minu(first, v.sub(slabs_, v.i32(1))); // a part behind K awaits the last one
      counts.push_back(nvvm::offsetBytes(v, all, v.toI64(v.mul(known, 4))));
      lengths.push_back(v.sub(v.minu(v.add(known, part_.length), slabs_), known));
    }
    forSlabs(v, [&](int part, Value slab) {
      mx::AwaitOp::create(v.b, v.loc, counts[part], v.sub(slab, part_.first[part]), lengths[part],
                          v.b.getI32IntegerAttr(copies_->plan().unitsPerBlock()));
      for (int half = 0; half < 2; ++half)
        steps::fill(v, tokens(part, half), [&](Value stage) {
          copyBox(v, map, {v.add(v.mul(slab, kStepK), half * kStepKBf16), part_.row}, tokens(part, half),
                  stage, 0, plan_.tokens.parts[0], e_.isBatched());
        });
    });
    copies_->leave(v);
  }

  Value blocksFrom(const ValueBuilder &v, Value slab) {
    return v.sub(blocks_, v.mul(slab, kScaleTileBlocks));
  }

  // A part without steps waits for no product: where ptxas sees zeros meet a wait for products, it takes
  // all of them for written in between, and runs one after the other.
  void multiply(const ValueBuilder &v, int part) {
    auto type = VectorType::get(plan_.tile.getTokens() / 2, v.b.getF32Type());
    Value any = v.cmp(ValueBuilder::Predicate::ne, part_.length, v.i32(0));
    storePart(v, part, steps::whereElseZero(v, any, type, [&]() -> Value {
                Value sum = multiplySteps(v, part);
                sum =
                    mx::FinishOp::create(v.b, v.loc, sum.getType(), tokens(part, 1), sum, v.b.getUnitAttr());
                return mx::AccumulatorColumnsOp::create(v.b, v.loc, type, sum, v.b.getI32IntegerAttr(0));
              }));
  }

  Value multiplySteps(const ValueBuilder &v, int part) {
    Type type = mx::AccumulatorType::get(v.b.getContext(), plan_.tile.getTokens());
    Value zero = mx::ZeroAccumulatorOp::create(v.b, v.loc, type);
    auto element = TypeAttr::get(cast<MemRefType>(e_.op.getB().getType()).getElementType());
    auto fragments = VectorType::get(16, v.b.getI32Type());
    Value inTile = v.bitAnd(part_.column, kScaleTileRows - 1);
    auto loop = scf::ForOp::create(v.b, v.loc, v.i32(0), part_.length, v.i32(1), zero);
    {
      OpBuilder::InsertionGuard guard(v.b);
      v.b.setInsertionPointToEnd(loop.getBody());
      Value blocks = blocksFrom(v, v.add(part_.first[part], loop.getInductionVar()));
      // A half's fragments are made while the products of the half before run.
      Value sum = steps::use(v, weights_[part], type, [&](Value weightStage) {
        Value sum = loop.getRegionIterArgs().front();
        for (int half = 0; half < 2; ++half) {
          Value a = mx::LoadFragmentsOp::create(v.b, v.loc, fragments, weights_[part], weightStage,
                                                v.b.getI32IntegerAttr(half), inTile, blocks, element,
                                                /*scale=*/TypeAttr(),
                                                plan_.products > 1 ? v.b.getUnitAttr() : UnitAttr());
          if (half) mx::ReleaseOp::create(v.b, v.loc, weights_[part]);
          sum = steps::use(v, tokens(part, half), type, [&](Value stage) -> Value {
            return mx::FragmentMmaOp::create(v.b, v.loc, type, tokens(part, half), stage,
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
  Value tokens(int part, int half) const { return tokens_[2 * part + half]; }

  // Where a part's codes and tokens were: nothing is under way to them any more.
  Value sumsOf(const ValueBuilder &v, int part) {
    Value first = plan_.usesCopies() ? tokens(part, 0) : codes_[part];
    return mx::StageAddressOp::create(v.b, v.loc, nvvm::pointerType(v.b.getContext(), 3), first, v.i32(0),
                                      v.b.getI32IntegerAttr(0));
  }

  // sums[token][row of b] of a part, as the fragments have them.
  void storePart(const ValueBuilder &v, int part, Value values) {
    int tokens = plan_.tile.getTokens();
    Value thread = mx::RoleThreadOp::create(v.b, v.loc, v.b.getI32Type());
    Value row = v.add(v.mul(v.shru(thread, 5), 16), v.shru(v.bitAnd(thread, 31), 2));
    Value token = v.mul(v.bitAnd(thread, 3), 2);
    mx::RoleBarrierOp::create(v.b, v.loc); // the last tokens are read
    Value first =
        nvvm::offsetBytes(v, sumsOf(v, part), v.toI64(v.mul(v.add(v.mul(token, plan_.rowWords()), row), 4)));
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
              sums = plan_.tile.getSplits() * plan_.parts() * plan_.products;
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
        Value row = v_.add(part_.row, piece.token);
        if (quantizes() && isWhole)
          storePiece(piece, row);
        else if (quantizes())
          storePiece(piece, v_.select(piece.exists, row, part_.rows));
        else
          ifThen(v_, piece.exists, [&] { storePiece(piece, row); });
      }
    });
  }

  bool quantizes() const { return !mx::quantizedResults(e_.op).empty(); }

  // By the CTA of a matrix's or group's last rows.
  void clearScales() {
    if (!quantizes()) return;
    Value isLast = v_.less(part_.rows, v_.add(v_.add(part_.row, tokens()), 1));
    Value last = v_.add(part_.scaleRow, v_.sub(v_.sub(part_.rows, part_.row), v_.i32(1)));
    ifThen(v_, v_.bitAnd(isLast, v_.equal(part_.rank, v_.i32(0))), [&] {
      for (const mx::QuantizedCopy &copy : mx::quantizedResults(e_.op))
        clearScalesPast(results_, v_, copy, last, part_.column, plan_.columns(), nvvm::threadIdX(v_));
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
    Value token = v_.add(v_.mul(part_.rank, share()), inShare);
    if (plan_.tile.getTokens() % plan_.tile.getSplits()) { // the last share is shorter
      exists = v_.bitAnd(exists, v_.less(token, v_.i32(plan_.tile.getTokens())));
      token = v_.minu(token, v_.i32(plan_.tile.getTokens() - 1));
    }
    SumPiece piece{exists, token, column, {}};
    Value at = v_.toI64(v_.mul(v_.add(v_.mul(piece.token, plan_.rowWords()), column), 4));
    auto type = VectorType::get(columns, v_.b.getF32Type());
    for (unsigned rank = 0; rank < plan_.tile.getSplits(); ++rank)
      for (int part = 0; part < plan_.parts(); ++part) {
        Value place = nvvm::offsetBytes(v_, sumsOf(v_, part), at);
        for (int product = 0; product < plan_.products; ++product) { // rows of b below the first one's
          if (product) place = nvvm::offsetBytes(v_, place, v_.i64(4 * plan_.columns()));
          piece.terms[product].push_back(mx::ClusterLoadOp::create(v_.b, v_.loc, type, place, v_.i32(rank)));
        }
      }
    return piece;
  }

  void storePiece(const SumPiece &piece, Value row) {
    SmallVector<Value> sums;
    for (ArrayRef<Value> terms : ArrayRef(piece.terms).take_front(plan_.products)) {
      sums.push_back(terms.front());
      for (Value term : terms.drop_front())
        sums.back() = arith::AddFOp::create(v_.b, v_.loc, sums.back(), term);
    }
    Value column = v_.add(part_.column, piece.column), ofBlock = v_.bitAnd(column, -mx::kResultBlock);
    storeBox(results_, v_, sums,
             {part_.batch,
              row,
              column,
              part_.rows,
              row,
              ofBlock,
              v_.i32(0),
              {part_.row, part_.scaleRow, nvvm::threadIdX(v_)}});
  }

  const ProductEntry &e_;
  const FewRowsPlan &plan_;
  ValueBuilder v_;
  ResultSink results_;
  SmallVector<Value> weights_, codes_, tokens_; // rings of each part; of tokens two
  Value slabs_, blocks_;
  std::optional<OperandCopies> copies_;
  Part part_;
};

} // namespace

void emitFewRows(const ProductEntry &e, const FewRowsPlan &plan) { FewRowsEntry(e, plan).emit(); }

} // namespace mxc
