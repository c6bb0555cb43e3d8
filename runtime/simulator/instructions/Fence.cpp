// fence and membar (PTX ISA 9.7.13.4). Memory operations take effect when they are executed, so that a fence
// only keeps the host from reordering; and the one that makes generic writes visible to the async proxy is
// remembered for the checks.
#include "runtime/simulator/async/FreshBarriers.h"
#include "runtime/simulator/decode/Table.h"
#include "runtime/simulator/machine/Lanes.h"
#include "runtime/simulator/memory/ByteStates.h"
#include "runtime/simulator/memory/LaneMeetings.h"

#include <algorithm>
#include <cstring>

namespace mxc::sim {

namespace {

Outcome fenceMemory(Warp &, const Instruction &) {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  return Outcome::Next;
}

/// Of responses: whether a fence has followed every read of them there.
uint8_t readMark(Warp &warp, SharedMemory &shared, uint32_t at) {
  return shared.state[at] & kResponseRead && fenceReads(warp, shared, at) ? kResponseRead : 0;
}

constexpr uint8_t kFenced = kGenericDirty | kResponseRead;
constexpr uint32_t kBlock = 64; // most blocks of bytes have no such mark

bool isMarked(const uint8_t *states) {
  uint64_t any = 0;
  for (uint32_t i = 0; i < kBlock; i += 8) {
    uint64_t word;
    std::memcpy(&word, states + i, 8);
    any |= word;
  }
  return any & everyByte<uint64_t>(kFenced);
}

/// Of the warp's own accesses, and of those that it is behind.
Outcome fenceAsyncProxy(Warp &warp, const Instruction &i) {
  SharedMemory &shared = warp.cta->shared;
  const uint32_t size = uint32_t(shared.state.size());
  for (uint32_t begin = 0; begin < size; begin += kBlock) {
    if (begin + kBlock <= size && !isMarked(shared.state.data() + begin)) continue;
    for (uint32_t at = begin; at < std::min(begin + kBlock, size); ++at)
      if (shared.state[at] & kFenced)
        shared.state[at] &=
            uint8_t(~((isBehindWrite(warp, shared, at) ? kGenericDirty : 0) | readMark(warp, shared, at)));
  }
  publishBarriers(*warp.cta);
  return fenceMemory(warp, i);
}

/// In one direction: of what was read, not of what was written.
Outcome fenceResponses(Warp &warp, const Instruction &i) {
  SharedMemory &shared = warp.cta->shared;
  for (uint32_t at = 0; at < shared.state.size(); ++at)
    shared.state[at] &= uint8_t(~readMark(warp, shared, at));
  return fenceMemory(warp, i);
}

Outcome fenceInitialization(Warp &warp, const Instruction &i) {
  publishOwnBarriers(warp);
  return fenceMemory(warp, i);
}

void takeScope(Decoder &d) {
  if (d.takeOneOf({"cta", "cluster", "gpu", "sys"}).empty()) d.fail("expected a scope");
}

/// .sync_restrict::shared::{cta,cluster}.cluster, what an order is restricted to.
void takeRestriction(Decoder &d) {
  std::string restriction;
  d.takePrefix("sync_restrict::", restriction);
}

void decodeProxyFence(Decoder &d, Instruction &out) {
  out.handler = fenceMemory;
  if (d.take("alias")) return d.finish();
  if (d.take("async")) {
    if (d.takeOneOf({"global", "shared::cta", "shared::cluster", "shared"}) != "global")
      out.handler = fenceAsyncProxy;
    return d.finish();
  }
  // From one proxy to another, in one direction.
  std::string_view proxies = d.takeOneOf({"tensormap::generic", "async::generic"});
  std::string_view order = d.takeOneOf({"acquire", "release"});
  if (proxies.empty() || order.empty()) d.fail("expected two proxies and an order");
  if (proxies == "async::generic") out.handler = fenceResponses;
  takeRestriction(d);
  takeScope(d);
  d.finish();
  if (d.operandCount()) { // tensormap::generic.acquire [address], 128
    out.address = d.address(0);
    if (d.integer(1) != 128) d.fail("the size must be 128");
  }
}

void decodeFence(Decoder &d, Instruction &out) {
  if (d.take("proxy")) return decodeProxyFence(d, out);
  out.handler = fenceMemory;
  if (d.take("mbarrier_init")) {
    out.handler = fenceInitialization;
    if (!d.take("release") || !d.take("cluster")) d.fail("expected fence.mbarrier_init.release.cluster");
    return d.finish();
  }
  d.takeOneOf({"sc", "acq_rel", "acquire", "release"}); // none: acq_rel
  takeRestriction(d);
  takeScope(d);
  d.finish();
}

void decodeMembar(Decoder &d, Instruction &out) {
  if (d.take("proxy")) return decodeProxyFence(d, out);
  if (d.takeOneOf({"cta", "gl", "sys"}).empty()) d.fail("expected .cta, .gl or .sys");
  d.finish();
  out.handler = fenceMemory;
}

} // namespace

extern const Table kFenceInstructions = {
    {"fence",
     decodeFence,
     Counted::Synchronization,
     Unwritten::Use,
     {Order::Warp, {{"proxy", Order::Own}, {"mbarrier_init", Order::Own}}}},
    {"membar",
     decodeMembar,
     Counted::Synchronization,
     Unwritten::Use,
     {Order::Warp, {{"proxy", Order::Own}}}}};

} // namespace mxc::sim
