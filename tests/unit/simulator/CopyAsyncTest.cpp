// cp.async and bulk copies of consecutive bytes: what they move, their groups, and what goes wrong without a
// wait or a fence.
#include "tests/unit/simulator/RunPtx.h"

#include <catch2/catch.hpp>

#include <numeric>

using namespace mxc::sim;
using Words = std::vector<uint32_t>;

namespace {

const Schedule kEager{Schedule::Kind::Eager, 0}, kLazy{Schedule::Kind::Lazy, 0},
    kRandom{Schedule::Kind::Random, 11};
const Schedule kSchedules[] = {kEager, kLazy, kRandom, {Schedule::Kind::Random, 12}};

const std::string kPrologue = R"(
.reg .b32 %r<24>, %thread, %slot; .reg .b64 %rd<16>, %mine, %to; .reg .pred %p<8>; .reg .b16 %h<4>;
.shared .align 128 .b8 data[4096]; .shared .align 8 .b8 bar[16];
mov.u32 %thread, %tid.x; mul.wide.u32 %rd1, %thread, 16; add.u64 %mine, %in, %rd1; add.u64 %to, %out, %rd1;
mov.u32 %slot, data; shl.b32 %r1, %thread, 4; add.u32 %slot, %slot, %r1;
)";

Words counting(size_t count) {
  Words words(count);
  std::iota(words.begin(), words.end(), 1u);
  return words;
}

PtxRun with(Schedule schedule, uint32_t threads = 32, Checks checks = Checks::Standard, uint32_t ctas = 1) {
  PtxRun how;
  how.schedule = schedule, how.block = {threads, 1, 1}, how.checks = checks;
  how.grid = how.cluster = {ctas, 1, 1};
  return how;
}

Words run(const std::string &body, size_t words, PtxRun how) {
  return runPtx<uint32_t>(kernelOf(kPrologue + body, how.target), counting(1024), words, how);
}

std::string faultOf(const std::string &body, PtxRun how) {
  std::vector<std::byte> input(4096);
  PtxOutcome outcome = runPtxBytes(kernelOf(kPrologue + body, how.target), input, 4096, how);
  return outcome.fault ? name(outcome.fault->kind) : "none";
}

const std::string kShow = R"(
ld.shared.v4.u32 {%r4, %r5, %r6, %r7}, [%slot]; st.global.v4.u32 [%to], {%r4, %r5, %r6, %r7};
)";

} // namespace

TEST_CASE("cp.async copies, cuts short and ignores its source") {
  const std::string body = R"(
rem.u32 %r2, %thread, 17;
cp.async.cg.shared.global.L2::128B [%slot], [%mine], 16, %r2;
cp.async.commit_group;
setp.eq.u32 %p1, %thread, 3;
cp.async.ca.shared::cta.global [%slot+512], [%mine], 8, %p1;
cp.async.ca.shared.global [%slot+520], [%mine], 4;
cp.async.wait_all;
)" + kShow + R"(
ld.shared.v2.u32 {%r4, %r5}, [%slot+512]; ld.shared.u32 %r6, [%slot+520]; st.global.v2.u32 [%to+512], {%r4, %r5}; st.global.u32 [%to+520], %r6;
)";
  for (const Schedule &schedule : kSchedules) {
    Words out = run(body, 256, with(schedule));
    for (uint32_t t = 0; t < 32; ++t) {
      uint32_t expected[4] = {};
      Words in = counting(128);
      std::memcpy(expected, &in[t * 4], t % 17);
      CHECK(std::memcmp(&out[t * 4], expected, 16) == 0);
      CHECK(out[128 + t * 4] == (t == 3 ? 0 : t * 4 + 1));
      CHECK(out[128 + t * 4 + 1] == (t == 3 ? 0 : t * 4 + 2));
      CHECK(out[128 + t * 4 + 2] == t * 4 + 1);
    }
  }
}

