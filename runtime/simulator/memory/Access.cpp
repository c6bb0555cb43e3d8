// One access by one lane, and by asynchronous operations. LaneAccess.cpp has the way for whole warps, and
// comes here for what is out of the ordinary, faults among it.
#include "runtime/simulator/memory/Access.h"

#include "runtime/simulator/machine/LocalStack.h"
#include "runtime/simulator/memory/GlobalOrder.h"
#include "runtime/simulator/memory/RecentAllocation.h"
#include "runtime/simulator/memory/SharedRaces.h"

#include <algorithm>
#include <cstring>

namespace mxc::sim {

using ptx::Space;

namespace {

struct Request {
  uint64_t address;
  uint32_t bytes;
  AccessKind kind;
  int lane; // -1: of an asynchronous operation
  const char *space;

  std::string text(const std::string &why) const {
    const char *what = kind == AccessKind::Write    ? "write"
                       : kind == AccessKind::Atomic ? "atomic operation"
                                                    : "read";
    const char *who = lane < 0 ? "asynchronous " : "";
    return std::string(who) + what + " of " + std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes") +
           " at " + space + " " + hexadecimal(address) + ": " + why;
  }
  [[noreturn]] void fail(FaultKind fault, const std::string &why) const {
    throw FaultError(fault, text(why), lane);
  }
  void found(const Options &options, Finding finding, FaultKind fault, const std::string &why) const {
    if (!options.leavesOut(finding)) report(options, finding, fault, text(why), lane);
  }
  bool reads() const { return kind != AccessKind::Write; }
  bool writes() const { return kind == AccessKind::Write || kind == AccessKind::Atomic; }
};

/// Whether a load finds nothing that anybody wrote, and may: its register carries the mark.
bool mayCarry(const Request &request, const uint8_t *states, Checks checks) {
  if (request.kind != AccessKind::Load || checks != Checks::Standard) return false;
  return std::none_of(states, states + request.bytes, [](uint8_t state) { return state & kWritten; });
}

/// Reads need written bytes. A lane that reads a whole word of which some bytes were never written is not
/// wrong by any reading: it may use the others.
void checkWritten(const Request &request, const uint8_t *states, const Options &options) {
  uint8_t all = kWritten, any = 0;
  for (uint32_t i = 0; i < request.bytes; ++i)
    all &= states[i], any |= states[i];
  if (all) return;
  bool isPartly = any & kWritten;
  if (isPartly && options.checks != Checks::Strict) return;
  auto isUnwritten = [](uint8_t state) { return !(state & kWritten); };
  auto first = std::find_if(states, states + request.bytes, isUnwritten) - states;
  request.found(options, Finding::Unwritten, FaultKind::Unwritten,
                isPartly ? "byte " + std::to_string(first) + " of them was never written"
                         : "they were never written");
}

void checkFinished(const Request &request, const uint8_t *states, const Options &options) {
  for (uint32_t i = 0; i < request.bytes; ++i) {
    if (!(states[i] & (kAsyncWrites | kAsyncReads))) continue;
    if (states[i] & kAsyncWrites)
      request.found(options, Finding::Unfinished, FaultKind::Unfinished,
                    "byte " + std::to_string(i) +
                        " belongs to an asynchronous operation that has yet to write it");
    if (request.writes() && states[i] & kAsyncReads)
      request.found(options, Finding::Unfinished, FaultKind::Unfinished,
                    "byte " + std::to_string(i) +
                        " belongs to an asynchronous operation that has yet to read it");
  }
}

/// The CTA that a 32-bit shared address names (ptx-in-the-wild 2.1: rank in bits 24 and up), and the offset
/// in its bytes.
std::pair<Cta *, uint32_t> sharedPlace(Cluster &cluster, const Request &request) {
  uint32_t address = uint32_t(request.address), rank = address >> kSharedRankShift;
  if (rank >= cluster.ctas.size())
    request.fail(FaultKind::OutOfBounds, "it names CTA " + std::to_string(rank) + " of a cluster of " +
                                             std::to_string(cluster.ctas.size()));
  Cta *cta = cluster.ctas[rank].get();
  uint64_t size = cta->shared.bytes.size();
  uint64_t offset = uint64_t(address & ((1u << kSharedRankShift) - 1)) - kSharedBase; // wraps below the base
  if (offset >= size || request.bytes > size - offset)
    request.fail(FaultKind::OutOfBounds, "shared memory of the CTA is " + std::to_string(size) +
                                             " bytes at " +
                                             hexadecimal((rank << kSharedRankShift) + kSharedBase));
  return {cta, uint32_t(offset)};
}

/// Shared memory of a CTA whose threads are all gone may be another's.
void checkAlive(const Cta &cta, const Request &request) {
  if (cta.liveThreads || cta.cluster->grid->options->checks != Checks::Strict) return;
  request.found(*cta.cluster->grid->options, Finding::ExitedCta, FaultKind::Race,
                "CTA " + std::to_string(cta.rank) + " has exited; a barrier.cluster holds it back");
}

std::byte *accessShared(Warp &warp, const Request &request) {
  auto [cta, offset] = sharedPlace(clusterOf(warp), request);
  SharedMemory &shared = cta->shared;
  if (!shared.state.empty()) {
    uint8_t *states = &shared.state[offset];
    checkAlive(*cta, request);
    checkFinished(request, states, *gridOf(warp).options);
    Checks checks = gridOf(warp).options->checks;
    if (mayCarry(request, states, checks))
      warp.unwrittenLoads |= 1u << request.lane;
    else if (request.reads())
      checkWritten(request, states, *gridOf(warp).options);
    // Another CTA's memory is not made dirty: only fences of its own threads would clean it.
    uint8_t mark = cta == warp.cta ? kWritten | kGenericDirty : kWritten;
    if (request.writes())
      for (uint32_t i = 0; i < request.bytes; ++i)
        states[i] = uint8_t((states[i] & ~kBarrier) | mark);
  }
  noteAccess(warp, *cta, offset, request.bytes, request.writes(), request.lane);
  return &shared.bytes[offset];
}

void checkGridsAwaited(const Cluster &cluster, const Request &request, const uint8_t *states) {
  if (!mayPrecedeGrids(cluster)) return;
  if (std::any_of(states, states + request.bytes, [](uint8_t state) { return state & kAwaitsGrid; }))
    request.found(*cluster.grid->options, Finding::EarlierGrid, FaultKind::Race,
                  "a grid in front wrote there, and this launch may begin before that ends: "
                  "no thread of the cluster has executed griddepcontrol.wait");
}

/// `warp`: null for an asynchronous operation.
std::byte *accessGlobal(Cluster &cluster, Warp *warp, const Request &request) {
  Grid &grid = *cluster.grid;
  GlobalMemory &memory = *grid.memory;
  const Allocation *allocation = recentAllocation(grid, request.address, request.bytes);
  if (!allocation) request.fail(FaultKind::OutOfBounds, memory.describe(request.address));
  if (Checks checks = grid.options->checks; checks != Checks::Off) {
    if (allocation->isReadOnly && request.writes()) // PTX ISA 5.1.3. An H200 stores, and does not say so
      request.fail(FaultKind::AddressSpace, allocation->name + " may only be read");
    uint8_t *states = memory.shadow(request.address);
    checkGridsAwaited(cluster, request, states);
    if (warp && mayCarry(request, states, checks))
      warp->unwrittenLoads |= 1u << request.lane;
    else if (request.reads())
      checkWritten(request, states, *grid.options);
    if (request.writes()) std::memset(states, memory.writtenState(), request.bytes);
    if (warp)
      noteGlobalAccess(*warp, request.address, request.bytes, request.kind, request.lane);
    else if (request.writes())
      forgetGlobalWrites(memory, request.address, request.bytes);
  }
  return memory.host(request.address);
}

std::byte *accessLocal(Warp &warp, const Request &request, uint64_t offset, bool isCallParameter) {
  uint32_t size = gridOf(warp).program->localBytes;
  if (offset >= size || request.bytes > size - offset)
    request.fail(FaultKind::OutOfBounds, "a lane has " + std::to_string(size) + " bytes of local memory");
  uint64_t at = uint64_t(request.lane) * size + offset;
  if (!warp.localWritten.empty() && !isCallParameter) { // Checks::Strict
    uint8_t *states = &warp.localWritten[at];
    auto isUnwritten = [](uint8_t state) { return !(state & kWritten); };
    if (request.kind != AccessKind::Load && request.reads())
      checkWritten(request, states, *gridOf(warp).options);
    if (request.kind == AccessKind::Load && std::any_of(states, states + request.bytes, isUnwritten))
      warp.unwrittenLoads |= 1u << request.lane;
    if (request.writes()) std::fill_n(states, request.bytes, uint8_t(kWritten));
  }
  return warp.local + at;
}

std::byte *accessStack(Warp &warp, const Request &request) {
  uint64_t offset = request.address - LocalStack::kBase;
  size_t size = warp.stack ? warp.stack->lanes[size_t(request.lane)].bytes.size() : 0;
  if (offset >= size || request.bytes > size - offset)
    request.fail(FaultKind::OutOfBounds, "alloca has given out " + std::to_string(size) + " bytes");
  return &warp.stack->lanes[size_t(request.lane)].bytes[offset];
}

/// Parameters of the kernel, or of a call, which lie in local memory (Program.h).
std::byte *accessParameter(Warp &warp, const Request &request) {
  uint64_t offset = uint32_t(request.address);
  if (offset & kCallParameter) return accessLocal(warp, request, offset - kCallParameter, true);
  if (request.writes()) request.fail(FaultKind::AddressSpace, "parameters of a kernel may only be read");
  const std::vector<std::byte> &parameters = gridOf(warp).launch->parameters;
  if (offset >= parameters.size() || request.bytes > parameters.size() - offset)
    request.fail(FaultKind::OutOfBounds,
                 "the kernel has " + std::to_string(parameters.size()) + " bytes of parameters");
  return const_cast<std::byte *>(&parameters[offset]); // only read
}

} // namespace

Space spaceOf(uint64_t genericAddress) {
  switch (genericAddress & ~(kWindowBytes - 1)) {
  case kSharedWindow:
    return Space::Shared;
  case kLocalWindow:
    return Space::Local;
  case kParameterWindow:
    return Space::Param;
  default:
    return Space::Global;
  }
}

std::byte *access(Warp &warp, Space space, uint64_t address, uint32_t bytes, AccessKind kind, int lane,
                  uint32_t alignment) {
  if (space == Space::Generic) space = spaceOf(address);
  Request request{address, bytes, kind, lane, "global"};
  switch (space) {
  case Space::Shared:
    request.space = "shared", request.address = sharedAddress(address);
    break;
  case Space::Local:
    request.space = "local", request.address = uint32_t(address);
    break;
  case Space::Param:
    request.space = "param", request.address = uint32_t(address);
    break;
  case Space::Const:
    request.space = "const";
    break;
  default:
    break;
  }
  if (alignment == 0) alignment = bytes;
  if (address % alignment)
    request.fail(FaultKind::Misaligned, "the address must be a multiple of " + std::to_string(alignment));
  if (space != Space::Global && space != Space::Shared && kind == AccessKind::Atomic)
    request.fail(FaultKind::AddressSpace, "atomic operations need global or shared memory");
  switch (space) {
  case Space::Shared:
    return accessShared(warp, request);
  case Space::Local: // a function's parameter, too, whose address mov took (PTX ISA, mov)
    if (request.address & kCallParameter)
      return accessLocal(warp, request, request.address - kCallParameter, true);
    if (request.address >= LocalStack::kBase) return accessStack(warp, request);
    return accessLocal(warp, request, request.address, false);
  case Space::Param:
    return accessParameter(warp, request);
  default:
    return accessGlobal(clusterOf(warp), &warp, request);
  }
}

uint8_t *localState(Warp &warp, Space space, uint64_t address, int lane) {
  if (space == Space::Generic) space = spaceOf(address);
  if (space != Space::Local || warp.localWritten.empty() || uint32_t(address) >= LocalStack::kBase)
    return nullptr;
  return &warp.localWritten[uint64_t(lane) * gridOf(warp).program->localBytes + uint32_t(address)];
}

std::byte *sharedBytes(Cluster &cluster, uint32_t address, uint32_t bytes, bool isRead) {
  Request request{address, bytes, isRead ? AccessKind::Read : AccessKind::Write, -1, "shared"};
  auto [cta, offset] = sharedPlace(cluster, request);
  SharedMemory &shared = cta->shared;
  if (!shared.state.empty()) {
    uint8_t *states = &shared.state[offset];
    checkAlive(*cta, request);
    if (isRead)
      checkWritten(request, states, *cluster.grid->options);
    else
      for (uint32_t i = 0; i < bytes; ++i)
        states[i] = uint8_t((states[i] & ~kGenericDirty) | kWritten);
    if (!isRead) forgetAccesses(shared, offset, bytes);
  }
  return &shared.bytes[offset];
}

std::byte *globalBytes(Cluster &cluster, uint64_t address, uint32_t bytes, bool isRead) {
  Request request{address, bytes, isRead ? AccessKind::Read : AccessKind::Write, -1, "global"};
  return accessGlobal(cluster, nullptr, request);
}

uint8_t *sharedState(Cluster &cluster, uint32_t address) {
  Cta &cta = *cluster.ctas[address >> kSharedRankShift];
  if (cta.shared.state.empty()) return nullptr;
  return &cta.shared.state[(address & ((1u << kSharedRankShift) - 1)) - kSharedBase];
}

} // namespace mxc::sim
