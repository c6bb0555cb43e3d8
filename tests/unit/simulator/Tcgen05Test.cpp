// tcgen05 in kernels: moves and allocation, and what the checks catch in them.
#include "tests/unit/simulator/RunPtx.h"

#include <catch2/catch.hpp>

#include <sstream>

using namespace mxc::sim;

namespace {

const Schedule kEager{Schedule::Kind::Eager, 0}, kLazy{Schedule::Kind::Lazy, 0},
    kRandom{Schedule::Kind::Random, 5};

/// Warp 0 of 128 threads allocates; all see the address in %ta, their own lanes in %tw. `body` stands
/// between.
std::string withTensorMemory(const std::string &body, uint32_t columns = 64) {
  std::ostringstream text;
  text << R"(
.reg .pred %p<8>; .reg .b32 %r<80>, %ta, %tw, %thread, %warp, %slot; .reg .b64 %rd<8>;
.shared .align 16 .b8 static_slot[16];
mov.u32 %thread, %tid.x; shr.u32 %warp, %thread, 5; mov.u32 %slot, static_slot;
setp.eq.u32 %p1, %warp, 0;
@!%p1 bra allocated;
tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%slot], )"
       << columns << R"(;
tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;
allocated:
tcgen05.fence::before_thread_sync;
bar.sync 0;
tcgen05.fence::after_thread_sync;
ld.shared.b32 %ta, [%slot];
shl.b32 %tw, %warp, 21; add.u32 %tw, %tw, %ta;
mul.wide.u32 %rd1, %thread, 4; add.u64 %rd2, %out, %rd1; add.u64 %rd3, %in, %rd1;
)" << body
       << R"(
tcgen05.fence::before_thread_sync;
bar.sync 0;
tcgen05.fence::after_thread_sync;
@%p1 tcgen05.dealloc.cta_group::1.sync.aligned.b32 %ta, )"
       << columns << ";\n";
  return kernelOf(text.str());
}

PtxRun of128(Checks checks, Schedule schedule) {
  PtxRun how;
  how.block = {128, 1, 1}, how.checks = checks, how.schedule = schedule;
  return how;
}

std::vector<std::byte> bytesOf(const std::vector<uint32_t> &words) {
  std::vector<std::byte> bytes(words.size() * 4);
  std::memcpy(bytes.data(), words.data(), bytes.size());
  return bytes;
}

PtxOutcome runWords(const std::string &ptx, const PtxRun &how) {
  std::vector<uint32_t> words(1024);
  for (uint32_t i = 0; i < words.size(); ++i)
    words[i] = i * 0x10001 + 7;
  return runPtxBytes(ptx, bytesOf(words), 4096, how);
}

const char *const kRoundTrip = R"(
ld.global.b32 %r1, [%rd3]; ld.global.b32 %r2, [%rd3+512];
tcgen05.st.sync.aligned.32x32b.x2.b32 [%tw], {%r1, %r2};
tcgen05.wait::st.sync.aligned;
tcgen05.ld.sync.aligned.32x32b.x2.b32 {%r3, %r4}, [%tw];
tcgen05.wait::ld.sync.aligned;
st.global.b32 [%rd2], %r4; st.global.b32 [%rd2+512], %r3;
)";

} // namespace

TEST_CASE("tcgen05.st and ld give back what was stored") {
  for (Checks checks : {Checks::Off, Checks::Standard, Checks::Strict})
    for (Schedule schedule : {kEager, kLazy, kRandom}) {
      PtxOutcome outcome = runWords(withTensorMemory(kRoundTrip), of128(checks, schedule));
      INFO((outcome.fault ? outcome.fault->text() : ""));
      REQUIRE_FALSE(outcome.fault);
      std::vector<uint32_t> out(256);
      std::memcpy(out.data(), outcome.output.data(), 1024);
      for (uint32_t t = 0; t < 128; ++t) {
        REQUIRE(out[t] == (128 + t) * 0x10001 + 7);
        REQUIRE(out[128 + t] == t * 0x10001 + 7);
      }
    }
}

