// Strict checks: global memory that one CTA writes and another one reads, through the generic and the async
// proxy, with whatever orders them taken away in turn; under every schedule.
#include "tests/unit/simulator/RunPtx.h"

#include <catch2/catch.hpp>

using namespace mxc::sim;

namespace {

/// CTA 0 writes 128 bytes after two words of the input, and counts the first word up; CTA 1 waits for that
/// and reads them. In one CTA warps 0 and 1 do.
struct HandOver {
  bool isInOneCta = false;
  std::string store = "st.global.u32 [%a1], %r0;", meet = "bar.warp.sync -1;", writerFence = "",
              publish = "red.release.gpu.global.add.u32 [%in], 1;",
              acquire = "ld.acquire.gpu.global.u32 %r2, [%in];", readerFence = "", read = "";
};

const std::string kGeneric = "ld.global.u32 %r3, [%a1]; add.u64 %a3, %out, %a3; st.global.u32 [%a3], %r3;",
                  kBulk = R"(
@!%p1 bra end;
mbarrier.init.shared::cta.b64 [bar], 1; fence.mbarrier_init.release.cluster;
mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 128;
cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [data], [%a2], 128, [bar];
done: mbarrier.try_wait.parity.shared::cta.b64 %p4, [bar], 0; @!%p4 bra done;
end:
)";

std::string textOf(const HandOver &h) {
  return R"(
.reg .b32 %r<16>; .reg .b64 %a<8>; .reg .pred %p<8>; .shared .align 128 .b8 data[128]; .shared .align 8 .b64 bar;
mov.u32 %r0, %laneid; mov.u32 %r1, )" +
         std::string(h.isInOneCta ? "%warpid" : "%ctaid.x") +
         R"(; setp.eq.u32 %p1, %r0, 0; setp.eq.u32 %p2, %r1, 0;
add.u64 %a2, %in, 128; mul.wide.u32 %a3, %r0, 4; add.u64 %a1, %a2, %a3;
@!%p2 bra reader;
)" + h.store +
         "\n" + h.writerFence + "\n" + h.meet + "\n@!%p1 bra written;\n" + h.publish +
         "\nwritten: bra.uni over;\nreader: " + h.acquire + " setp.eq.u32 %p3, %r2, 0; @%p3 bra reader;\n" +
         h.readerFence + "\n" + h.read + "\nover:\n";
}

std::string kindOf(const HandOver &h) {
  std::vector<Schedule> schedules = {{Schedule::Kind::Eager, 0}, {Schedule::Kind::Lazy, 0}};
  for (uint64_t seed = 1; seed <= 8; ++seed)
    schedules.push_back({Schedule::Kind::Random, seed});
  std::string kind;
  for (const Schedule &schedule : schedules)
    for (unsigned threads : {1u, 2u}) {
      PtxRun how;
      how.checks = Checks::Strict, how.schedule = schedule;
      how.block = {h.isInOneCta ? 64u : 32u, 1, 1}, how.grid = {h.isInOneCta ? 1u : 2u, 1, 1};
      how.threads = threads;
      PtxOutcome outcome = runPtxBytes(kernelOf(textOf(h)), std::vector<std::byte>(256), 256, how);
      std::string now = outcome.fault ? name(outcome.fault->kind) : "none";
      if (kind.empty()) kind = now;
      if (now != kind) return "differs: " + kind + ", " + now;
    }
  return kind;
}

const std::string kRace = name(FaultKind::Race), kProxy = name(FaultKind::ProxyOrder);

} // namespace

TEST_CASE("a load of what another CTA stored needs release and acquire, says strict under every schedule") {
  HandOver right{.read = kGeneric};
  CHECK(kindOf(right) == "none");
  HandOver relaxed = right;
  relaxed.publish = "red.relaxed.gpu.global.add.u32 [%in], 1;";
  CHECK(kindOf(relaxed) == kRace);
  relaxed.publish = "fence.acq_rel.gpu; " + relaxed.publish;
  CHECK(kindOf(relaxed) == "none");
  relaxed.publish = "red.release.cta.global.add.u32 [%in], 1;";
  CHECK(kindOf(relaxed) == kRace);
  HandOver unread = right;
  unread.acquire = "ld.relaxed.gpu.global.u32 %r2, [%in];";
  CHECK(kindOf(unread) == kRace);
  unread.readerFence = "membar.gl;";
  CHECK(kindOf(unread) == "none");
  unread = right, unread.acquire = "atom.relaxed.gpu.global.add.u32 %r2, [%in], 0;";
  CHECK(kindOf(unread) == kRace);
  unread.acquire = "atom.acq_rel.gpu.global.add.u32 %r2, [%in], 0;";
  CHECK(kindOf(unread) == "none");
  HandOver unused = right; // as of lanes outside of a matrix
  unused.publish = "red.relaxed.gpu.global.add.u32 [%in], 1;", unused.read = "ld.global.u32 %r3, [%a1];";
  CHECK(kindOf(unused) == "none");
  HandOver apart = right; // the lanes' stores are not the releasing lane's
  apart.meet = "";
  CHECK(kindOf(apart) == kRace);
  HandOver elsewhere = right; // a release of another word
  elsewhere.publish = "red.release.gpu.global.add.u32 [%in+4], 1; red.relaxed.gpu.global.add.u32 [%in], 1;";
  CHECK(kindOf(elsewhere) == kRace);
}

