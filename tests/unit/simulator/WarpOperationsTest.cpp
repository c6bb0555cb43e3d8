// shfl, vote, match, redux and elect, with lanes that have come apart.
#include "tests/unit/simulator/RunPtx.h"

#include <catch2/catch.hpp>

#include <numeric>

using namespace mxc::sim;

namespace {

/// Lane l has %l, its input %v, and writes 32 bits %d to out[l].
std::string warpKernel(const std::string &body) {
  return kernelOf(
      ".reg .b32 %l, %v, %d, %e, %f; .reg .b64 %p, %q; .reg .pred %c, %o;\n"
      "mov.u32 %l, %laneid; mul.wide.u32 %p, %l, 4; add.u64 %q, %in, %p; ld.global.b32 %v, [%q];\n"
      "mov.b32 %d, 0; add.u64 %q, %out, %p;\n" +
      body + "\nst.global.b32 [%q], %d;");
}

std::vector<uint32_t> laneNumbers() {
  std::vector<uint32_t> in(32);
  std::iota(in.begin(), in.end(), 100);
  return in;
}

std::vector<uint32_t> results(const std::string &body, const std::vector<uint32_t> &in = laneNumbers(),
                              PtxRun how = {}) {
  return runPtx<uint32_t>(warpKernel(body), in, 32, how);
}

std::optional<Fault> faultOf(const std::string &body, Checks checks) {
  PtxRun how;
  how.checks = checks;
  std::vector<std::byte> in(128);
  return runPtxBytes(warpKernel(body), in, 128, how).fault;
}

} // namespace

TEST_CASE("shfl reads inside its segment") {
  auto up = results("shfl.sync.up.b32 %d|%o, %v, 3, 0x1800, -1; @!%o add.u32 %d, %d, 1000;"); // segments of 8
  auto down = results("shfl.sync.down.b32 %d, %v, 1, 0x1f, -1;");
  auto butterfly = results("shfl.sync.bfly.b32 %d, %v, 16, 31, 0xffffffff;");
  auto indexed = results("shfl.sync.idx.b32 %d, %v, %l, 0x1c1f, -1;"); // segments of 4
  auto legacy = results("shfl.down.b32 %d, %v, 1, 31;");
  for (uint32_t lane = 0; lane < 32; ++lane) {
    CHECK(up[lane] == (lane % 8 < 3 ? 1100 + lane : 97 + lane));
    CHECK(down[lane] == 100 + std::min(lane + 1, 31u));
    CHECK(butterfly[lane] == 100 + (lane ^ 16));
    CHECK(indexed[lane] == 100 + lane);
    CHECK(legacy[lane] == down[lane]);
  }
}

TEST_CASE("a mask gathers lanes that parted") {
  // Lanes below 8 take a longer way; the shuffle follows, and inside a loop that lanes enter at
  // different times.
  const char *body = "setp.lt.u32 %c, %l, 8; @!%c bra FAR; add.u32 %v, %v, 1; bar.warp.sync 0xff; bra MEET;\n"
                     "FAR: add.u32 %v, %v, 2; redux.sync.add.u32 %e, %l, 0xffffff00;\n"
                     "MEET: redux.sync.add.u32 %d, %v, -1;";
  for (Schedule::Kind kind : {Schedule::Kind::Eager, Schedule::Kind::Random}) {
    PtxRun how;
    how.schedule = {kind, 3};
    CHECK(results(body, laneNumbers(), how) == std::vector<uint32_t>(32, 3200 + 496 + 8 + 48));
  }
  // Each side of a branch names its own lanes.
  auto sides =
      results("setp.lt.u32 %c, %l, 8; @%c bra LOW; vote.sync.ballot.b32 %d, %c, 0xffffff00; bra END;\n"
              "LOW: vote.sync.ballot.b32 %d, %c, 0xff;\nEND:");
  for (uint32_t lane = 0; lane < 32; ++lane)
    CHECK(sides[lane] == (lane < 8 ? 0xff : 0));
}

TEST_CASE("lanes of one instruction may name different masks") {
  auto sums =
      results("and.b32 %e, %l, 24; mov.b32 %f, 0xff; shl.b32 %f, %f, %e; redux.sync.add.u32 %d, %v, %f;");
  for (uint32_t lane = 0; lane < 32; ++lane)
    CHECK(sums[lane] == 8 * (100 + lane / 8 * 8) + 28);
}

TEST_CASE("votes and matches") {
  CHECK(results("setp.gt.u32 %c, %v, 130; vote.sync.ballot.b32 %d, %c, -1;")[5] == 0x80000000);
  CHECK(results("setp.gt.u32 %c, %v, 130; vote.sync.any.pred %o, %c, -1; selp.u32 %d, 1, 0, %o;")[5] == 1);
  CHECK(results("setp.gt.u32 %c, %v, 130; vote.sync.all.pred %o, !%c, 0x7fffffff; selp.u32 %d, 1, 0, %o;",
                std::vector<uint32_t>(32, 7))[5] == 1);
  CHECK(results("and.b32 %e, %l, 1; match.any.sync.b32 %d, %e, -1;")[3] == 0xaaaaaaaa);
  CHECK(results("match.all.sync.b32 %d|%o, %v, -1;")[3] == 0);
  CHECK(results("match.all.sync.b32 %d|%o, %v, -1;", std::vector<uint32_t>(32, 7))[3] == 0xffffffff);
  CHECK(results("activemask.b32 %d;")[9] == 0xffffffff);
}

