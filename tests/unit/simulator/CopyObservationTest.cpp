// Strict checks: who reads what an asynchronous operation wrote must have seen its mbarrier's phase end, or
// learned it, whatever the schedule; responses of clusterlaunchcontrol.try_cancel likewise.
#include "tests/unit/simulator/RunPtx.h"

#include <catch2/catch.hpp>

using namespace mxc::sim;

namespace {

const std::string kPrologue = R"(
.reg .b32 %r<16>; .reg .b64 %a<4>; .reg .b128 %c; .reg .pred %p<8>;
.shared .align 128 .b8 first[128]; .shared .align 128 .b8 second[128]; .shared .align 8 .b64 bar[2];
.shared .align 16 .b8 response[16];
mov.u32 %r1, %tid.x; setp.eq.u32 %p1, %r1, 0; setp.lt.u32 %p2, %r1, 32; and.b32 %r2, %r1, 31;
@%p1 mbarrier.init.shared::cta.b64 [bar], 1;
@%p1 mbarrier.init.shared::cta.b64 [bar+8], 1;
@%p1 fence.mbarrier_init.release.cluster;
bar.sync 0;
)";

std::vector<Schedule> schedules() {
  std::vector<Schedule> all = {{Schedule::Kind::Eager, 0}, {Schedule::Kind::Lazy, 0}};
  for (uint64_t seed = 1; seed <= 12; ++seed)
    all.push_back({Schedule::Kind::Random, seed});
  return all;
}

/// The kind of fault, under every schedule the same: "none", or "differs" where it is not.
std::string kindOf(const std::string &body, uint32_t grid = 1) {
  std::string kind;
  for (const Schedule &schedule : schedules()) {
    PtxRun how;
    how.checks = Checks::Strict, how.block = {64, 1, 1}, how.grid = {grid, 1, 1}, how.schedule = schedule;
    PtxOutcome outcome = runPtxBytes(kernelOf(kPrologue + body), std::vector<std::byte>(256), 256, how);
    std::string now = outcome.fault ? name(outcome.fault->kind) : "none";
    if (kind.empty()) kind = now;
    if (now != kind) return "differs";
  }
  return kind;
}

std::string copyTo(const std::string &data, const std::string &bar) {
  return "@%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [" + bar +
         "], 128;\n@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [" + data +
         "], [%in], 128, [" + bar + "];\n";
}

std::string waitFor(const std::string &bar, const std::string &label, int parity = 0) {
  return label + ": mbarrier.try_wait.parity.shared::cta.b64 %p3, [" + bar + "], " + std::to_string(parity) +
         "; @!%p3 bra " + label + ";\n";
}

} // namespace

TEST_CASE("a read of copied bytes needs the end of the copy's own phase, says strict under every schedule") {
  const std::string copies = copyTo("first", "bar") + copyTo("second", "bar+8"),
                    read = "ld.shared.u32 %r3, [first];\n";
  CHECK(kindOf(copies + waitFor("bar", "a") + read + waitFor("bar+8", "b")) == "none");
  // Another mbarrier tells nothing of it.
  CHECK(kindOf(copies + waitFor("bar+8", "b") + read + waitFor("bar", "a")) == name(FaultKind::Unfinished));
  CHECK(kindOf(copies + waitFor("bar+8", "b") + "st.shared.u32 [first], %r1;" + waitFor("bar", "a")) ==
        name(FaultKind::Unfinished));
  // The async proxy's reads are asked the same.
  const std::string store = "@%p1 cp.async.bulk.global.shared::cta.bulk_group [%out], [first], 128;\n@%p1 "
                            "cp.async.bulk.commit_group;\n@%p1 cp.async.bulk.wait_group 0;\n";
  CHECK(kindOf(copies + waitFor("bar", "a") + store + waitFor("bar+8", "b")) == "none");
  CHECK(kindOf(copies + waitFor("bar+8", "b") + store + waitFor("bar", "a")) == name(FaultKind::Unfinished));
  // For the second phase, the first one's end is not enough.
  const std::string twice =
      copyTo("first", "bar") + waitFor("bar", "a") + "bar.sync 0;\n" + copyTo("first", "bar");
  CHECK(kindOf(twice + waitFor("bar", "b", 1) + read) == "none");
  CHECK(kindOf(twice + "bar.sync 0;\n" + read + waitFor("bar", "b", 1)) == name(FaultKind::Unfinished));
}

TEST_CASE("the end of a copy may be learned from a warp that has seen it") {
  const std::string oneWaits = copyTo("first", "bar") + "@!%p2 bra met;\n" + waitFor("bar", "a") + "met:\n";
  CHECK(kindOf(oneWaits + "bar.sync 0; ld.shared.u32 %r3, [first];") == "none");
}

TEST_CASE("responses of try_cancel are waited for, and fenced before the next one") {
  const std::string ask = R"(
@%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 16;
@%p1 clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [response], [bar];
)",
                    read = "ld.shared.b128 %c, [response];\n", meet = "bar.sync 0;\n";
  CHECK(kindOf(ask + waitFor("bar", "a") + read) == "none");
  CHECK(kindOf(ask + meet + read + waitFor("bar", "a")) == name(FaultKind::Unfinished));
  const std::string again = ask + waitFor("bar", "b", 1);
  CHECK(kindOf(ask + waitFor("bar", "a") + read + "fence.proxy.async.shared::cta;\n" + meet + again, 8) ==
        "none");
  CHECK(kindOf(ask + waitFor("bar", "a") + read +
                   "fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster;\n" + meet + again,
               8) == "none");
  CHECK(kindOf(ask + waitFor("bar", "a") + read + meet + again, 8) == name(FaultKind::ProxyOrder));
}
