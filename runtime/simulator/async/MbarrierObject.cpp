// The model of PTX ISA 9.7.13.15: pending arrivals, bytes still to come, one bit of phase.
//
//   63 62 | 61    | 60 .. 40            | 39 .. 20 | 19 .. 0
//    1 0  | phase | transactions, signed | expected | pending
//
// Zero, what memory often holds, is no mbarrier by its two highest bits.
#include "runtime/simulator/async/MbarrierObject.h"

#include "runtime/simulator/memory/Access.h"
#include "runtime/simulator/memory/CopyObservation.h"
#include "runtime/simulator/memory/SharedRaces.h"

#include <cstring>

namespace mxc::sim {

namespace {

constexpr uint64_t kTag = 2, kCountMask = (1 << 20) - 1, kTransactionMask = (1 << 21) - 1;
constexpr int64_t kTransactionLimit = (1 << 20) - 1;

[[noreturn]] void misuse(uint32_t address, const std::string &what) {
  throw FaultError(FaultKind::BarrierMisuse, "mbarrier at shared " + hexadecimal(address) + ": " + what);
}

std::byte *wordAt(Cluster &cluster, uint32_t address) {
  if (address % 8)
    throw FaultError(FaultKind::Misaligned,
                     "an mbarrier lies at a multiple of 8, found shared " + hexadecimal(address));
  return sharedBytes(cluster, address, 8, false);
}

void storeMbarrier(Cluster &cluster, uint32_t address, const Mbarrier &barrier) {
  uint64_t word = encodeMbarrier(barrier);
  std::memcpy(wordAt(cluster, address), &word, 8);
}

/// Who is blocked at a wait for this phase has seen its end, however late its next turn is: silicon looks
/// again long before the next phase can end, and kernels rely on it. By the letter, which strict checks keep
/// to, a phase may end unseen; what was done before its end is ordered before who waits, and no more.
void showEnd(Cluster &cluster, uint32_t address, bool phase) {
  for (auto &cta : cluster.ctas)
    for (Warp &warp : cta->warps)
      for (WarpSplit &split : warp.splits) {
        const Wait &wait = split.wait;
        if (split.token != kAwaitsPhase || wait.kind != Wait::Kind::Mbarrier) continue;
        if (wait.address != address || wait.detail != phase) continue;
        if (isStrict(warp))
          learnPhase(warp, address);
        else
          split.token = kHasSeenPhase;
      }
}

void completeIfDone(Cluster &cluster, uint32_t address, Mbarrier &barrier) {
  if (barrier.pending || barrier.transactions) return;
  endCopyPhase(cluster, address);
  endPhaseInOrder(cluster, address);
  showEnd(cluster, address, barrier.phase);
  if (cluster.timeline) cluster.timeline->endPhase(address, barrier.phase);
  if (cluster.features) cluster.features->endPhase(address, barrier.expected);
  barrier.phase = !barrier.phase;
  barrier.pending = barrier.expected;
}

void addTransactions(Cluster &cluster, uint32_t address, int64_t bytes) {
  Mbarrier barrier = loadMbarrier(cluster, address);
  int64_t sum = barrier.transactions + bytes;
  if (sum > kTransactionLimit || sum < -kTransactionLimit)
    misuse(address, "its tx-count becomes " + std::to_string(sum) + ", the range is -(2^20 - 1) to 2^20 - 1");
  barrier.transactions = int32_t(sum);
  completeIfDone(cluster, address, barrier);
  storeMbarrier(cluster, address, barrier);
}

} // namespace

uint64_t encodeMbarrier(const Mbarrier &barrier) {
  return kTag << 62 | uint64_t(barrier.phase) << 61 |
         (uint64_t(int64_t(barrier.transactions)) & kTransactionMask) << 40 |
         uint64_t(barrier.expected) << 20 | barrier.pending;
}

std::optional<Mbarrier> decodeMbarrier(uint64_t word) {
  Mbarrier barrier;
  barrier.pending = uint32_t(word & kCountMask);
  barrier.expected = uint32_t(word >> 20 & kCountMask);
  barrier.transactions = int32_t(uint32_t(word >> 40 & kTransactionMask) << 11) >> 11;
  barrier.phase = word >> 61 & 1;
  if (word >> 62 != kTag) return std::nullopt;
  return barrier;
}

Mbarrier loadMbarrier(Cluster &cluster, uint32_t address) {
  uint64_t word;
  std::memcpy(&word, wordAt(cluster, address), 8);
  std::optional<Mbarrier> barrier = decodeMbarrier(word);
  if (!barrier) misuse(address, "it was not initialized, or was invalidated or written over");
  return *barrier;
}

void initializeMbarrier(Cluster &cluster, uint32_t address, uint32_t count) {
  if (count == 0 || count > kCountMask)
    misuse(address, "a count of 1 to 2^20 - 1 is expected, found " + std::to_string(count));
  std::byte *at = wordAt(cluster, address);
  if (uint8_t *state = sharedState(cluster, address)) {
    uint64_t word;
    std::memcpy(&word, at, 8);
    std::optional<Mbarrier> old = *state & kBarrier ? decodeMbarrier(word) : std::nullopt;
    if (old && old->transactions)
      misuse(address, "initialized anew while " + std::to_string(old->transactions) +
                          " bytes of its transactions are open");
    *state |= kBarrier;
  }
  Mbarrier barrier;
  barrier.expected = barrier.pending = count;
  storeMbarrier(cluster, address, barrier);
  if (cluster.timeline) cluster.timeline->beginPhases(address);
}

void invalidateMbarrier(Cluster &cluster, uint32_t address) {
  Mbarrier barrier = loadMbarrier(cluster, address);
  if (uint8_t *state = sharedState(cluster, address)) {
    if (barrier.transactions)
      misuse(address, "invalidated while " + std::to_string(barrier.transactions) +
                          " bytes of its transactions are open");
    *state &= uint8_t(~kBarrier);
  }
  std::memset(wordAt(cluster, address), 0, 8);
}

void arriveOnMbarrier(Cluster &cluster, uint32_t address, uint32_t count, const char *what) {
  if (cluster.features) cluster.features->arrival(address, what);
  Mbarrier barrier = loadMbarrier(cluster, address);
  if (count > barrier.pending)
    misuse(address, std::to_string(count) + " arrivals where " + std::to_string(barrier.pending) + " of " +
                        std::to_string(barrier.expected) + " are awaited");
  barrier.pending -= count;
  completeIfDone(cluster, address, barrier);
  storeMbarrier(cluster, address, barrier);
}

void dropFromMbarrier(Cluster &cluster, uint32_t address, uint32_t count, const char *what) {
  Mbarrier barrier = loadMbarrier(cluster, address);
  if (count > barrier.expected)
    misuse(address, std::to_string(count) + " arrivals dropped of " + std::to_string(barrier.expected));
  barrier.expected -= count;
  storeMbarrier(cluster, address, barrier);
  arriveOnMbarrier(cluster, address, count, what);
}

void awaitOneMore(Cluster &cluster, uint32_t address) {
  Mbarrier barrier = loadMbarrier(cluster, address);
  if (barrier.pending >= kCountMask) misuse(address, "more than 2^20 - 1 arrivals are awaited");
  ++barrier.pending;
  storeMbarrier(cluster, address, barrier);
}

void expectTransactions(Cluster &cluster, uint32_t address, uint32_t bytes) {
  addTransactions(cluster, address, int64_t(bytes));
}

void completeTransactions(Cluster &cluster, uint32_t address, uint32_t bytes, const char *what) {
  if (cluster.features) cluster.features->arrival(address, what);
  if (const std::vector<uint32_t> *order = cluster.order.performing; order && !order->empty())
    arriveInOrder(cluster, address, *order);
  addTransactions(cluster, address, -int64_t(bytes));
}

} // namespace mxc::sim
