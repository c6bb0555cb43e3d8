// mx.hand_out and the mx.tiles that follow it: tiles by numbers, which a counter in global memory gives to
// whoever asks, or cluster launch control.
//
//   schedule role: wait empty -> get a number -> find its tile -> its record to the stage, in every CTA of
//                  the cluster; again, until there is none: a record that says so
//   other roles:   wait full -> read the record -> give it back -> its tile; again, until that record
//
// A counter: C clusters and T tiles make T + C counts, of which the last finds T + C - 1 and leaves zero
// after. Cluster launch control: the first number is the cluster's own; lane 0 asks for the next one by
//
//   announce 16 bytes -> try_cancel -> wait full -> read the answer
#include "compiler/lowering/entry/Branch.h"
#include "compiler/lowering/nvvm/BulkCopy.h"
#include "compiler/lowering/nvvm/Cluster.h"
#include "compiler/lowering/nvvm/ClusterLaunch.h"
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
// Tiles whose numbers mostly rise: what is known of one helps to find the next.
class RisingTiles {
public:
  virtual ~RisingTiles() = default;
  /// What is carried from number to number, i32 each.
  virtual SmallVector<Value> start(const ValueBuilder &) const { return {}; }
  /// Whether a tile has the number (i1), and what is carried on.
  virtual std::pair<Value, SmallVector<Value>> find(const ValueBuilder &v, Value number,
                                                    ValueRange carried) const = 0;
  virtual TileFields fields(const ValueBuilder &v, Value number, ValueRange carried) const = 0;
  /// How many tiles there are, after a number that none has.
  virtual Value count(const ValueBuilder &v, ValueRange carried) const = 0;
};

class RisingNumbers : public RisingTiles {
public:
  /// `areTiles`: every number that is asked for has a tile.
  RisingNumbers(const ValueBuilder &v, const TileCut &cut, bool areTiles)
      : tiles_(v, cut), count_(areTiles ? Value() : tiles_.count(v)) {}

