// mx.hand_out and the mx.tiles that follow it: tiles as a counter in global memory gives them to whoever
// asks.
//
//   schedule role: wait empty -> count up -> find the number's tile -> its record to the stage, in every CTA
//   of
//                  the cluster; again, until no tile has the number: a record that says so
//   other roles:   wait full -> read the record -> give it back -> its tile; again, until that record
//
// C clusters and T tiles make T + C counts, of which the last finds T + C - 1 and leaves zero behind.
#include "compiler/lowering/entry/Branch.h"
#include "compiler/lowering/nvvm/BulkCopy.h"
#include "compiler/lowering/nvvm/Cluster.h"
#include "compiler/lowering/nvvm/Counters.h"
#include "compiler/lowering/nvvm/Mbarrier.h"
#include "compiler/lowering/nvvm/Memory.h"
#include "compiler/lowering/nvvm/Threads.h"
#include "compiler/lowering/nvvm/Vectors.h"
#include "compiler/lowering/pipeline/GroupTiles.h"
#include "compiler/lowering/pipeline/StepLowering.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace mxc {

static constexpr int32_t kNoTile = -1; // a record's column
static constexpr int kWordsAtOnce = 4; // 16 bytes

// The fields that a record has, a word each; the others are the same of all tiles. A column is the first.
static SmallVector<TileField> fieldsOf(const TileCut &cut) {
  SmallVector<TileField> fields = {kColumn, kRow};
  if (auto ofRows = dyn_cast<mx::GroupScheduleAttr>(cut.schedule)) {
    fields.append({kGroup, kRows});
    if (ofRows.getAlign() == 1) fields.push_back(kScaleRow);
    return fields;
  }
  if (!matchPattern(cut.batches, m_One())) fields.push_back(kBatch);
  const bool isOfK = isa<mx::KGroupScheduleAttr>(cut.schedule);
  if (isOfK || cut.schedule.getSlices() > 1) fields.append({kKBegin, kKEnd});
  if (cut.schedule.getSlices() > 1) fields.push_back(kSlice);
  return fields;
}

static TileFields fieldsFrom(const ValueBuilder &v, const TileCut &cut, ValueRange words) {
  Value zero = v.i32(0);
  TileFields fields(kTileFields, zero);
  fields[kRows] = cut.m, fields[kKEnd] = cut.k;
  const SmallVector<TileField> given = fieldsOf(cut);
  for (auto [field, word] : llvm::zip_first(given, words))
    fields[field] = word;
  if (!llvm::is_contained(given, kScaleRow)) fields[kScaleRow] = fields[kRow];
  return fields;
}

namespace {
// Tiles whose numbers rise: what is known of one helps to find the next.
class RisingTiles {
public:
  virtual ~RisingTiles() = default;
  /// What is carried from number to number, i32 each.
  virtual SmallVector<Value> start(const ValueBuilder &) const { return {}; }
  /// Whether a tile has the number (i1), and what is carried on.
  virtual std::pair<Value, SmallVector<Value>> find(const ValueBuilder &v, Value number,
                                                    ValueRange carried) const = 0;
  virtual TileFields fields(const ValueBuilder &v, Value number, ValueRange carried) const = 0;
  /// How many tiles there are, behind a number that none has.
  virtual Value count(const ValueBuilder &v, ValueRange carried) const = 0;
};

class RisingNumbers : public RisingTiles {
public:
  RisingNumbers(const ValueBuilder &v, const TileCut &cut) : tiles_(v, cut), count_(tiles_.count(v)) {}

  std::pair<Value, SmallVector<Value>> find(const ValueBuilder &v, Value number, ValueRange) const override {
    return {v.cmp(ValueBuilder::Predicate::ult, number, count_), {}};
  }
  TileFields fields(const ValueBuilder &v, Value number, ValueRange) const override {
    return tiles_.fields(v, number);
  }
  Value count(const ValueBuilder &, ValueRange) const override { return count_; }

private:
  NumberedTiles tiles_;
  Value count_;
};

// Carried: the lane of the number's group, the tiles in front of the window, and the window.
class RisingGroups : public RisingTiles {
public:
  RisingGroups(const ValueBuilder &v, const TileCut &cut, Pipeline &pipeline) : tiles_(v, cut, pipeline) {}

