// mbarriers: the eight bytes, arrivals and transactions, waits under every schedule, misuse.
#include "runtime/simulator/async/MbarrierObject.h"
#include "tests/unit/simulator/RunPtx.h"

#include <catch2/catch.hpp>

using namespace mxc::sim;

namespace {

const Schedule kSchedules[] = {
    {Schedule::Kind::Eager, 0}, {Schedule::Kind::Lazy, 0}, {Schedule::Kind::Random, 3}};

const std::string kPrologue = R"(
.reg .b32 %r<16>, %thread; .reg .b64 %rd<16>; .reg .pred %p<8>;
.shared .align 8 .b8 bar[16]; .shared .align 16 .b8 data[256];
mov.u32 %thread, %tid.x;
)";

std::vector<uint32_t> runWords(const std::string &body, size_t words, PtxRun how) {
  return runPtx<uint32_t>(kernelOf(kPrologue + body, how.target), std::vector<uint32_t>(64, 7), words, how);
}

std::optional<Fault> faultOf(const std::string &body, PtxRun how = {}) {
  how.block = {1, 1, 1};
  return runPtxBytes(kernelOf(kPrologue + body, how.target), std::vector<std::byte>(256), 256, how).fault;
}

} // namespace

TEST_CASE("an mbarrier survives its eight bytes") {
  for (uint32_t count : {1u, 2u, 77u, (1u << 20) - 1})
    for (int32_t transactions : {0, 1, -1, 4096, (1 << 20) - 1, -((1 << 20) - 1)})
      for (bool phase : {false, true}) {
        Mbarrier barrier{count, count / 2, transactions, phase};
        std::optional<Mbarrier> back = decodeMbarrier(encodeMbarrier(barrier));
        REQUIRE(back);
        CHECK(*back == barrier);
      }
  CHECK_FALSE(decodeMbarrier(0));
  CHECK_FALSE(decodeMbarrier(~uint64_t(0)));
  CHECK_FALSE(decodeMbarrier(0x3f8000003f800000));
}

TEST_CASE("states, parities and pending counts of one thread") {
  const std::string body = R"(
mbarrier.init.shared::cta.b64 [bar], 3;
mbarrier.test_wait.parity.shared.b64 %p1, [bar], 1; selp.u32 %r1, 1, 0, %p1; st.global.u32 [%out], %r1;
mbarrier.test_wait.parity.shared.b64 %p1, [bar], 0; selp.u32 %r1, 1, 0, %p1; st.global.u32 [%out+4], %r1;
mbarrier.arrive.shared::cta.b64 %rd1, [bar];
mbarrier.arrive.noComplete.release.cta.shared::cta.b64 %rd2, [bar], 1;
mbarrier.pending_count.b64 %r2, %rd1; st.global.u32 [%out+8], %r2;
mbarrier.pending_count.b64 %r2, %rd2; st.global.u32 [%out+12], %r2;
mbarrier.test_wait.shared.b64 %p1, [bar], %rd2; selp.u32 %r1, 1, 0, %p1; st.global.u32 [%out+16], %r1;
mbarrier.arrive_drop.shared.b64 _, [bar];
mbarrier.try_wait.shared::cta.b64 %p1, [bar], %rd1; selp.u32 %r1, 1, 0, %p1; st.global.u32 [%out+20], %r1;
mbarrier.arrive.b64 %rd3, [%rd4], 2;
mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 %p1, [bar], 1, 1000; selp.u32 %r1, 1, 0, %p1; st.global.u32 [%out+24], %r1;
mbarrier.inval.shared.b64 [bar];
)";
  for (const Schedule &schedule : kSchedules) {
    PtxRun how;
    how.block = {1, 1, 1}, how.schedule = schedule;
    auto words = runWords("mov.u64 %rd5, bar; cvta.shared.u64 %rd4, %rd5;" + body, 7, how);
    CHECK(words == std::vector<uint32_t>{1, 0, 3, 2, 0, 1, 1});
  }
}

