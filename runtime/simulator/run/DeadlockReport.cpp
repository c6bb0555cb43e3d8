#include "runtime/simulator/run/DeadlockReport.h"

#include "runtime/simulator/async/MbarrierObject.h"
#include "runtime/simulator/async/PendingBytes.h"
#include "runtime/simulator/machine/FaultPlace.h"
#include "runtime/simulator/machine/PlacedModule.h"
#include "runtime/simulator/ptx/SourceLocation.h"

#include <algorithm>

namespace mxc::sim {

namespace {

constexpr size_t kShown = 16; // lines, operations

std::string count(int64_t number, const char *what) {
  return std::to_string(number) + " " + what + (number == 1 ? "" : "s");
}

std::string mbarrierText(Cluster &cluster, const Wait &wait) {
  std::string text = "the mbarrier at " + sharedText(uint32_t(wait.address)) +
                     " to complete a phase of parity " + std::to_string(wait.detail) + ": ";
  try {
    Mbarrier barrier = loadMbarrier(cluster, uint32_t(wait.address));
    text += std::to_string(barrier.expected - barrier.pending) + " of " + count(barrier.expected, "arrival");
    if (barrier.transactions > 0)
      text += ", " + count(barrier.transactions, "byte") + " expected and not there";
    if (barrier.transactions < 0)
      text += ", " + count(-barrier.transactions, "byte") + " there and not expected";
    return text;
  } catch (const FaultError &) {
    return text + "it is no mbarrier any more";
  }
}

std::string waitText(Cluster &cluster, const Warp &warp, const WarpSplit &split) {
  if (split.isParked) return "the other lanes of the warp, where they should meet";
  const Wait &wait = split.wait;
  switch (wait.kind) {
  case Wait::Kind::Mbarrier:
    return mbarrierText(cluster, wait);
  case Wait::Kind::NamedBarrier:
    return "barrier " + std::to_string(wait.address) + ": " +
           std::to_string(warp.cta->barriers[wait.address].arrived) + " of " +
           count(wait.detail ? int64_t(wait.detail) : warp.cta->liveThreads, "thread");
  case Wait::Kind::ClusterBarrier:
    return "the cluster's barrier: " + count(int64_t(wait.detail), "thread") + " missing";
  case Wait::Kind::Lanes: {
    char lanes[16];
    std::snprintf(lanes, sizeof lanes, "%08x", uint32_t(wait.detail));
    return std::string("lanes ") + lanes + " of the warp, at " + wait.what;
  }
  case Wait::Kind::Groups:
    return std::string(wait.what) + ", of which " + std::to_string(wait.detail) + " may be pending";
  case Wait::Kind::Other:
    break;
  }
  return std::string(wait.what) + (wait.detail ? " " + std::to_string(wait.detail) : "");
}

/// Splits that wait in the same line for the same.
struct Waiters {
  std::string what;
  std::vector<std::string> who;
};

void addWaiter(std::vector<Waiters> &all, Cluster &cluster, const Warp &warp, const WarpSplit &split) {
  const Program &program = *cluster.grid->program;
  const ptx::Instruction *source = program.instructions[split.pc].source;
  uint32_t line = source ? source->place.line : 0;
  const std::string origin = ptx::sourceLocation(program.module->text, line);
  std::string what = "line " + std::to_string(line) + ": " + program.module->line(line) +
                     (origin.empty() ? "" : " (" + origin + ")") + "\n      waits for " +
                     waitText(cluster, warp, split);
  std::string who = "warp " + std::to_string(warp.index);
  if (cluster.ctas.size() > 1) who += " of CTA " + std::to_string(warp.cta->rank);
  if (split.mask != warp.existing) {
    char lanes[24];
    std::snprintf(lanes, sizeof lanes, " (lanes %08x)", split.mask);
    who += lanes;
  }
  auto same = std::ranges::find(all, what, &Waiters::what);
  if (same == all.end()) same = all.insert(all.end(), {std::move(what), {}});
  same->who.push_back(std::move(who));
}

std::string text(const std::vector<Waiters> &all) {
  std::string text;
  for (size_t i = 0; i < all.size() && i < kShown; ++i) {
    text += "\n    ";
    for (size_t k = 0; k < all[i].who.size(); ++k)
      text += (k ? ", " : "") + all[i].who[k];
    text += ", " + all[i].what;
  }
  if (all.size() > kShown)
    text += "\n    and waits in " + std::to_string(all.size() - kShown) + " more lines";
  return text;
}

/// How much a wait says of what went wrong: others mostly wait for the ones that have begun to be served.
int tellingOf(Cluster &cluster, const WarpSplit &split) {
  if (split.isParked || split.wait.kind != Wait::Kind::Mbarrier) return 0;
  try {
    Mbarrier barrier = loadMbarrier(cluster, uint32_t(split.wait.address));
    if (barrier.transactions < 0) return 4;
    return barrier.transactions ? 3 : barrier.pending != barrier.expected ? 2 : 1;
  } catch (const FaultError &) {
    return 3;
  }
}

bool isApart(const Warp &warp) {
  size_t atBarriers = 0;
  bool gathers = false;
  for (const WarpSplit &split : warp.splits) {
    if (split.isParked) continue;
    Wait::Kind kind = split.wait.kind;
    gathers |= kind == Wait::Kind::Lanes;
    atBarriers +=
        kind == Wait::Kind::Lanes || kind == Wait::Kind::NamedBarrier || kind == Wait::Kind::ClusterBarrier;
  }
  return gathers && atBarriers > 1;
}

std::string outstandingText(const AsyncQueue &async) {
  if (async.isEmpty()) return "\n    no asynchronous operation is outstanding";
  std::string text;
  size_t shown = 0;
  for (const auto &operation : async.pending())
    if (++shown <= kShown)
      text += "\n    outstanding: " + operation->description + " of line " + std::to_string(operation->line);
  return text;
}

} // namespace

Fault deadlockOf(Cluster &cluster) {
  std::vector<Waiters> waiters;
  Warp *told = nullptr, *apart = nullptr;
  int telling = -1;
  for (auto &cta : cluster.ctas)
    for (Warp &warp : cta->warps) {
      for (size_t i = 0; i < warp.splits.size(); ++i) {
        addWaiter(waiters, cluster, warp, warp.splits[i]);
        int own = tellingOf(cluster, warp.splits[i]);
        if (own > telling) told = &warp, warp.current = i, telling = own;
      }
      if (!apart && isApart(warp)) apart = &warp;
    }
  Fault fault;
  fault.kind = apart ? FaultKind::Divergence : FaultKind::Deadlock;
  if (apart && std::ranges::any_of(apart->splits, [](const WarpSplit &split) {
        return split.isBlocked && split.wait.isByStrictChecks;
      }))
    fault.finding = Finding::Aligned;
  fault.message =
      (apart ? "lanes of a warp wait for each other at different instructions" : "nothing can go on") +
      text(waiters) + outstandingText(cluster.async);
  if (apart || told) placeFault(fault, apart ? *apart : *told);
  return fault;
}

} // namespace mxc::sim