  SmallVector<Value> start(const ValueBuilder &v) const override { // in front of all groups, without tiles
    Value zero = v.i32(0);
    return {v.i32(GroupWindow::kGroups), zero, v.i32(-GroupWindow::kGroups), zero, zero, zero};
  }
  std::pair<Value, SmallVector<Value>> find(const ValueBuilder &v, Value number,
                                            ValueRange carried) const override {
    SmallVector<Value> from(carried);
    from[kLane] = laneOf(v, number, carried);
    auto search = scf::WhileOp::create(
        v.b, v.loc, SmallVector<Type>(carried.getTypes()), from,
        [&](OpBuilder &, Location, ValueRange now) { // builds with v.b
          Value behind = v.add(windowOf(now).first(), GroupWindow::kGroups);
          Value isMore = v.less(behind, tiles_.cut().groups);
          Value isElsewhere = v.equal(now[kLane], v.i32(GroupWindow::kGroups));
          scf::ConditionOp::create(v.b, v.loc, v.bitAnd(isElsewhere, isMore), now);
        },
        [&](OpBuilder &, Location, ValueRange now) {
          const GroupWindow last = windowOf(now);
          SmallVector<Value> next = {v.i32(0), v.add(now[kBefore], last.tiles(v))};
          next.append(GroupWindow(v, tiles_.cut(), v.add(last.first(), GroupWindow::kGroups), last.lastEnd(v))
                          .carried());
          next[kLane] = laneOf(v, number, next);
          scf::YieldOp::create(v.b, v.loc, next);
        });
    Value isThere = v.cmp(ValueBuilder::Predicate::ne, search.getResult(kLane), v.i32(GroupWindow::kGroups));
    return {isThere, SmallVector<Value>(search.getResults())};
  }
  TileFields fields(const ValueBuilder &v, Value number, ValueRange carried) const override {
    Value within = v.sub(number, carried[kBefore]);
    return tiles_.fields(v, windowOf(carried).at(v, carried[kLane], within));
  }
  Value count(const ValueBuilder &v, ValueRange carried) const override {
    return v.add(carried[kBefore], windowOf(carried).tiles(v));
  }

private:
  enum : unsigned { kLane, kBefore, kWindow };
  GroupWindow windowOf(ValueRange carried) const { return {tiles_.cut(), carried.drop_front(kWindow)}; }
  Value laneOf(const ValueBuilder &v, Value number, ValueRange carried) const {
    return windowOf(carried).laneOf(v, v.sub(number, carried[kBefore]));
  }

  GroupTiles tiles_;
};
} // namespace

static std::unique_ptr<RisingTiles> risingTiles(const ValueBuilder &v, const TileCut &cut,
                                                Pipeline &pipeline) {
  if (isa<mx::GroupScheduleAttr>(cut.schedule)) return std::make_unique<RisingGroups>(v, cut, pipeline);
  return std::make_unique<RisingNumbers>(v, cut);
}

// A record to the stage, by one lane; CTAs other than its own get it by an asynchronous store, so both do.
static void publish(const ValueBuilder &v, const Ring &ring, RingPosition at, SmallVector<Value> words,
                    const Pipeline &pipeline) {
  while (words.size() % kWordsAtOnce)
    words.push_back(v.i32(0));
  const int64_t bytes = int64_t(words.size()) * 4;
  electOne(v, [&] {
    Value stage = ring.stageAddress(v, at);
    if (pipeline.isTwo()) nvvm::announceInCta(v, ring.announce(v, at, bytes), v.i32(1), bytes);
    for (int rank = 0; rank < (pipeline.isTwo() ? 2 : 1); ++rank)
      for (size_t word = 0; word < words.size(); word += kWordsAtOnce) {
        ArrayRef<Value> piece = ArrayRef(words).slice(word, kWordsAtOnce);
        Value to = nvvm::offsetBytes(v, stage, v.i64(4 * word));
        if (pipeline.isTwo())
          nvvm::storeInCta(v, piece, to, ring.fullBarrier(v, at), v.i32(rank));
        else
          nvvm::store(v, nvvm::fromElements(v, VectorType::get(kWordsAtOnce, v.b.getI32Type()), piece), to,
                      4 * kWordsAtOnce);
      }
    if (!pipeline.isTwo()) nvvm::arrive(v, ring.fullBarrier(v, at));
  });
}

