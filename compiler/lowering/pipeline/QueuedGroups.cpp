// mx.tiles over rows in groups, whose numbers, among the tiles of all groups, come through the queue. They
// mostly rise, so a run of them lies in one window of groups, which then stays in registers:
//
//   do {
//     go to the window of the number
//     if (a group has it) do { its tile; the next number } while (the window has that)
//     else the next number
//   } while (there is one)
//
// A number that no group has comes of the grid, which has a cluster for every tile that groups may have.
#include "compiler/lowering/entry/Branch.h"
#include "compiler/lowering/nvvm/ClusterLaunch.h"
#include "compiler/lowering/nvvm/Launch.h"
#include "compiler/lowering/pipeline/GroupTiles.h"
#include "compiler/lowering/pipeline/StepLowering.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace mxc {

namespace {
class QueuedGroups {
public:
  QueuedGroups(const ValueBuilder &v, mx::TilesOp op, const GroupTiles &tiles, Pipeline &pipeline)
      : v_(v), op_(op), tiles_(tiles), pipeline_(pipeline), ring_(pipeline.ring(op.getQueue())) {}

  void walk() {
    Value zero = v_.i32(0), noLane = v_.i32(GroupWindow::kGroups), inFront = v_.i32(-GroupWindow::kGroups);
    const RingPosition first = ring_.first(v_);
    State next = {clusterOf(nvvm::ctaId(v_, nvvm::Dim::X)), first.stage, first.phase, noLane};
    next.append({zero, inFront, zero, zero, zero}); // the window in front of all groups, without tiles
    doWhile(next, [&](ValueRange now) {
      State found = find(now);
      auto at = ValueRange(found).take_front(kPosition), window = ValueRange(found).drop_front(kPosition);
      State behind = runOrPass(at, window);
      behind.append(window.begin(), window.end());
      return std::pair(v_.cmp(ValueBuilder::Predicate::ne, behind[kNumber], v_.i32(kNone)), behind);
    });
  }

private:
  using State = SmallVector<Value>;
  // Of a number: which, where in the ring the answer behind it comes, and the lane that has it in the window.
  enum : unsigned { kNumber, kStage, kPhase, kLane, kPosition };
  static constexpr int32_t kNone = -1; // a number

  // `body` turns a state into the next one, and says whether to go on (i1).
  State doWhile(ValueRange initial, function_ref<std::pair<Value, State>(ValueRange)> body) {
    auto loop = scf::WhileOp::create(
        v_.b, v_.loc, SmallVector<Type>(initial.getTypes()), initial,
        [&](OpBuilder &, Location, ValueRange now) { // builds with v_.b
          auto [goesOn, next] = body(now);
          scf::ConditionOp::create(v_.b, v_.loc, goesOn, next);
        },
        [&](OpBuilder &, Location, ValueRange next) { scf::YieldOp::create(v_.b, v_.loc, next); });
    return State(loop.getResults());
  }

  // Of what is carried of a window: the tiles in front of it, then itself.
  GroupWindow windowOf(ValueRange carried) const { return {tiles_.cut(), carried.drop_front()}; }
  Value within(Value number, ValueRange carried) const { return v_.sub(number, carried[0]); }
  Value laneOf(Value number, ValueRange carried) const {
    return windowOf(carried).laneOf(v_, within(number, carried));
  }
  Value hasTile(Value lane) const {
    return v_.cmp(ValueBuilder::Predicate::ult, lane, v_.i32(GroupWindow::kGroups));
  }