  std::pair<Value, SmallVector<Value>> find(const ValueBuilder &v, Value number, ValueRange) const override {
    return {count_ ? v.cmp(ValueBuilder::Predicate::ult, number, count_) : v.i1(true), {}};
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
  /// `mayFall`: a number that lies before the window is looked for from the first group on.
  RisingGroups(const ValueBuilder &v, const TileCut &cut, Pipeline &pipeline, bool mayFall)
      : tiles_(v, cut, pipeline), mayFall_(mayFall) {}

  SmallVector<Value> start(const ValueBuilder &v) const override { // in front of all groups, without tiles
    Value zero = v.i32(0);
    return {v.i32(GroupWindow::kGroups), zero, v.i32(-GroupWindow::kGroups), zero, zero, zero};
  }
  std::pair<Value, SmallVector<Value>> find(const ValueBuilder &v, Value number,
                                            ValueRange carried) const override {
    SmallVector<Value> from = mayFall_ ? fromWhereItMayBe(v, number, carried) : SmallVector<Value>(carried);
    from[kLane] = laneOf(v, number, from);
    auto search = scf::WhileOp::create(
        v.b, v.loc, SmallVector<Type>(carried.getTypes()), from,
        [&](OpBuilder &, Location, ValueRange now) { // builds with v.b
          Value following = v.add(windowOf(now).first(), GroupWindow::kGroups);
          Value isMore = v.less(following, tiles_.cut().groups);
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
    Value exists = v.cmp(ValueBuilder::Predicate::ne, search.getResult(kLane), v.i32(GroupWindow::kGroups));
    return {exists, SmallVector<Value>(search.getResults())};
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
  // The window, or the one before all groups.
  SmallVector<Value> fromWhereItMayBe(const ValueBuilder &v, Value number, ValueRange carried) const {
    Value isBefore = v.cmp(ValueBuilder::Predicate::ult, number, carried[kBefore]);
    SmallVector<Value> from;
    for (auto [again, here] : llvm::zip(start(v), carried))
      from.push_back(v.select(isBefore, again, here));
    return from;
  }

  GroupTiles tiles_;
  bool mayFall_;
};
} // namespace

// `areOfGrid`: numbers are those of the grid's clusters, which mostly rise; without groups each has a tile.
static std::unique_ptr<RisingTiles> risingTiles(const ValueBuilder &v, const TileCut &cut, Pipeline &pipeline,
                                                bool areOfGrid) {
  if (isa<mx::GroupScheduleAttr>(cut.schedule))
    return std::make_unique<RisingGroups>(v, cut, pipeline, /*mayFall=*/areOfGrid);
  return std::make_unique<RisingNumbers>(v, cut, /*areTiles=*/areOfGrid);
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

static void publishTile(const ValueBuilder &v, const Ring &ring, RingPosition at, const TileCut &cut,
                        const TileFields &fields, const Pipeline &pipeline) {
  SmallVector<Value> words;
  for (TileField field : fieldsOf(cut))
    words.push_back(fields[field]);
  publish(v, ring, at, words, pipeline);
}

static void publishEnd(const ValueBuilder &v, const Ring &ring, RingPosition at, const TileCut &cut,
                       const Pipeline &pipeline) {
  publish(v, ring, at, SmallVector<Value>(fieldsOf(cut).size(), v.i32(kNoTile)), pipeline);
}

static void handOutByCounter(const ValueBuilder &v, mx::HandOutOp op, Pipeline &pipeline) {
  const TileCut cut = TileCut::of(op);
  const std::unique_ptr<RisingTiles> tiles = risingTiles(v, cut, pipeline, /*areOfGrid=*/false);
  const Ring ring = pipeline.ring(op.getQueue());
  const RingPosition first = ring.first(v);
  // A number's stage, its phase, and what is carried; then the number.
  constexpr unsigned kPosition = 2;
  SmallVector<Value> initial = {first.stage, first.phase};
  initial.append(tiles->start(v));
  SmallVector<Type> passed(ValueRange(initial).getTypes());
  passed.push_back(v.b.getI32Type());
  auto loop = scf::WhileOp::create(
      v.b, v.loc, passed, initial,
      [&](OpBuilder &, Location, ValueRange now) { // builds with v.b
        ring.waitEmpty(v, {now[0], now[1]});
        Value number = ofLaneZero(v, pipeline, [&] { return nvvm::countUp(v, op.getCounter()); });
        auto [exists, found] = tiles->find(v, number, now.drop_front(kPosition));
        SmallVector<Value> on = {now[0], now[1]};
        on.append(found);
        on.push_back(number);
        scf::ConditionOp::create(v.b, v.loc, exists, on);
      },
      [&](OpBuilder &, Location, ValueRange now) {
        ValueRange found = now.drop_front(kPosition).drop_back();
        const RingPosition at = {now[0], now[1]};
        publishTile(v, ring, at, cut, tiles->fields(v, now.back(), found), pipeline);
        const RingPosition next = ring.next(v, at);
        SmallVector<Value> on = {next.stage, next.phase};
        on.append(found.begin(), found.end());
        scf::YieldOp::create(v.b, v.loc, on);
      });
  ValueRange end = loop.getResults();
  publishEnd(v, ring, {end[0], end[1]}, cut, pipeline);
  Value clusters = clusterInGrid(v, pipeline).second;
  Value counts = v.add(tiles->count(v, end.drop_front(kPosition).drop_back()), clusters);
  Value isLast = v.equal(v.add(end.back(), 1), counts);
  ifThen(v, v.bitAnd(isLast, v.equal(pipeline.lane(), v.i32(0))),
         [&] { nvvm::takeAway(v, op.getCounter()); });
}

static constexpr int32_t kNoCluster = -1; // a number

// Which cluster is asked of an answer that took one over: of others it has no meaning, but LLVM would ask all
// of them if it saw through the number. Lane 0 reads an answer before it asks for the next one, to the same
// place.
static Value askForCluster(const ValueBuilder &v, const Ring &answers, Value phase, Pipeline &pipeline) {
  return ofLaneZero(v, pipeline, [&] {
    const RingPosition at = {v.i32(0), phase};
    Value memory = answers.stageAddress(v, at), full = answers.announce(v, at, nvvm::kAnswerBytes);
    nvvm::tryCancel(v, memory, full);
    answers.waitFull(v, at);
    Value answer = nvvm::loadAnswer(v, memory);
    nvvm::fenceProxyAsync(v);
    auto which = scf::IfOp::create(
        v.b, v.loc, nvvm::isCanceled(v, answer),
        [&](OpBuilder &, Location) { // builds with v.b
          Value cta = nvvm::opaque(v, nvvm::firstCanceledCta(v, answer));
          scf::YieldOp::create(v.b, v.loc, pipeline.isTwo() ? v.shru(cta, 1) : cta);
        },
        [&](OpBuilder &, Location) { scf::YieldOp::create(v.b, v.loc, v.i32(kNoCluster)); });
    return which.getResult(0);
  });
}

// A number that no tile has comes of the grid, which has a cluster for every tile that groups may have:
// ending there would leave the clusters after it to be launched, each with its tensor memory and barriers.
static void handOutByClusters(const ValueBuilder &v, mx::HandOutOp op, Pipeline &pipeline) {
  const TileCut cut = TileCut::of(op);
  const std::unique_ptr<RisingTiles> tiles = risingTiles(v, cut, pipeline, /*areOfGrid=*/true);
  const Ring ring = pipeline.ring(op.getQueue()), answers = pipeline.ring(op.getAnswers());
  const RingPosition first = ring.first(v);
  enum : unsigned { kStage, kPhase, kAnswerPhase, kNumber, kCarried };
  SmallVector<Value> initial = {first.stage, first.phase, answers.first(v).phase,
                                clusterInGrid(v, pipeline).first};
  initial.append(tiles->start(v));
  auto loop = scf::WhileOp::create(
      v.b, v.loc, SmallVector<Type>(ValueRange(initial).getTypes()), initial,
      [&](OpBuilder &, Location, ValueRange now) { // builds with v.b
        const RingPosition at = {now[kStage], now[kPhase]};
        auto [exists, found] = tiles->find(v, now[kNumber], now.drop_front(kCarried));
        ifThen(v, exists, [&, &found = found] {
          publishTile(v, ring, at, cut, tiles->fields(v, now[kNumber], found), pipeline);
        });
        const RingPosition next = ring.next(v, at), from = {v.select(exists, next.stage, at.stage),
                                                            v.select(exists, next.phase, at.phase)};
        ring.waitEmpty(v, from);
        Value number = askForCluster(v, answers, now[kAnswerPhase], pipeline);
        SmallVector<Value> on = {from.stage, from.phase, v.bitXor(now[kAnswerPhase], 1), number};
        on.append(found);
        Value isMore = v.cmp(ValueBuilder::Predicate::ne, number, v.i32(kNoCluster));
        scf::ConditionOp::create(v.b, v.loc, isMore, on);
      },
      [&](OpBuilder &, Location, ValueRange now) { scf::YieldOp::create(v.b, v.loc, now); });
  publishEnd(v, ring, {loop.getResult(kStage), loop.getResult(kPhase)}, cut, pipeline);
}

void lowerHandOut(mx::HandOutOp op, Pipeline &pipeline) {
  OpBuilder builder(op);
  (op.getAnswers() ? handOutByClusters : handOutByCounter)({builder, op.getLoc()}, op, pipeline);
  op.erase();
}

// The words of a record, which is given back. The next one in its stage comes by asynchronous stores where
// there are two CTAs: after the fence.
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
