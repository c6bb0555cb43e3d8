// How clusters, waits and asynchronous operations go on, and what is said when they do not.
#include "tests/unit/simulator/RunPtx.h"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace mxc::sim;
using Words = std::vector<uint32_t>;

namespace {

const Schedule kEager{Schedule::Kind::Eager, 0}, kLazy{Schedule::Kind::Lazy, 0},
    kRandom{Schedule::Kind::Random, 9};
const Schedule kSchedules[] = {kEager, kLazy, kRandom};

const std::string kPrologue = R"(
.reg .b32 %r<16>, %thread, %cta, %ctas; .reg .b64 %rd<16>; .reg .pred %p<8>;
.shared .align 128 .b8 data[512]; .shared .align 8 .b8 bar[16];
mov.u32 %thread, %tid.x; mov.u32 %cta, %ctaid.x; mov.u32 %ctas, %nctaid.x;
)";

PtxRun with(Schedule schedule, uint32_t threads, uint32_t ctas = 1) {
  PtxRun how;
  how.schedule = schedule, how.block = {threads, 1, 1}, how.grid = {ctas, 1, 1};
  return how;
}

Words runWords(const std::string &body, size_t words, const PtxRun &how, size_t inputs = 64) {
  return runPtx<uint32_t>(kernelOf(kPrologue + body, how.target), Words(inputs), words, how);
}

Fault faultOf(const std::string &body, const PtxRun &how) {
  PtxOutcome outcome =
      runPtxBytes(kernelOf(kPrologue + body, how.target), std::vector<std::byte>(4096), 4096, how);
  REQUIRE(outcome.fault);
  return *outcome.fault;
}

bool says(const Fault &fault, const std::string &text) {
  return fault.text().find(text) != std::string::npos;
}

} // namespace

TEST_CASE("a thread that spins on memory lets what it waits for complete") {
  // Thread 0 stores by the async proxy and polls the last word; warp 1 waits at a barrier meanwhile.
  const std::string start = R"(
setp.ne.u32 %p1, %thread, 0; @%p1 bra wait;
st.shared.u32 [data+252], 7; fence.proxy.async;
st.global.u32 [%out+252], 0;
cp.async.bulk.global.shared::cta.bulk_group [%out], [data], 256; cp.async.bulk.commit_group;
spin:
)",
                    end = R"(
setp.ne.u32 %p2, %r1, 7; @%p2 bra spin;
cp.async.bulk.wait_group 0;
wait:
bar.sync 0;
)";
  for (const char *load :
       {"ld.volatile.global.u32 %r1, [%out+252];", "ld.acquire.gpu.global.u32 %r1, [%out+252];",
        "ld.global.u32 %r1, [%out+252];", "atom.global.add.u32 %r1, [%out+252], 0;"})
    for (const Schedule &schedule : kSchedules) {
      INFO(load);
      CHECK(runWords(start + load + end, 64, with(schedule, 64)).back() == 7);
    }
}

TEST_CASE("clusters that wait for each other through global memory, more of them than host threads") {
  // A grid barrier, twice; every CTA then sees what all have written. Input: two counters, then a word a CTA.
  const std::string grid = R"(
mul.wide.u32 %rd1, %cta, 4; add.u64 %rd2, %in, %rd1; add.u32 %r1, %cta, 1; st.global.u32 [%rd2+8], %r1;
membar.gl;
atom.global.add.u32 %r2, [%in], 1;
first: ld.acquire.gpu.global.u32 %r2, [%in]; setp.ne.u32 %p1, %r2, %ctas; @%p1 bra first;
mov.u32 %r3, 0; mov.u32 %r4, 0; mov.u64 %rd3, %in;
sum: ld.global.u32 %r5, [%rd3+8]; add.u32 %r3, %r3, %r5; add.u64 %rd3, %rd3, 4; add.u32 %r4, %r4, 1;
setp.lt.u32 %p2, %r4, %ctas; @%p2 bra sum;
red.release.gpu.global.add.u32 [%in+4], 1;
second: ld.volatile.global.u32 %r2, [%in+4]; setp.ne.u32 %p1, %r2, %ctas; @%p1 bra second;
add.u64 %rd2, %out, %rd1; st.global.u32 [%rd2], %r3;
)";
  // Each CTA adds its number to what the one before hands on (decoupled look-back); flag and value in one
  // word.
  const std::string chain = R"(
mul.wide.u32 %rd1, %cta, 4; add.u64 %rd2, %in, %rd1; mov.u32 %r1, 0;
setp.eq.u32 %p1, %cta, 0; @%p1 bra add;
look: ld.relaxed.gpu.global.u32 %r1, [%rd2+-4]; setp.eq.u32 %p2, %r1, 0; @%p2 bra look;
add: add.u32 %r2, %r1, %cta; add.u32 %r2, %r2, 1; st.relaxed.gpu.global.u32 [%rd2], %r2;
add.u64 %rd3, %out, %rd1; st.global.u32 [%rd3], %r2;
)";
  // Waits for the CTA after it: a stream-K fix-up.
  const std::string back = R"(
