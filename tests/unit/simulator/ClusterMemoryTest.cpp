// What strict checks ask of memory that the CTAs of a cluster share: mbarriers that others may use, and its
// end.
#include "tests/unit/simulator/RunPtx.h"

#include <catch2/catch.hpp>

using namespace mxc::sim;

namespace {

const std::string kPrologue = R"(
.reg .b32 %r<16>; .reg .pred %p<8>; .shared .align 128 .b8 data[512]; .shared .align 8 .b8 bar[8];
)";

PtxRun of(uint32_t ctas) {
  PtxRun how;
  how.checks = Checks::Strict, how.block = {1, 1, 1}, how.grid = how.cluster = {ctas, 1, 1};
  return how;
}

std::string kindOf(const std::string &body, uint32_t ctas) {
  PtxOutcome outcome = runPtxBytes(kernelOf(kPrologue + body), std::vector<std::byte>(256), 256, of(ctas));
  return outcome.fault ? name(outcome.fault->kind) : "none";
}

} // namespace

TEST_CASE("an mbarrier needs a fence after its init, says strict") {
  // For the CTA whose peer arrives on it, and for the async proxy that completes on it.
  const std::string arrival = R"(
mov.u32 %r1, bar; mapa.shared::cluster.u32 %r2, %r1, 0; mov.u32 %r3, %cluster_ctarank; setp.eq.u32 %p1, %r3, 0;
@%p1 mbarrier.init.shared::cta.b64 [bar], 2;
FENCE
barrier.cluster.arrive.RELEASE; barrier.cluster.wait.acquire;
mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r2];
@!%p1 bra end;
wait: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p2, [bar], 0; @!%p2 bra wait;
end: barrier.cluster.arrive; barrier.cluster.wait;
)";
  auto with = [](std::string text, const std::string &fence, const std::string &release) {
    text.replace(text.find("FENCE"), 5, fence);
    if (size_t at = text.find("RELEASE"); at != std::string::npos) text.replace(at, 7, release);
    return text;
  };
  CHECK(kindOf(with(arrival, "", "relaxed"), 2) == name(FaultKind::Race));
  CHECK(kindOf(with(arrival, "", "release"), 2) == "none");
  CHECK(kindOf(with(arrival, "fence.mbarrier_init.release.cluster;", "relaxed"), 2) == "none");
  const std::string copy = R"(
mbarrier.init.shared::cta.b64 [bar], 1;
FENCE
mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 64;
cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [data], [%in], 64, [bar];
wait: mbarrier.try_wait.parity.shared::cta.b64 %p1, [bar], 0; @!%p1 bra wait;
)";
  CHECK(kindOf(with(copy, "", ""), 1) == name(FaultKind::ProxyOrder));
  CHECK(kindOf(with(copy, "fence.mbarrier_init.release.cluster;", ""), 1) == "none");
  CHECK(kindOf(with(copy, "fence.proxy.async;", ""), 1) == "none");
}

TEST_CASE("a CTA's shared memory ends with it, says strict") {
  const std::string body = R"(
mov.u32 %r3, %cluster_ctarank; setp.eq.u32 %p1, %r3, 0; @%p1 bra end;
mov.u32 %r4, 0;
count: add.u32 %r4, %r4, 1; setp.lt.u32 %p2, %r4, 2000; @%p2 bra count;
mov.u32 %r1, data; mapa.shared::cluster.u32 %r2, %r1, 0; st.shared::cluster.u32 [%r2], %r3;
end:
)",
                    barrier = "barrier.cluster.arrive; barrier.cluster.wait;";
  CHECK(kindOf(body, 2) == name(FaultKind::Race));
  CHECK(kindOf(body + barrier, 2) == "none");
}