TEST_CASE("tcgen05 pack and unpack: halves of two columns") {
  std::string ptx = withTensorMemory(R"(
ld.global.b32 %r1, [%rd3];
tcgen05.st.sync.aligned.32x32b.x1.unpack::16b.b32 [%tw], {%r1};
tcgen05.wait::st.sync.aligned;
tcgen05.ld.sync.aligned.32x32b.x2.b32 {%r3, %r4}, [%tw];
tcgen05.ld.sync.aligned.32x32b.x1.pack::16b.b32 {%r5}, [%tw];
tcgen05.wait::ld.sync.aligned;
shl.b32 %r4, %r4, 16; or.b32 %r3, %r3, %r4;
st.global.b32 [%rd2], %r3; st.global.b32 [%rd2+512], %r5;
)");
  PtxOutcome outcome = runWords(ptx, of128(Checks::Strict, kLazy));
  INFO((outcome.fault ? outcome.fault->text() : ""));
  REQUIRE_FALSE(outcome.fault);
  std::vector<uint32_t> out(256);
  std::memcpy(out.data(), outcome.output.data(), 1024);
  for (uint32_t t = 0; t < 128; ++t) {
    REQUIRE(out[t] == t * 0x10001 + 7);
    REQUIRE(out[128 + t] == t * 0x10001 + 7);
  }
}

TEST_CASE("tcgen05 moves and allocation: what is caught") {
  struct Case {
    const char *name, *body;
    FaultKind kind;
    Checks checks;
    Schedule schedule;
  };
  const std::string store = "tcgen05.st.sync.aligned.32x32b.x1.b32 [%tw], {%thread};\n";
  std::string loadTail =
      "tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r3}, [%tw];\ntcgen05.wait::ld.sync.aligned;\n";
  std::string noStoreWait = store + loadTail;
  std::string noLoadWait =
      store + "tcgen05.wait::st.sync.aligned;\ntcgen05.ld.sync.aligned.32x32b.x1.b32 {%r3}, [%tw];\n" +
      store + "tcgen05.wait::st.sync.aligned;\n";
  std::string loadAtTheEnd =
      store + "tcgen05.wait::st.sync.aligned;\ntcgen05.ld.sync.aligned.32x32b.x1.b32 {%r3}, [%tw];\n";
  std::string otherLanes = "xor.b32 %tw, %tw, 0x200000;\n" + store;
  std::string outside = "add.u32 %tw, %tw, 64;\n" + store;
  for (const Case &c : {
           Case{"no wait::st", noStoreWait.c_str(), FaultKind::Unfinished, Checks::Standard, kLazy},
           Case{"no wait::ld", noLoadWait.c_str(), FaultKind::Unfinished, Checks::Strict, kEager},
           Case{"no wait::ld before dealloc", loadAtTheEnd.c_str(), FaultKind::Unfinished, Checks::Strict,
                kEager},
           Case{"unwritten", loadTail.c_str(), FaultKind::Unwritten, Checks::Strict, kEager},
           Case{"another warp's lanes", otherLanes.c_str(), FaultKind::TensorMemory, Checks::Standard,
                kEager},
           Case{"outside of the allocation", outside.c_str(), FaultKind::TensorMemory, Checks::Off, kEager},
       }) {
    PtxOutcome outcome = runWords(withTensorMemory(c.body), of128(c.checks, c.schedule));
    INFO(c.name << (outcome.fault ? outcome.fault->text() : ": no fault"));
    REQUIRE(outcome.fault);
    CHECK(outcome.fault->kind == c.kind);
  }
  for (const std::string &noWait : {noLoadWait, loadAtTheEnd})
    CHECK_FALSE(runWords(withTensorMemory(noWait), of128(Checks::Standard, kEager)).fault);
  PtxOutcome leaked =
      runWords(withTensorMemory("setp.ne.u32 %p1, %thread, %thread;\n"), of128(Checks::Standard, kEager));
  REQUIRE(leaked.fault);
  CHECK(leaked.fault->kind == FaultKind::TensorMemory);
}