void lowerHandOut(mx::HandOutOp op, Pipeline &pipeline) {
  OpBuilder builder(op);
  ValueBuilder v{builder, op.getLoc()};
  const TileCut cut = TileCut::of(op);
  const std::unique_ptr<RisingTiles> tiles = risingTiles(v, cut, pipeline);
  Ring ring = pipeline.ring(op.getQueue());
  const RingPosition first = ring.first(v);
  // A number's stage, its phase, and what is carried; then the number.
  constexpr unsigned kPosition = 2;
  SmallVector<Value> initial = {first.stage, first.phase};
  initial.append(tiles->start(v));
  const SmallVector<Type> carried(ValueRange(initial).getTypes());
  SmallVector<Type> passed = carried;
  passed.push_back(v.b.getI32Type());
  auto loop = scf::WhileOp::create(
      v.b, v.loc, passed, initial,
      [&](OpBuilder &, Location, ValueRange now) { // builds with v.b
        ring.waitEmpty(v, {now[0], now[1]});
        Value number = ofLaneZero(v, pipeline, [&] { return nvvm::countUp(v, op.getCounter()); });
        auto [isThere, found] = tiles->find(v, number, now.drop_front(kPosition));
        SmallVector<Value> on = {now[0], now[1]};
        on.append(found);
        on.push_back(number);
        scf::ConditionOp::create(v.b, v.loc, isThere, on);
      },
      [&](OpBuilder &, Location, ValueRange now) {
        ValueRange found = now.drop_front(kPosition).drop_back();
        const TileFields fields = tiles->fields(v, now.back(), found);
        SmallVector<Value> words;
        for (TileField field : fieldsOf(cut))
          words.push_back(fields[field]);
        const RingPosition at = {now[0], now[1]};
        publish(v, ring, at, words, pipeline);
        const RingPosition next = ring.next(v, at);
        SmallVector<Value> on = {next.stage, next.phase};
        on.append(found.begin(), found.end());
        scf::YieldOp::create(v.b, v.loc, on);
      });
  ValueRange end = loop.getResults();
  publish(v, ring, {end[0], end[1]}, SmallVector<Value>(fieldsOf(cut).size(), v.i32(kNoTile)), pipeline);
  Value clusters = clusterInGrid(v, pipeline).second;
  Value counts = v.add(tiles->count(v, end.drop_front(kPosition).drop_back()), clusters);
  Value isLast = v.equal(v.add(end.back(), 1), counts);
  ifThen(v, v.bitAnd(isLast, v.equal(pipeline.lane(), v.i32(0))),
         [&] { nvvm::takeAway(v, op.getCounter()); });
  op.erase();
}

// The words of a record, which is given back. The next one in its stage comes by asynchronous stores where
// there are two CTAs: behind the fence.
static SmallVector<Value> readRecord(const ValueBuilder &v, mx::TilesOp op, RingPosition at, size_t words,
                                     Pipeline &pipeline) {
  const Ring ring = pipeline.ring(op.getQueue());
  ring.waitFull(v, at);
  SmallVector<Value> read;
  for (size_t word = 0; word < words; word += kWordsAtOnce) {
    Value from = nvvm::offsetBytes(v, ring.stageAddress(v, at), v.i64(4 * word));
    Value piece = nvvm::load(v, VectorType::get(kWordsAtOnce, v.b.getI32Type()), from, 4 * kWordsAtOnce);
    for (int i = 0; i < kWordsAtOnce; ++i)
      read.push_back(nvvm::element(v, piece, i));
  }
  if (pipeline.isTwo()) nvvm::fenceProxyAsync(v);
  giveBack(v, op.getQueue(), at.stage, Engine::Threads, pipeline);
  read.truncate(words);
  return read;
}

void walkHandedOut(const ValueBuilder &v, mx::TilesOp op, Pipeline &pipeline) {
  const TileCut cut = TileCut::of(op);
  const size_t words = fieldsOf(cut).size();
  const Ring ring = pipeline.ring(op.getQueue());
  const RingPosition first = ring.first(v);
  Type i32 = v.b.getI32Type();
  SmallVector<Type> passed(2 + words, i32);
  scf::WhileOp::create(
      v.b, v.loc, passed, ValueRange{first.stage, first.phase},
      [&](OpBuilder &, Location, ValueRange now) { // builds with v.b
        const RingPosition at = {now[0], now[1]};
        const SmallVector<Value> record = readRecord(v, op, at, words, pipeline);
        const RingPosition next = ring.next(v, at);
        SmallVector<Value> on = {next.stage, next.phase};
        on.append(record);
        Value isTile = v.cmp(ValueBuilder::Predicate::ne, record.front(), v.i32(kNoTile));
        scf::ConditionOp::create(v.b, v.loc, isTile, on);
      },
      [&](OpBuilder &, Location, ValueRange now) {
        auto next = scf::YieldOp::create(v.b, v.loc, now.take_front(2));
        OpBuilder::InsertionGuard guard(v.b);
        v.b.setInsertionPoint(next);
        emitTile(v, op, fieldsFrom(v, cut, now.drop_front(2)));
        // Here, not at the loop's head, where the assembler would take lanes that did different things last
        // for parted ones from then on.
        nvvm::syncWarp(v);
      });
}

} // namespace mxc