TEST_CASE("complete_tx before expect_tx, and a phase that needs both counts") {
  const std::string body = R"(
mbarrier.init.shared::cta.b64 [bar], 1;
mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [bar], 100000;
mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [bar], 99999;
mbarrier.arrive.shared::cta.b64 _, [bar];
mbarrier.test_wait.parity.shared.b64 %p1, [bar], 0; selp.u32 %r1, 1, 0, %p1; st.global.u32 [%out], %r1;
mbarrier.expect_tx.shared::cta.b64 [bar], 1;
mbarrier.test_wait.parity.shared.b64 %p1, [bar], 0; selp.u32 %r1, 1, 0, %p1; st.global.u32 [%out+4], %r1;
mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 0;
mbarrier.test_wait.parity.shared.b64 %p1, [bar], 1; selp.u32 %r1, 1, 0, %p1; st.global.u32 [%out+8], %r1;
)";
  PtxRun how;
  how.block = {1, 1, 1};
  CHECK(runWords(body, 3, how) == std::vector<uint32_t>{0, 1, 1});
}

TEST_CASE("a producer warp and a consumer warp over several phases") {
  const std::string body = R"(
.reg .b32 %phase, %i;
setp.ne.u32 %p1, %thread, 0;
@%p1 bra ready;
mbarrier.init.shared::cta.b64 [bar], 32; mbarrier.init.shared::cta.b64 [bar+8], 32;
ready: bar.sync 0;
mov.u32 %i, 0; mov.u32 %r4, 0;
shr.u32 %r1, %thread, 5; and.b32 %r2, %thread, 31; shl.b32 %r3, %r2, 2; mov.u32 %r5, data; add.u32 %r5, %r5, %r3;
setp.eq.u32 %p2, %r1, 1;
@%p2 bra consume;
produce:
and.b32 %phase, %i, 1; xor.b32 %phase, %phase, 1;
empty: mbarrier.try_wait.parity.shared::cta.b64 %p3, [bar+8], %phase; @!%p3 bra empty;
mad.lo.u32 %r6, %i, 100, %r2; st.shared.u32 [%r5], %r6;
mbarrier.arrive.shared::cta.b64 _, [bar];
add.u32 %i, %i, 1; setp.lt.u32 %p4, %i, 5; @%p4 bra produce;
bra done;
consume:
and.b32 %phase, %i, 1;
full: mbarrier.try_wait.parity.shared::cta.b64 %p3, [bar], %phase; @!%p3 bra full;
ld.shared.u32 %r6, [%r5]; mad.lo.u32 %r4, %r4, 3, %r6;
mbarrier.arrive.shared::cta.b64 _, [bar+8];
add.u32 %i, %i, 1; setp.lt.u32 %p4, %i, 5; @%p4 bra consume;
mul.wide.u32 %rd1, %r2, 4; add.u64 %rd2, %out, %rd1; st.global.u32 [%rd2], %r4;
done:
)";
  for (const Schedule &schedule : kSchedules) {
    PtxRun how;
    how.block = {64, 1, 1}, how.schedule = schedule, how.checks = Checks::Strict;
    auto words = runWords(body, 32, how);
    for (uint32_t lane = 0; lane < 32; ++lane) {
      uint32_t expected = 0;
      for (uint32_t i = 0; i < 5; ++i)
        expected = expected * 3 + i * 100 + lane;
      CHECK(words[lane] == expected);
    }
  }
}