mul.wide.u32 %rd1, %cta, 4; add.u64 %rd2, %in, %rd1; mov.u32 %r1, 0; sub.u32 %r3, %ctas, 1;
setp.eq.u32 %p1, %cta, %r3; @%p1 bra add;
look: ld.volatile.global.u32 %r1, [%rd2+4]; setp.eq.u32 %p2, %r1, 0; @%p2 bra look;
add: add.u32 %r2, %r1, 1; st.volatile.global.u32 [%rd2], %r2;
add.u64 %rd3, %out, %rd1; st.global.u32 [%rd3], %r2;
)";
  for (unsigned threads : {1u, 2u})
    for (const Schedule &schedule : kSchedules) {
      PtxRun how = with(schedule, 1, 24);
      how.threads = threads, how.multiprocessors = 12; // 24 resident
      CHECK(runWords(grid, 24, how) == Words(24, 24 * 25 / 2));
      Words sums = runWords(chain, 24, how), steps = runWords(back, 24, how);
      for (uint32_t i = 0; i < 24; ++i) {
        CHECK(sums[i] == (i + 1) * (i + 2) / 2);
        CHECK(steps[i] == 24 - i);
      }
    }
}

TEST_CASE("clusters that wait for nobody take turns under a random schedule with strict checks") {
  // Each of two CTAs takes tickets 32 times and leaves its number there.
  const std::string body = R"(
mov.u32 %r1, 0;
next: atom.relaxed.gpu.global.add.u32 %r2, [%in], 1;
mul.wide.u32 %rd1, %r2, 4; add.u64 %rd2, %out, %rd1; st.global.u32 [%rd2], %cta;
add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 32; @%p1 bra next;
)";
  auto changes = [&](Schedule schedule) {
    PtxRun how = with(schedule, 1, 2);
    how.checks = Checks::Strict;
    const Words owners = runWords(body, 64, how);
    size_t count = 0;
    for (size_t i = 1; i < owners.size(); ++i)
      count += owners[i] != owners[i - 1];
    return count;
  };
  CHECK(changes(kEager) == 1);
  size_t most = 0;
  for (uint64_t seed = 1; seed <= 8; ++seed)
    most = std::max(most, changes({Schedule::Kind::Random, seed}));
  CHECK(most > 1);
}

TEST_CASE("a fault of an operation that completes later names who issued it, and where") {
  const std::string body = R"(
setp.ne.u32 %p1, %thread, 32; @%p1 bra done;
mbarrier.init.shared::cta.b64 [bar], 1; fence.mbarrier_init.release.cluster;
mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 512;
cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [data], [%rd1], 512, [bar];
)";
  const std::string wait = "wait: mbarrier.try_wait.parity.shared::cta.b64 %p1, [bar], 0; @!%p1 bra wait;\n";
  for (const std::string &end : {wait, std::string("ret;\n")}) // completes while a thread waits; at the end
    for (const Schedule &schedule : kSchedules) {
      Fault fault = faultOf("add.u64 %rd1, %in, 1048576;" + body + end + "done:", with(schedule, 64, 2));
      CHECK(fault.kind == FaultKind::OutOfBounds);
      CHECK(fault.kernel == "test");
      CHECK(fault.instruction.find("cp.async.bulk.shared::cluster") == 0);
      CHECK(fault.warp == 1);
    }
}

TEST_CASE("a deadlock's report says who waits, for what, and what that lacks") {
  const std::string body = R"(
setp.ne.u32 %p1, %thread, 0; @%p1 bra meet;
mbarrier.init.shared::cta.b64 [bar], 2;
mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 512;
wait: mbarrier.try_wait.parity.shared::cta.b64 %p2, [bar], 0;
@!%p2 bra wait;
meet:
bar.sync 0;
)";
  for (const Schedule &schedule : kSchedules) {
    Fault fault = faultOf(body, with(schedule, 64));
    INFO(fault.text());
    CHECK(fault.kind == FaultKind::Deadlock);
    CHECK(fault.instruction.find("try_wait") != std::string::npos); // not the barrier that waits for it
    CHECK(
        says(fault,
             "mbarrier at shared 0x600 of CTA 0 to complete a phase of parity 0: 1 of 2 arrivals, 512 bytes "
             "expected and not there"));
    CHECK(says(fault, "barrier 0: 63 of 64 threads"));
    CHECK(says(fault, "warp 0 (lanes fffffffe), warp 1, line"));
    CHECK(says(fault, "no asynchronous operation is outstanding"));
  }
}