TEST_CASE("a weak read of what another CTA wrote strongly needs release and acquire, says strict under every "
          "schedule") {
  for (const char *store :
       {"red.relaxed.gpu.global.add.u32 [%a1], %r0;", "atom.global.max.u32 %r3, [%a1], %r0;",
        "st.relaxed.gpu.global.u32 [%a1], %r0;"}) {
    INFO(store);
    const HandOver right{.store = store, .readerFence = "fence.proxy.async.global;", .read = kGeneric};
    CHECK(kindOf(right) == "none");
    HandOver relaxed = right;
    relaxed.publish = "red.relaxed.gpu.global.add.u32 [%in], 1;";
    CHECK(kindOf(relaxed) == kRace);
    HandOver unread = right;
    unread.acquire = "ld.relaxed.gpu.global.u32 %r2, [%in];";
    CHECK(kindOf(unread) == kRace);
    unread.read = kBulk;
    CHECK(kindOf(unread) == kRace);
    unread.read = kGeneric; // the lane has found it there, too
    unread.readerFence = "ld.relaxed.gpu.global.u32 %r4, [%a1];";
    CHECK(kindOf(unread) == "none");
    unread.readerFence = "ld.relaxed.gpu.global.u32 %r4, [%in+4];";
    CHECK(kindOf(unread) == kRace);
  }
}

TEST_CASE("the async proxy reads what another CTA stored after a proxy fence, says strict") {
  HandOver right{.readerFence = "fence.proxy.async.global;", .read = kBulk};
  CHECK(kindOf(right) == "none");
  HandOver fencedByWriter{.writerFence = "fence.proxy.async;", .read = kBulk};
  CHECK(kindOf(fencedByWriter) == "none");
  HandOver unfenced{.read = kBulk};
  CHECK(kindOf(unfenced) == kProxy);
  unfenced.readerFence = "fence.proxy.async.shared::cta;";
  CHECK(kindOf(unfenced) == kProxy);
  HandOver relaxed = right;
  relaxed.publish = "red.relaxed.gpu.global.add.u32 [%in], 1;";
  CHECK(kindOf(relaxed) == kRace);
  HandOver unread = right;
  unread.acquire = "ld.relaxed.gpu.global.u32 %r2, [%in];";
  CHECK(kindOf(unread) == kRace);
}

TEST_CASE("what lanes of one CTA store is given away by those that the releasing lane has met, says strict") {
  for (const std::string &read : {kGeneric, kBulk}) {
    HandOver right{.isInOneCta = true, .readerFence = "fence.proxy.async.global;", .read = read};
    CHECK(kindOf(right) == "none");
    HandOver ofEachLane = right;
    ofEachLane.meet = "red.release.gpu.global.add.u32 [%in+4], 1;";
    CHECK(kindOf(ofEachLane) == "none");
    for (const char *noMeeting : {"", "fence.proxy.async.global;"}) {
      HandOver apart = right;
      apart.meet = noMeeting;
      CHECK(kindOf(apart) == kRace);
    }
  }
}

TEST_CASE("what a place tells of a warp of the same CTA is what was released there, says strict") {
  const HandOver right{.isInOneCta = true, .read = kGeneric};
  auto kindWith = [&](auto change) {
    HandOver changed = right;
    change(changed);
    return kindOf(changed);
  };
  CHECK(kindWith([](HandOver &h) { h.publish = "red.relaxed.gpu.global.add.u32 [%in], 1;"; }) == kRace);
  CHECK(kindWith([](HandOver &h) { h.acquire = "ld.relaxed.gpu.global.u32 %r2, [%in];"; }) == kRace);
  CHECK(kindWith([](HandOver &h) {
          h.publish = "red.release.gpu.global.add.u32 [%in+4], 1; red.relaxed.gpu.global.add.u32 [%in], 1;";
        }) == kRace);
  auto acquiredByLaneZero = [](HandOver &h) {
    h.acquire = "@%p1 ld.acquire.gpu.global.u32 %r2, [%in]; @!%p1 ld.relaxed.gpu.global.u32 %r2, [%in];";
  };
  auto known = [&](HandOver &h) { acquiredByLaneZero(h), h.readerFence = "bar.warp.sync -1;"; };
  CHECK(kindWith(acquiredByLaneZero) == kRace);
  CHECK(kindWith(known) == "none");
  // Other orders between them.
  for (const char *publish :
       {"fence.acq_rel.gpu; red.relaxed.gpu.global.add.u32 [%in], 1;",
        "red.release.cta.global.add.u32 [%in], 1;", "membar.cta; atom.global.add.u32 %r3, [%in], 1;",
        "red.release.gpu.global.add.u32 [%in], 1; red.relaxed.gpu.global.add.u32 [%in], 1;"}) {
    INFO(publish);
    CHECK(kindWith([&](HandOver &h) { h.publish = publish; }) == "none");
  }
}

TEST_CASE("a weak store needs an order after another lane's release of that word, says strict") {
  HandOver right{.writerFence = "setp.eq.u32 %p5, %r0, 1; @%p5 red.release.gpu.global.add.u32 [%in+4], 1;",
                 .read = "@%p1 st.global.u32 [%in+4], %r2;"};
  CHECK(kindOf(right) == "none");
  HandOver apart = right; // lane 0 releases for a lane that it has not met
  apart.meet = "";
  CHECK(kindOf(apart) == kRace);
  apart.readerFence = "ld.acquire.gpu.global.u32 %r3, [%in+4];"; // what lane 1 has told
  CHECK(kindOf(apart) == "none");
}