  // A number with the window that has it, or with the last one: on from the window given with it, or from the
  // first one if it lies in front of that.
  State find(ValueRange start) {
    auto split = [](ValueRange now) {
      return std::pair(now.take_front(kPosition), now.drop_front(kPosition));
    };
    auto isInFront = [&](ValueRange now) {
      return v_.cmp(ValueBuilder::Predicate::ult, now[kNumber], now[kPosition]);
    };
    auto nextGroup = [&](ValueRange window) {
      return v_.add(windowOf(window).first(), GroupWindow::kGroups);
    };
    auto search = scf::WhileOp::create(
        v_.b, v_.loc, SmallVector<Type>(start.getTypes()), start,
        [&](OpBuilder &, Location, ValueRange now) {
          auto [at, window] = split(now);
          Value isMore = v_.cmp(ValueBuilder::Predicate::ult, nextGroup(window), tiles_.cut().groups);
          Value isElsewhere = v_.equal(at[kLane], v_.i32(GroupWindow::kGroups));
          scf::ConditionOp::create(v_.b, v_.loc, v_.bitAnd(isElsewhere, v_.bitOr(isInFront(now), isMore)),
                                   now);
        },
        [&](OpBuilder &, Location, ValueRange now) {
          auto [at, window] = split(now);
          Value isBack = isInFront(now), zero = v_.i32(0);
          auto onwards = [&](Value next) { return v_.select(isBack, zero, next); };
          const GroupWindow last = windowOf(window);
          State there = {onwards(v_.add(window[0], last.tiles(v_)))};
          there.append(
              GroupWindow(v_, tiles_.cut(), onwards(nextGroup(window)), onwards(last.lastEnd(v_))).carried());
          State next(at);
          next[kLane] = laneOf(at[kNumber], there);
          next.append(there);
          scf::YieldOp::create(v_.b, v_.loc, next);
        });
    return State(search.getResults());
  }

  // The tile of a number and those behind it that the window has; or if no group has it, none. Returns the
  // first number behind them.
  State runOrPass(ValueRange at, ValueRange window) {
    auto choice = scf::IfOp::create(
        v_.b, v_.loc, hasTile(at[kLane]),
        [&](OpBuilder &, Location) {
          State behind = doWhile(at, [&](ValueRange run) {
            const GroupOfTile found = windowOf(window).at(v_, run[kLane], within(run[kNumber], window));
            emitTile(v_, op_, tiles_.fields(v_, found));
            State next = takeNext(run, window);
            return std::pair(hasTile(next[kLane]), next);
          });
          scf::YieldOp::create(v_.b, v_.loc, behind);
        },
        [&](OpBuilder &, Location) { scf::YieldOp::create(v_.b, v_.loc, takeNext(at, window)); });
    return State(choice.getResults());
  }

  // The number behind one. Which cluster is asked of an answer that took one over alone: of others it has no
  // meaning. The vote beside that keeps it there.
  State takeNext(ValueRange now, ValueRange window) {
    const RingPosition at = {now[kStage], now[kPhase]};
    Value answer = takeAnswer(v_, op_, at, pipeline_);
    const RingPosition behind = ring_.next(v_, at);
    auto choice = scf::IfOp::create(
        v_.b, v_.loc, nvvm::isCanceled(v_, answer),
        [&](OpBuilder &, Location) {
          Value number = clusterOf(nvvm::firstCanceledCta(v_, answer));
          scf::YieldOp::create(v_.b, v_.loc, ValueRange{number, laneOf(number, window)});
        },
        [&](OpBuilder &, Location) {
          scf::YieldOp::create(v_.b, v_.loc, ValueRange{v_.i32(kNone), v_.i32(GroupWindow::kGroups)});
        });
    return {choice.getResult(0), behind.stage, behind.phase, choice.getResult(1)};
  }
  Value clusterOf(Value cta) const { return pipeline_.isTwo() ? v_.shru(cta, 1) : cta; }

  const ValueBuilder &v_;
  mx::TilesOp op_;
  const GroupTiles &tiles_;
  Pipeline &pipeline_;
  Ring ring_;
};
} // namespace

void walkQueuedGroups(const ValueBuilder &v, mx::TilesOp op, const GroupTiles &tiles, Pipeline &pipeline) {
  QueuedGroups(v, op, tiles, pipeline).walk();
}

} // namespace mxc