TEST_CASE("st.async and copies between shared memories need a launch with cluster dimensions") {
  const std::string start = R"(
mbarrier.init.shared::cta.b64 [bar], 1; fence.mbarrier_init.release.cluster; mov.u32 %r1, bar; mov.u32 %r2, data;
mapa.shared::cluster.u32 %r3, %r1, 0; mapa.shared::cluster.u32 %r4, %r2, 0;
st.shared::cluster.u32 [%r4], 1; st.shared.v4.u32 [data+16], {1, 2, 3, 4}; fence.proxy.async;
)",
                    end = R"(
mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64 _, [%r3], %r5;
wait: mbarrier.try_wait.parity.shared::cta.b64 %p1, [bar], 0; @!%p1 bra wait;
)";
  for (const char *asynchronous :
       {"mov.u32 %r5, 4; st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r4], %r5, [%r3];",
        "mov.u32 %r5, 4; red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 "
        "[%r4], %r5, "
        "[%r3];",
        "mov.u32 %r5, 16; add.u32 %r6, %r2, 16; "
        "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes "
        "[%r4], [%r6], 16, [%r3];"}) {
    PtxRun how = with(kLazy, 1);
    Fault fault = faultOf(start + asynchronous + end, how);
    CHECK(fault.kind == FaultKind::Illegal);
    CHECK(says(fault, "cluster dimensions"));
    how.isClusterExplicit = true;
    runWords(start + asynchronous + end, 1, how);
  }
  runWords(start + "mov.u32 %r5, 0;" + end, 1, with(kLazy, 1)); // the rest works in an implicit cluster
}

TEST_CASE(".aligned instructions take a whole warp, says strict") {
  const std::string body = R"(
setp.lt.u32 %p1, %thread, 8;
@%p1 bra other;
bar.sync 0;
bra end;
other:
bar.sync 0;
end:
)";
  PtxRun how = with(kEager, 64);
  runWords(body, 1, how); // hardware counts threads
  how.checks = Checks::Strict;
  Fault fault = faultOf(body, how);
  CHECK(fault.kind == FaultKind::Divergence);
  CHECK(says(fault, "bar.sync 0"));
  // Lanes that come later join those that are there.
  const std::string later = R"(
setp.ge.u32 %p1, %thread, 1;
@%p1 bra meet;
mov.u32 %r1, 0;
count: add.u32 %r1, %r1, 1; setp.lt.u32 %p2, %r1, 500; @%p2 bra count;
meet:
bar.sync 0;
barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;
)";
  runWords(later, 1, how);
  CHECK(faultOf("setp.ge.u32 %p1, %thread, 1; @%p1 bar.sync 0;", how).kind == FaultKind::Divergence);
  runWords(
      "setp.lt.u32 %p1, %thread, 8; @%p1 bra other; barrier.sync 0; bra end; other: barrier.sync 0; end:", 1,
      how);
}

TEST_CASE("constants of a module may not be stored to") {
  std::string ptx =
      kernelOf(".reg .b64 %c; .reg .b32 %r; mov.u64 %c, table; ld.const.u32 %r, [%c+4]; st.global.u32 "
               "[%out], %r; cvta.const.u64 %c, %c; st.u32 [%c], %r;");
  ptx.replace(ptx.find(".visible"), 0, ".const .align 4 .b32 table[2] = {1, 2};\n");
  PtxOutcome outcome = runPtxBytes(ptx, {}, 4);
  REQUIRE(outcome.fault);
  CHECK(says(*outcome.fault, "table may only be read"));
  CHECK(outcome.fault->instruction.find("st.u32") != std::string::npos);
  CHECK(outcome.output[0] == std::byte(2));
  PtxRun unchecked;
  unchecked.checks = Checks::Off; // as an H200
  CHECK_FALSE(runPtxBytes(ptx, {}, 4, unchecked).fault);
}

TEST_CASE("parts of registers are operands of video instructions alone") {
  Fault fault = faultOf("mov.u32 %r1, 0x01020304; add.u32 %r2, %r1.b0, %r1;", with(kEager, 1));
  CHECK(fault.kind == FaultKind::Illegal);
  CHECK(says(fault, "video instructions"));
  CHECK(runWords("mov.u32 %r1, 0x01020304; vadd.u32.u32.u32 %r2, %r1.b0, %r1.b3; st.global.u32 [%out], %r2;",
                 1, with(kEager, 1)) == Words{5});
}

