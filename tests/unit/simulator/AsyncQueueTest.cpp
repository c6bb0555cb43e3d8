// The order in which asynchronous operations complete, and the groups that count them.
#include "runtime/simulator/machine/Warp.h"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace mxc::sim;

namespace {

struct Noted : AsyncOperation {
  int number;
  std::vector<int> &done;
  Noted(int number, uint64_t chain_, std::vector<int> &done) : number(number), done(done) { chain = chain_; }
  void perform(Cluster &) override { done.push_back(number); }
};

struct Failing : AsyncOperation {
  Failing() { line = 42, description = "a copy"; }
  void perform(Cluster &) override { throw FaultError(FaultKind::OutOfBounds, "nothing is there"); }
};

struct Scene {
  Options options;
  Grid grid;
  Cluster cluster;
  explicit Scene(Schedule schedule) {
    options.schedule = schedule;
    grid.options = &options, cluster.grid = &grid, cluster.random = schedule.seed;
  }
};

} // namespace

TEST_CASE("eager operations are done when issued, lazy ones oldest first") {
  std::vector<int> done;
  Scene eager({Schedule::Kind::Eager, 0}), lazy({Schedule::Kind::Lazy, 0});
  eager.cluster.async.issue(eager.cluster, std::make_unique<Noted>(1, 0, done));
  CHECK(done == std::vector<int>{1});
  for (int i = 2; i < 5; ++i)
    lazy.cluster.async.issue(lazy.cluster, std::make_unique<Noted>(i, 0, done));
  CHECK_FALSE(lazy.cluster.async.tick(lazy.cluster));
  while (lazy.cluster.async.performOne(lazy.cluster)) {
  }
  CHECK(done == std::vector<int>{1, 2, 3, 4});
}

TEST_CASE("many operations take not many more turns than few") {
  std::vector<int> done;
  Scene scene({Schedule::Kind::Random, 1});
  for (int i = 0; i < 20'000; ++i)
    scene.cluster.async.issue(scene.cluster, std::make_unique<Noted>(i, 0, done));
  for (int i = 0; i < 200'000 && !scene.cluster.async.isEmpty(); ++i)
    scene.cluster.async.tick(scene.cluster);
  CHECK(done.size() == 20'000);
}

TEST_CASE("random orders keep the order of a chain, and differ otherwise") {
  bool isAnyOutOfOrder = false;
  for (uint64_t seed = 0; seed < 50; ++seed) {
    std::vector<int> done;
    Scene scene({Schedule::Kind::Random, seed});
    for (int i = 0; i < 12; ++i)
      scene.cluster.async.issue(scene.cluster, std::make_unique<Noted>(i, i % 3 ? uint64_t(i % 3) : 0, done));
    CHECK(done.empty());
    for (int i = 0; i < 10'000 && !scene.cluster.async.isEmpty(); ++i)
      scene.cluster.async.tick(scene.cluster);
    REQUIRE(done.size() == 12);
    for (int chain = 1; chain < 3; ++chain) {
      std::vector<int> ofChain;
      for (int number : done)
        if (number % 3 == chain) ofChain.push_back(number);
      CHECK(std::is_sorted(ofChain.begin(), ofChain.end()));
    }
    isAnyOutOfOrder |= !std::is_sorted(done.begin(), done.end());
  }
  CHECK(isAnyOutOfOrder);
}

TEST_CASE("a fault of an operation names the line that issued it") {
  Scene scene({Schedule::Kind::Lazy, 0});
  scene.cluster.async.issue(scene.cluster, std::make_unique<Failing>());
  try {
    scene.cluster.async.performOne(scene.cluster);
    FAIL("no fault");
  } catch (const FaultError &error) {
    CHECK(error.fault.line == 42);
    CHECK(error.fault.instruction == "a copy");
  }
}

TEST_CASE("groups: only those before the latest are awaited, empty ones count") {
  Scene scene({Schedule::Kind::Lazy, 0});
  AsyncGroups::Kind groups;
  CHECK(groupsDone(groups, 0, 0));
  auto first = joinGroup(groups, 0);
  joinGroup(groups, 0);
  CHECK(*first == 2);
  CHECK(groupsDone(groups, 0, 0)); // not committed
  commitGroup(scene.cluster, groups, 0);
  CHECK_FALSE(groupsDone(groups, 0, 0));
  CHECK(groupsDone(groups, 0, 1));
  commitGroup(scene.cluster, groups, 0); // empty
  CHECK_FALSE(groupsDone(groups, 0, 1));
  CHECK(groupsDone(groups, 0, 2));
  *first = 0;
  CHECK(groupsDone(groups, 0, 0));
  CHECK(groupsDone(groups, 31, 0));
}