TEST_CASE("misuse of mbarriers is named") {
  auto kind = [](const std::string &body, PtxRun how = {}) {
    std::optional<Fault> fault = faultOf(body, how);
    return fault ? name(fault->kind) : "none";
  };
  const std::string misuse = name(FaultKind::BarrierMisuse),
                    init = "mbarrier.init.shared::cta.b64 [bar], 1;\n";
  CHECK(kind("mbarrier.arrive.shared::cta.b64 _, [bar];") == misuse);
  CHECK(kind(init + "mbarrier.inval.shared.b64 [bar]; mbarrier.arrive.shared::cta.b64 _, [bar];") == misuse);
  CHECK(kind(init + "mbarrier.arrive.shared::cta.b64 _, [bar], 2;") == misuse);
  CHECK(kind("mbarrier.init.shared::cta.b64 [bar], 0;") == misuse);
  CHECK(kind(init + "mbarrier.expect_tx.shared::cta.b64 [bar], 1048575; mbarrier.expect_tx.shared::cta.b64 "
                    "[bar], 1;") == misuse);
  CHECK(kind(init + "mbarrier.expect_tx.shared::cta.b64 [bar], 16;" + init) == misuse);
  CHECK(kind(init + init) == std::string("none"));
  CHECK(kind(init + "st.shared.u64 [bar], -9223372036854775000;" + init) == std::string("none"));
  CHECK(kind(init + "mbarrier.arrive.noComplete.shared.b64 %rd1, [bar], 1;") == misuse);
  CHECK(kind("mbarrier.init.shared::cta.b64 [bar+4], 1;") == name(FaultKind::Misaligned));
}

TEST_CASE("a wait that nobody ends is a deadlock with the barrier's address and phase") {
  std::optional<Fault> fault = faultOf(R"(
mbarrier.init.shared::cta.b64 [bar], 1;
again: mbarrier.try_wait.parity.shared::cta.b64 %p1, [bar], 0; @!%p1 bra again;
)");
  REQUIRE(fault);
  CHECK(fault->kind == FaultKind::Deadlock);
  CHECK(fault->message.find("mbarrier") != std::string::npos);
}

TEST_CASE("an arrival on another CTA's mbarrier") {
  const std::string body = R"(
mov.u32 %r1, %cluster_ctarank; mov.u32 %r2, bar;
mbarrier.init.shared::cta.b64 [%r2], 2;
fence.mbarrier_init.release.cluster;
barrier.cluster.arrive.relaxed.aligned; barrier.cluster.wait.acquire.aligned;
xor.b32 %r3, %r1, 1; mapa.shared::cluster.u32 %r4, %r2, %r3;
mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r4];
mbarrier.arrive.shared::cta.b64 _, [%r2];
again: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p1, [%r2], 0; @!%p1 bra again;
mul.wide.u32 %rd1, %r1, 4; add.u64 %rd2, %out, %rd1; add.u32 %r5, %r1, 10; st.global.u32 [%rd2], %r5;
)";
  for (const Schedule &schedule : kSchedules) {
    PtxRun how;
    how.block = {1, 1, 1}, how.grid = how.cluster = {2, 1, 1}, how.schedule = schedule;
    CHECK(runWords(body, 2, how) == std::vector<uint32_t>{10, 11});
  }
}

TEST_CASE("two warps that wait for every phase see each of them, though one alone ends the phases") {
  const std::string body = R"(
setp.eq.u32 %p1, %thread, 0; shr.u32 %r1, %thread, 5;
@%p1 mbarrier.init.shared::cta.b64 [bar], 1;
bar.sync 0;
mov.u32 %r2, 0;
PHASE:
@%p1 mbarrier.arrive.shared::cta.b64 _, [bar];
and.b32 %r3, %r2, 1;
WAIT:
mbarrier.try_wait.parity.shared::cta.b64 %p2, [bar], %r3;
@!%p2 bra WAIT;
add.u32 %r2, %r2, 1;
setp.lt.u32 %p2, %r2, 9;
@%p2 bra PHASE;
mul.wide.u32 %rd1, %r1, 4; add.u64 %rd1, %rd1, %out;
st.global.u32 [%rd1], %r2;
)";
  PtxRun how;
  how.block = {64, 1, 1};
  for (Schedule schedule : {kSchedules[0], kSchedules[1]}) { // a random one may let a warp fall behind
    how.schedule = schedule;
    CHECK(runWords(body, 2, how) == std::vector<uint32_t>{9, 9});
  }
}