TEST_CASE(
    "a launch that exceeds the host's memory is a fault, and so is one that needs more threads than it has") {
  PtxRun how = with(kEager, 1024);
  how.memoryBytes = 1 << 20;
  PtxOutcome outcome = runPtxBytes(kernelOf(".local .b8 x[65536];"), {}, 4, how);
  REQUIRE(outcome.fault);
  CHECK(outcome.fault->kind == FaultKind::Limit);
  CHECK(says(*outcome.fault, "MXC_SIM_MEMORY"));
  how.memoryBytes = 0, how.threads = 64, how.grid = {200, 1, 1};
  CHECK_FALSE(runPtxBytes(kernelOf(".local .b8 x[64];"), {}, 4, how).fault);
}

TEST_CASE(
    "CTAs of a cooperative launch meet in the grid's workspace, however few multiprocessors there are") {
  // What this_grid().sync() does: every CTA adds 1 to the barrier, the first one what makes its highest bit
  // flip; all wait for that bit. A workspace begins at 0 in every launch.
  const std::string meeting = R"(
mov.u32 %r1, %envreg1; mov.u32 %r2, %envreg2; mov.b64 %rd1, {%r2, %r1};
ld.b32 %r3, [%rd1+4]; mul.wide.u32 %rd2, %cta, 4; add.u64 %rd2, %in, %rd2; add.u32 %r4, %cta, 1; st.global.u32 [%rd2], %r4;
setp.eq.u32 %p1, %cta, 0; sub.u32 %r4, 0x80000001, %ctas; selp.u32 %r4, %r4, 1, %p1;
atom.add.release.gpu.u32 %r5, [%rd1+4], %r4;
wait: ld.acquire.gpu.u32 %r6, [%rd1+4]; xor.b32 %r6, %r6, %r5; setp.ge.s32 %p2, %r6, 0; @%p2 bra wait;
mov.u32 %r7, 0; mov.u32 %r8, 0; mov.u64 %rd3, %in;
sum: ld.global.u32 %r9, [%rd3]; add.u32 %r7, %r7, %r9; add.u64 %rd3, %rd3, 4; add.u32 %r8, %r8, 1;
setp.lt.u32 %p2, %r8, %ctas; @%p2 bra sum;
mul.wide.u32 %rd2, %cta, 4; add.u64 %rd2, %out, %rd2; st.global.u32 [%rd2], %r7;
)";
  for (const Schedule &schedule : kSchedules) {
    PtxRun how = with(schedule, 1, 40);
    how.isCooperative = true, how.multiprocessors = 1, how.threads = 2;
    CHECK(runWords(meeting, 40, how) == Words(40, 40 * 41 / 2));
  }
  PtxRun how = with(kEager, 1, 40);
  how.isCooperative = true, how.memoryBytes = 150'000; // the text and some CTAs would fit
  CHECK(faultOf(meeting, how).kind == FaultKind::Limit);
  how.isCooperative = false; // no workspace
  CHECK(says(faultOf(meeting, with(kEager, 1, 1)), "a null pointer"));
}

TEST_CASE("a function without instructions returns, and is a place like any other") {
  std::string ptx = kernelOf(".shared .align 4 .b32 s; .reg .b32 %r; ld.shared.u32 %r, [s]; call f;");
  ptx.insert(ptx.find(".visible"), ".func f() { }\n");
  PtxOutcome outcome = runPtxBytes(ptx, {}, 4); // a register holds what nobody wrote
  CHECK_FALSE(outcome.fault);
  CHECK(outcome.statistics.byOpcode.at("ret") == 2);
  PtxOutcome empty =
      runPtxBytes(".version 8.8\n.target sm_100a\n.address_size 64\n.visible .entry test(.param .u64 in, "
                  ".param .u64 out)\n{ }\n",
                  {}, 4);
  CHECK_FALSE(empty.fault);
  CHECK(empty.statistics.warpInstructions == 1);
}

TEST_CASE("shared variables of two functions may have one name") {
  std::string ptx =
      kernelOf(".shared .align 4 .b32 s; .reg .b32 %r; st.shared.u32 [s], 1; call f; ld.shared.u32 %r, [s]; "
               "st.global.u32 [%out], %r;");
  ptx.insert(ptx.find(".visible"), ".func f() { .shared .align 4 .b32 s; st.shared.u32 [s], 2; ret; }\n");
  PtxOutcome outcome = runPtxBytes(ptx, {}, 4);
  REQUIRE_FALSE(outcome.fault);
  CHECK(outcome.output[0] == std::byte(1));
}

TEST_CASE("what a report shows of a text holds no control characters") {
  PtxOutcome outcome = runPtxBytes(
      kernelOf("st.global.u32 [%in+4096], 1; // \x1b[31mred\x9b " + std::string(5000, 'x')), {}, 4);
  REQUIRE(outcome.fault);
  CHECK(says(*outcome.fault, "\\x1b[31mred\\x9b xxx"));
  CHECK(outcome.fault->text().size() < 2000);
}
