// Barriers of clusters with threads that leave, and clusters that take over the work of others.
#include "tests/unit/simulator/RunPtx.h"

#include <catch2/catch.hpp>

using namespace mxc::sim;
using Words = std::vector<uint32_t>;

namespace {

const Schedule kSchedules[] = {
    {Schedule::Kind::Eager, 0}, {Schedule::Kind::Lazy, 0}, {Schedule::Kind::Random, 21}};

const std::string kPrologue = R"(
.reg .b32 %r<16>, %thread, %rank; .reg .b64 %rd<16>; .reg .pred %p<8>;
.shared .align 16 .b8 data[256]; .shared .align 8 .b8 bar[8];
mov.u32 %thread, %tid.x; mov.u32 %rank, %cluster_ctarank;
)";

PtxRun with(Schedule schedule, uint32_t threads, uint32_t ctas, uint32_t clusters = 1) {
  PtxRun how;
  how.schedule = schedule, how.block = {threads, 1, 1}, how.cluster = {ctas, 1, 1},
  how.grid = {ctas * clusters, 1, 1};
  return how;
}

std::optional<Fault> faultOf(const std::string &body, PtxRun how) {
  return runPtxBytes(kernelOf(kPrologue + body, how.target), std::vector<std::byte>(64), 64, how).fault;
}

} // namespace

TEST_CASE("threads that exit or only arrive do not hold up a cluster barrier, nor count twice") {
  // In rank 0 the odd lanes arrive and leave, in rank 1 they leave without arriving; the others meet three
  // times.
  const std::string body = R"(
and.b32 %r1, %thread, 1; setp.eq.u32 %p1, %r1, 0; setp.eq.u32 %p2, %rank, 0;
@%p1 bra stay;
@!%p2 bra leave;
barrier.cluster.arrive.release;
leave: ret;
stay:
mov.u32 %r2, data; mapa.shared::cluster.u32 %r3, %r2, 1; shl.b32 %r4, %thread, 2; add.u32 %r5, %r3, %r4;
barrier.cluster.arrive.release; barrier.cluster.wait.acquire;
@%p2 st.shared::cluster.u32 [%r5], %thread;
barrier.cluster.arrive.release; barrier.cluster.wait.acquire;
@%p2 bra last;
add.u32 %r6, %r2, %r4; ld.shared.u32 %r7, [%r6]; mul.wide.u32 %rd1, %thread, 4; add.u64 %rd2, %out, %rd1; st.global.u32 [%rd2], %r7;
last:
barrier.cluster.arrive.relaxed; barrier.cluster.wait;
)";
  for (const Schedule &schedule : kSchedules) {
    Words out = runPtx<uint32_t>(kernelOf(kPrologue + body), Words(16), 32, with(schedule, 32, 2));
    for (uint32_t lane = 0; lane < 32; lane += 2)
      CHECK(out[lane] == lane);
  }
}

TEST_CASE("a second arrival, and a missing one, are reported") {
  const std::string arrive = "barrier.cluster.arrive.aligned;", wait = "barrier.cluster.wait.aligned;";
  auto twice =
      faultOf("setp.eq.u32 %p1, %rank, 1; @%p1 bra skip;" + arrive + arrive + "skip:" + arrive + wait,
              with(kSchedules[0], 32, 2));
  REQUIRE(twice);
  CHECK(twice->kind == FaultKind::BarrierMisuse);
  auto missing =
      faultOf("setp.eq.u32 %p1, %rank, 1; @%p1 bra other;" + arrive + wait + "bra done; other:" + R"(
mbarrier.init.shared::cta.b64 [bar], 1;
again: mbarrier.try_wait.parity.shared::cta.b64 %p2, [bar], 0; @!%p2 bra again; done:)",
              with(kSchedules[0], 32, 2));
  REQUIRE(missing);
  CHECK(missing->kind == FaultKind::Deadlock);
  CHECK(missing->message.find("barrier.cluster") != std::string::npos);
}

TEST_CASE("clusters take over work that has not begun: every tile is done") {
  const std::string body = R"(
.reg .b128 %w; .reg .b32 %phase, %x;
mov.u32 %x, %ctaid.x; mov.u32 %phase, 0;
mbarrier.init.shared::cta.b64 [bar], 1;
fence.mbarrier_init.release.cluster; barrier.cluster.arrive.release; barrier.cluster.wait.acquire;
tile:
mul.wide.u32 %rd1, %x, 4; add.u64 %rd2, %out, %rd1; st.global.u32 [%rd2], %x;
mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 16;
barrier.cluster.arrive.release; barrier.cluster.wait.acquire;
setp.eq.u32 %p3, %rank, 0;
@%p3 clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.multicast::cluster::all.b128 [data], [bar];
again: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p2, [bar], %phase; @!%p2 bra again;
xor.b32 %phase, %phase, 1;
ld.shared.b128 %w, [data];
fence.proxy.async.shared::cta;
clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p1, %w;
@!%p1 bra done;
clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 {%r1, %r2, %r3, _}, %w;
clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 %r4, %w;
setp.ne.u32 %p4, %r1, %r4; @%p4 trap;
add.u32 %x, %r1, %rank;
bra tile;
done:
barrier.cluster.arrive.release; barrier.cluster.wait.acquire;
)";
  for (const Schedule &schedule : kSchedules) {
    Words out = runPtx<uint32_t>(kernelOf(kPrologue + body), Words(16), 40, with(schedule, 1, 2, 20));
    for (uint32_t i = 0; i < 40; ++i)
      CHECK(out[i] == i);
  }
}

TEST_CASE("register counts and dependent launches change nothing, but are read") {
  CHECK_FALSE(
      faultOf("setmaxnreg.dec.sync.aligned.u32 40; setmaxnreg.inc.sync.aligned.u32 232; griddepcontrol.wait; "
              "griddepcontrol.launch_dependents;",
              with(kSchedules[0], 32, 1)));
  auto odd = faultOf("setmaxnreg.inc.sync.aligned.u32 100;", with(kSchedules[0], 32, 1));
  REQUIRE(odd);
  CHECK(odd->kind == FaultKind::Illegal);
  PtxRun hopper = with(kSchedules[0], 1, 1);
  hopper.target = "sm_90a";
  auto old = faultOf(
      "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [data], [bar];",
      hopper);
  REQUIRE(old);
  CHECK(old->message.find("needs sm_100") != std::string::npos);
}