TEST_CASE("elect takes the lowest lane of the mask") {
  auto elected = results("elect.sync %d|%o, -1; @%o add.u32 %d, %d, 50;");
  for (uint32_t lane = 0; lane < 32; ++lane)
    CHECK(elected[lane] == (lane ? 0 : 50));
  CHECK(results(
            "setp.lt.u32 %c, %l, 5; @%c bra END; elect.sync _|%o, 0xffffffe0; @%o mov.b32 %d, 7;\nEND:")[5] ==
        7);
}

TEST_CASE("redux of f32 skips NaN unless it is told otherwise") {
  std::vector<uint32_t> in(32, 0x3f800000);
  in[3] = 0xc0400000, in[9] = 0x7fc00001, in[10] = 0x80000000;
  CHECK(results("redux.sync.min.f32 %d, %v, -1;", in)[0] == 0xc0400000);
  CHECK(results("redux.sync.max.f32 %d, %v, -1;", in)[0] == 0x3f800000);
  CHECK(results("redux.sync.max.abs.f32 %d, %v, -1;", in)[0] == 0x40400000);
  CHECK(results("redux.sync.max.abs.NaN.f32 %d, %v, -1;", in)[0] == 0x7fffffff);
}

TEST_CASE("shfl needs what the lanes that it reads wrote, and no more") {
  // int x; if (lane == 4) x = 7; x = __shfl_sync(~0u, x, 4);
  const std::string init = "setp.eq.u32 %c, %l, 4; @%c mov.b32 %e, 7;\n";
  PtxRun strict;
  strict.checks = Checks::Strict;
  auto broadcast = results(init + "shfl.sync.idx.b32 %d, %e, 4, 31, -1;", laneNumbers(), strict);
  CHECK(broadcast == std::vector<uint32_t>(32, 7));
  auto other = faultOf(init + "shfl.sync.idx.b32 %d, %e, 5, 31, -1;", Checks::Strict);
  REQUIRE(other);
  CHECK(other->kind == FaultKind::Unwritten); // where it reaches memory
  auto inPlace = faultOf(init + "shfl.sync.idx.b32 %e, %e, 5, 31, -1; mov.b32 %d, %e;", Checks::Strict);
  REQUIRE(inPlace);
  CHECK(inPlace->kind == FaultKind::Unwritten);
  CHECK_FALSE(faultOf(init + "shfl.sync.idx.b32 %e, %e, 5, 31, -1; mov.b32 %d, 0;", Checks::Strict));
  auto where = faultOf("shfl.sync.idx.b32 %d, %v, %f, 31, -1;", Checks::Strict);
  REQUIRE(where);
  CHECK(where->kind == FaultKind::Unwritten);
}

TEST_CASE("what has no meaning is a fault") {
  std::string absent =
      "setp.eq.u32 %c, %l, 4; @%c bra END; shfl.sync.idx.b32 %d, %v, 4, 31, 0xffffffef;\nEND:";
  CHECK_FALSE(faultOf(absent, Checks::Standard));
  CHECK(faultOf(absent, Checks::Strict)->kind == FaultKind::Race);
  std::string guarded = "setp.ne.u32 %c, %l, 4; @%c shfl.sync.idx.b32 %d, %v, 0, 31, -1;";
  CHECK(faultOf(guarded, Checks::Standard)->kind == FaultKind::Divergence);
  CHECK_FALSE(faultOf(guarded, Checks::Off));
  std::string outside = "shfl.sync.idx.b32 %d, %v, 0, 31, 0xff;";
  CHECK_FALSE(faultOf(outside, Checks::Standard));
  CHECK(faultOf(outside, Checks::Strict)->kind == FaultKind::Divergence);
  // Lane 4 waits elsewhere for the others.
  std::string apart = "setp.eq.u32 %c, %l, 4; @%c bra ONE; vote.sync.ballot.b32 %d, %c, -1; bra END;\n"
                      "ONE: vote.sync.ballot.b32 %e, %c, -1;\nEND:";
  CHECK(faultOf(apart, Checks::Standard)->kind == FaultKind::Divergence);
}

TEST_CASE("elect takes the highest lane under odd seeds of strict checks, as it may") {
  PtxRun how;
  how.checks = Checks::Strict, how.schedule = {Schedule::Kind::Random, 1};
  auto elected = results("elect.sync %d|%o, -1; @%o add.u32 %d, %d, 50;", laneNumbers(), how);
  for (uint32_t lane = 0; lane < 32; ++lane)
    CHECK(elected[lane] == (lane == 31 ? 81 : 31));
}