TEST_CASE("a loop around test_wait waits for warps that strict checks hold back") {
  const std::string body = R"(
setp.eq.u32 %p1, %thread, 0; setp.ge.u32 %p2, %thread, 32;
@%p1 mbarrier.init.shared::cta.b64 [bar], 32;
bar.sync 0;
@!%p2 bra WAIT;
mov.u32 %r1, 2000; // long enough for them to be chosen
COUNT:
sub.u32 %r1, %r1, 1;
setp.ne.u32 %p4, %r1, 0;
@%p4 bra COUNT;
mbarrier.arrive.shared::cta.b64 _, [bar];
WAIT:
mbarrier.test_wait.parity.shared::cta.b64 %p3, [bar], 0;
@!%p3 bra WAIT;
@%p1 st.global.u32 [%out], 1;
)";
  PtxRun how;
  how.block = {64, 1, 1}, how.checks = Checks::Strict;
  for (uint64_t seed = 0; seed < 10; ++seed) {
    how.schedule = {Schedule::Kind::Random, seed};
    CHECK(runWords(body, 1, how) == std::vector<uint32_t>{1});
  }
}

TEST_CASE("a try_wait that nobody else can end gives up; a loop around it is a deadlock") {
  const std::string once = R"(
mbarrier.init.shared::cta.b64 [bar], 1;
mbarrier.try_wait.parity.shared::cta.b64 %p1, [bar], 0; selp.u32 %r1, 1, 0, %p1; st.global.u32 [%out], %r1;
mbarrier.arrive.shared::cta.b64 _, [bar];
mbarrier.try_wait.parity.shared::cta.b64 %p1, [bar], 0; selp.u32 %r1, 1, 0, %p1; st.global.u32 [%out+4], %r1;
)";
  PtxRun how;
  how.block = {1, 1, 1};
  for (Schedule schedule : kSchedules) {
    how.schedule = schedule;
    CHECK(runWords(once, 2, how) == std::vector<uint32_t>{0, 1});
    std::optional<Fault> fault =
        faultOf("mbarrier.init.shared::cta.b64 [bar], 3;\nwait:\nmbarrier.try_wait.parity.shared::cta.b64 "
                "%p1, [bar], 0;\n"
                "@!%p1 bra wait;\n",
                how);
    REQUIRE(fault);
    CHECK(fault->kind == FaultKind::Deadlock);
    CHECK(fault->message.find("0 of 3 arrivals") != std::string::npos);
  }
}

TEST_CASE("who waits for a phase sees its end, though the next one has ended too") {
  const std::string body = R"(
mov.u32 %r1, %tid.x;
setp.ne.u32 %p1, %r1, 0;
@%p1 bra waiter;
mbarrier.init.shared::cta.b64 [bar], 1;
waiter:
bar.sync 0;
mov.u32 %r2, 0;
setp.ge.u32 %p1, %r1, 32;
@%p1 bra wait;
spin:
add.u32 %r2, %r2, 1;
setp.lt.u32 %p1, %r2, 3000;
@%p1 bra spin;
setp.ne.u32 %p1, %r1, 0;
@%p1 bra done;
mbarrier.arrive.shared::cta.b64 _, [bar];
mbarrier.arrive.shared::cta.b64 _, [bar];
bra done;
wait:
mbarrier.try_wait.parity.shared::cta.b64 %p1, [bar], 0;
@!%p1 bra wait;
st.global.u32 [%out], %r1;
done:
)";
  PtxRun how;
  how.block = {33, 1, 1};
  for (Schedule schedule : kSchedules) {
    how.schedule = schedule;
    CHECK(runWords(body, 1, how)[0] == 32);
  }
}
