#include "runtime/simulator/memory/SharedRaces.h"

#include <algorithm>
#include <string_view>

namespace mxc::sim {

namespace {

// Who accessed a byte last: the warp's number in the cluster + 1, and how often it had given away its
// accesses.
constexpr uint32_t kEpochBits = 22, kEpochs = 1u << kEpochBits;

uint32_t numberOf(const Warp &warp) { return warp.cta->rank * uint32_t(warp.cta->warps.size()) + warp.index; }

/// All that is known of the order, made at the first use.
AccessOrder &orderOf(Cluster &cluster) {
  AccessOrder &order = cluster.order;
  if (order.given.empty()) {
    size_t warps = cluster.ctas.size() * cluster.ctas[0]->warps.size();
    order.given.assign(warps, 0);
    order.isOpen.assign(warps, false);
    order.learned.assign(warps, std::vector<uint32_t>(warps, 0));
  }
  return order;
}

void forgetAll(Cluster &cluster) {
  for (auto &cta : cluster.ctas)
    forgetAccesses(cta->shared, 0, uint32_t(cta->shared.lastWrite.size()));
  cluster.order = {};
}

std::string warpText(const Warp &warp, uint32_t number) {
  uint32_t warps = uint32_t(warp.cta->warps.size());
  return "warp " + std::to_string(number % warps) + " of CTA rank " + std::to_string(number / warps);
}

} // namespace

bool mayOrder(const ptx::Instruction &instruction) {
  constexpr std::string_view kOpcodes[] = {"bar",           "barrier", "mbarrier",  "fence",
                                           "membar",        "atom",    "red",       "cp",
                                           "wgmma",         "tcgen05", "tensormap", "clusterlaunchcontrol",
                                           "griddepcontrol"};
  constexpr std::string_view kWords[] = {"volatile", "relaxed", "acquire", "release",
                                         "mmio",     "async",   "bulk"};
  return std::ranges::find(kOpcodes, instruction.opcode) != std::end(kOpcodes) ||
         std::ranges::any_of(kWords, [&](std::string_view word) { return instruction.has(word); });
}

void giveAway(Warp &warp) {
  AccessOrder &order = orderOf(clusterOf(warp));
  uint32_t own = numberOf(warp);
  if (!order.isOpen[own]) return;
  order.isOpen[own] = false;
  if (++order.given[own] == kEpochs - 1) forgetAll(clusterOf(warp));
}

void learn(Warp &warp) {
  AccessOrder &order = orderOf(clusterOf(warp));
  order.learned[numberOf(warp)] = order.given;
}

void noteAccess(Warp &warp, Cta &cta, uint32_t offset, uint32_t bytes, bool isWrite, int lane) {
  SharedMemory &shared = cta.shared;
  if (shared.lastWrite.empty() || warp.isOrdering) return;
  AccessOrder &order = orderOf(clusterOf(warp));
  uint32_t own = numberOf(warp), stamp = (own + 1) << kEpochBits | order.given[own];
  const std::vector<uint32_t> &learned = order.learned[own];
  auto isUnordered = [&](uint32_t other) { // than this access
    uint32_t number = (other >> kEpochBits) - 1;
    return other && number != own && learned[number] <= (other & (kEpochs - 1));
  };
  order.isOpen[own] = true;
  for (uint32_t i = offset; i < offset + bytes; ++i) {
    uint32_t write = shared.lastWrite[i], read = shared.lastRead[i];
    bool isAfterWrite = isUnordered(write);
    if (isAfterWrite || (isWrite && isUnordered(read)))
      throw FaultError(FaultKind::Race,
                       std::string(isWrite ? "write" : "read") + " of shared memory of CTA rank " +
                           std::to_string(cta.rank) + " at offset " + std::to_string(i + kSharedBase) +
                           ", which " + warpText(warp, ((isAfterWrite ? write : read) >> kEpochBits) - 1) +
                           (isAfterWrite ? " wrote" : " read") +
                           " with no barrier, fence or atomic between the two",
                       lane);
    (isWrite ? shared.lastWrite : shared.lastRead)[i] = stamp;
  }
}

void forgetAccesses(SharedMemory &shared, uint32_t offset, uint32_t bytes) {
  if (shared.lastWrite.empty()) return;
  std::fill_n(shared.lastWrite.begin() + offset, bytes, 0);
  std::fill_n(shared.lastRead.begin() + offset, bytes, 0);
}

} // namespace mxc::sim