TEST_CASE("wait_group lets the latest groups be; a read before it is caught") {
  const std::string two = R"(
cp.async.ca.shared.global [%slot], [%mine], 16; cp.async.commit_group;
cp.async.ca.shared.global [%slot+512], [%mine+512], 16; cp.async.commit_group;
)";
  for (const Schedule &schedule : kSchedules)
    CHECK(run(two + "cp.async.wait_group 1;" + kShow, 128, with(schedule)) == counting(128));
  CHECK(faultOf(two + "cp.async.wait_group 2;" + kShow, with(kLazy)) == name(FaultKind::Unfinished));
  CHECK(faultOf(two + "cp.async.commit_group; cp.async.wait_group 2;" + kShow, with(kLazy)) == "none");
}

TEST_CASE("an mbarrier tracks cp.async") {
  const std::string body = R"(
setp.ne.u32 %p1, %thread, 0; @%p1 bra go;
mbarrier.init.shared.b64 [bar], 32; mbarrier.init.shared.b64 [bar+8], 32;
go: bar.sync 0;
cp.async.ca.shared.global [%slot], [%mine], 16;
cp.async.mbarrier.arrive.noinc.shared.b64 [bar];
cp.async.mbarrier.arrive.shared::cta.b64 [bar+8];
mbarrier.arrive.shared.b64 _, [bar+8];
wait: mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0; @!%p2 bra wait;
wait2: mbarrier.try_wait.parity.shared.b64 %p2, [bar+8], 0; @!%p2 bra wait2;
)" + kShow;
  for (const Schedule &schedule : kSchedules)
    CHECK(run(body, 128, with(schedule)) == counting(128));
}

namespace {

const std::string kBulkLoad = R"(
mbarrier.init.shared::cta.b64 [bar], 1; fence.mbarrier_init.release.cluster;
mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 512;
cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [data], [%in], 512, [bar];
)",
                  kBulkWait =
                      "wait: mbarrier.try_wait.parity.shared::cta.b64 %p1, [bar], 0; @!%p1 bra wait;\n";

} // namespace

TEST_CASE("a bulk copy in and a bulk copy out") {
  const std::string store = R"(
cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint [%out], [data], 512, %rd1;
cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0;
)";
  for (const Schedule &schedule : kSchedules)
    CHECK(run(kBulkLoad + kBulkWait + store, 128, with(schedule, 1, Checks::Strict)) == counting(128));
  CHECK(faultOf(kBulkLoad + store, with(kLazy, 1)) == name(FaultKind::Unfinished));
  // The source is written over while the copy may still read it.
  const std::string early = kBulkLoad + kBulkWait + R"(
cp.async.bulk.global.shared::cta.bulk_group [%out], [data], 512; cp.async.bulk.commit_group;
)";
  CHECK(faultOf(early + "st.shared.u32 [data], 1;", with(kLazy, 1)) == name(FaultKind::Unfinished));
  CHECK(faultOf(early + "cp.async.bulk.wait_group.read 0; st.shared.u32 [data], 1;", with(kLazy, 1)) ==
        "none");
  // After wait_group.read the writes may still be under way, after wait_group not.
  CHECK(
      faultOf(early + "cp.async.bulk.wait_group.read 0; ld.global.u32 %r1, [%out]; st.global.u32 [%in], %r1;",
              with(kLazy, 1)) == name(FaultKind::Unwritten));
  CHECK(faultOf(early + "cp.async.bulk.wait_group 0; ld.global.u32 %r1, [%out];", with(kLazy, 1)) == "none");
}

TEST_CASE("generic writes need a proxy fence before a bulk store, says strict") {
  const std::string fill = "st.shared.v4.u32 [%slot], {%thread, %thread, %thread, %thread};", store = R"(
bar.sync 0; setp.ne.u32 %p1, %thread, 0; @%p1 bra done;
cp.async.bulk.global.shared::cta.bulk_group [%out], [data], 512;
cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;
done:
)";
  CHECK(faultOf(fill + store, with(kEager, 32, Checks::Strict)) == name(FaultKind::ProxyOrder));
  CHECK(faultOf(fill + store, with(kEager, 32)) == "none");
  CHECK(faultOf(fill + "fence.proxy.async.shared::cta;" + store, with(kEager, 32, Checks::Strict)) == "none");
}

