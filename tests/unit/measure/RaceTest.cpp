#include "runtime/measure/Race.h"

#include <catch2/catch.hpp>

using namespace mxc::measure;

/// Takes these times in turn, and writes down who ran.
static Replay taking(std::vector<double> micros, std::string *order = nullptr, char name = ' ') {
  return [=, next = size_t(0)]() mutable {
    if (order) *order += name;
    return micros[next++ % micros.size()];
  };
}

TEST_CASE("race: contenders run in turns, and a round starts one further on", "[measure]") {
  std::string order;
  const Replay contenders[] = {taking({1}, &order, 'a'), taking({1}, &order, 'b'), taking({1}, &order, 'c')};
  std::vector<int> rounds;
  const std::vector<Timing> timings =
      race(contenders, {.rounds = 3}, [&](int round) { rounds.push_back(round), order += '|'; });
  CHECK(order == "|abc|bca|cab");
  CHECK((rounds == std::vector<int>{0, 1, 2}));
  for (const Timing &timing : timings)
    CHECK((timing.micros == std::vector<double>{1, 1, 1}));
}

TEST_CASE("race: who lies far behind the leader in every round is stopped", "[measure]") {
  const Replay contenders[] = {taking({10, 10.2, 9.8}), taking({10.4}), taking({10.6}),
                               taking({20, 10.1, 20})};
  const std::vector<Timing> timings = race(contenders, {.rounds = 9, .stoppedBehind = 0.05});
  CHECK((timings[0].micros.size() == 9 && !timings[0].wasStopped));
  CHECK((timings[1].micros.size() == 9 && !timings[1].wasStopped));
  CHECK((timings[2].micros.size() == 3 && timings[2].wasStopped));
  CHECK((timings[3].micros.size() == 9 && !timings[3].wasStopped)); // disturbed twice, but fast once
}

TEST_CASE("race: a ratio wants everybody to the end", "[measure]") {
  const Replay contenders[] = {taking({1}), taking({100})};
  for (const Timing &timing : race(contenders, {.rounds = 5, .stoppedBehind = RaceOptions::kNobodyIsStopped}))
    CHECK((timing.micros.size() == 5 && !timing.wasStopped));
}

TEST_CASE("race: nobody, and nothing to run", "[measure]") {
  CHECK(race({}).empty());
  const Replay contenders[] = {taking({1})};
  CHECK(race(contenders, {.rounds = 0})[0].median() == 0);
}

TEST_CASE("timing: median, best and spread", "[measure]") {
  const Timing timing{{4, 1, 3, 2, 100}};
  CHECK(timing.median() == 3);
  CHECK(timing.best() == 1);
  CHECK(timing.spread() == Approx((4.0 - 2) / 3)); // the outlier lies beyond the quartiles
  CHECK(Timing{{1, 2}}.median() == 1.5);
  CHECK(Timing{{5, 5, 5}}.spread() == 0);
}