TEST_CASE("bulk reductions, byte masks and bulk fills") {
  const std::string body = kBulkLoad + kBulkWait + R"(
cp.async.bulk.global.shared::cta.bulk_group [%out], [data], 512; cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;
cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%out], [data+256], 256; cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;
st.bulk.weak.shared::cta [data], 256, 0;
fence.proxy.async;
mov.b16 %h1, 0x00f0;
cp.async.bulk.global.shared::cta.bulk_group.cp_mask [%out+256], [data], 256, %h1;
cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;
)";
  for (const Schedule &schedule : kSchedules) {
    Words out = run(body, 128, with(schedule, 1));
    for (uint32_t i = 0; i < 64; ++i) {
      CHECK(out[i] == i + 1 + (i + 65));
      CHECK(out[64 + i] == (i % 4 == 1 ? 0 : i + 65));
    }
  }
}

TEST_CASE("between the CTAs of a cluster: multicast, copies, reductions, stores") {
  const std::string body = R"(
mov.u32 %r1, %cluster_ctarank; mov.u32 %r2, bar; mov.u32 %r3, data; setp.eq.u32 %p7, %r1, 0;
mbarrier.init.shared::cta.b64 [bar], 1;
mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 256;
st.shared.v4.u32 [data+1024], {%r1, 5, 5, 5};
st.shared.u32 [data+512], 100;
fence.proxy.async; fence.mbarrier_init.release.cluster;
barrier.cluster.arrive.release; barrier.cluster.wait.acquire;
mov.b16 %h1, 3;
@%p7 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [data], [%in], 256, [bar], %h1;
wait: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p1, [bar], 0; @!%p1 bra wait;
mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 28;
barrier.cluster.arrive.release; barrier.cluster.wait.acquire;
xor.b32 %r4, %r1, 1;
mapa.shared::cluster.u32 %r5, %r3, %r4; mapa.shared::cluster.u32 %r6, %r2, %r4;
add.u32 %r7, %r5, 256; add.u32 %r8, %r3, 1024; add.u32 %r9, %r5, 512; add.u32 %r10, %r5, 272; add.u32 %r11, %r1, 40;
cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r7], [%r8], 16, [%r6];
red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r9], %r11, [%r6];
st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.u32 [%r10], {%r11, %r11}, [%r6];
wait2: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p1, [bar], 1; @!%p1 bra wait2;
mul.wide.u32 %rd1, %r1, 64; add.u64 %rd2, %out, %rd1;
ld.shared.u32 %r4, [data+252]; ld.shared.u32 %r5, [data+256]; ld.shared.u32 %r6, [data+512]; ld.shared.u32 %r7, [data+276];
st.global.v4.u32 [%rd2], {%r4, %r5, %r6, %r7};
barrier.cluster.arrive.release; barrier.cluster.wait.acquire;
)";
  for (const Schedule &schedule : kSchedules) {
    Words out = run(body, 32, with(schedule, 1, Checks::Standard, 2));
    for (uint32_t rank = 0; rank < 2; ++rank)
      CHECK(Words(out.begin() + rank * 16, out.begin() + rank * 16 + 4) ==
            Words{64, 1 - rank, 100 + 41 - rank, 41 - rank});
  }
}

TEST_CASE("what bulk copies refuse") {
  auto one = [](const std::string &copy) {
    return faultOf("mbarrier.init.shared::cta.b64 [bar], 1;" + copy, with(kEager, 1));
  };
  const std::string start = "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes ";
  CHECK(one(start + "[data], [%in], 24, [bar];") == name(FaultKind::Illegal));
  CHECK(one(start + "[data+8], [%in], 16, [bar];") == name(FaultKind::Misaligned));
  CHECK(one(start + "[data], [%in], 65536, [bar];") == name(FaultKind::OutOfBounds));
  CHECK(one(start + "[data], [%in], 16, [bar];") == "none");
  CHECK(one("cp.async.bulk.prefetch.L2.global [%in], 64;") == "none");
}
