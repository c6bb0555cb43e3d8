// The usual case is that all lanes stay in one allocation, or in their own CTA's shared memory: then the
// checks are loops without branches over the lanes. Whatever else happens goes through access(), lane by
// lane.
#include "runtime/simulator/memory/LaneAccess.h"

#include "runtime/simulator/machine/Lanes.h"
#include "runtime/simulator/memory/ByteStates.h"
#include "runtime/simulator/memory/GlobalOrder.h"
#include "runtime/simulator/memory/RecentAllocation.h"
#include "runtime/simulator/memory/SharedRaces.h"
#include "runtime/simulator/memory/Traffic.h"

namespace mxc::sim {

using ptx::Space;

namespace {

struct Query {
  uint32_t mask, bytes;
  AccessKind kind;
  bool reads() const { return kind != AccessKind::Write; }
  bool writes() const { return kind == AccessKind::Write || kind == AccessKind::Atomic; }
};

template <class T> void evaluate(const T *base, int64_t displacement, uint64_t *addresses) {
  for (int lane = 0; lane < kLanes; ++lane)
    addresses[lane] = T(base[lane] + T(displacement)); // 32-bit addresses wrap in 32 bits
}

void evaluate(Warp &warp, const Address &address, uint32_t mask, uint64_t *addresses) {
  if (address.base.bytes == 4)
    evaluate(lanes<uint32_t>(warp, address.base.offset), address.displacement, addresses);
  else
    evaluate(lanes<uint64_t>(warp, address.base.offset), address.displacement, addresses);
  if (mask == ~0u) return;
  uint64_t some = addresses[__builtin_ctz(mask)];
  for (int lane = 0; lane < kLanes; ++lane)
    addresses[lane] = mask >> lane & 1 ? addresses[lane] : some;
}

bool areAligned(const uint64_t *addresses, uint32_t bytes) {
  uint64_t bits = 0;
  for (int lane = 0; lane < kLanes; ++lane)
    bits |= addresses[lane];
  return bits % bytes == 0;
}

/// Whether all lanes lie in one allocation and may do what they ask for.
bool placeInGlobal(Warp &warp, const Query &query, LanePlaces &places) {
  if (mayPrecedeGrids(clusterOf(warp))) return false;
  GlobalMemory &memory = *gridOf(warp).memory;
  const uint64_t *addresses = places.addresses;
  const Allocation *allocation = warp.lastAllocation;
  if (!allocation || !allocation->holds(addresses[0], query.bytes)) {
    allocation = recentAllocation(gridOf(warp), addresses[0], query.bytes);
    if (!allocation) return false;
    warp.lastAllocation = allocation;
  }
  const uint64_t begin = allocation->address, last = allocation->bytes - query.bytes;
  if (allocation->isReadOnly && query.writes()) return false;
  uint64_t outside = 0; // the highest bit: of the offset, or of what it leaves of `last`
  for (int lane = 0; lane < kLanes; ++lane) {
    uint64_t offset = addresses[lane] - begin;
    outside |= offset | (last - offset);
  }
  if (outside >> 63) return false;
  for (int lane = 0; lane < kLanes; ++lane)
    places.host[lane] = memory.host(addresses[lane]);
  if (!isChecked(warp)) return true;
  if (isStrict(warp)) [[unlikely]]
    for (uint32_t left = query.mask; left; left &= left - 1) {
      const int lane = __builtin_ctz(left);
      noteGlobalAccess(warp, addresses[lane], query.bytes, query.kind, lane);
    }
  if (places.isRun && (!query.reads() || mayReadRun(memory.shadow(addresses[0]), kLanes * query.bytes))) {
    if (query.writes()) std::memset(memory.shadow(addresses[0]), memory.writtenState(), kLanes * query.bytes);
    return true;
  }
  const bool strict = isStrict(warp);
  return withWords(query.bytes, [&]<class Word, uint32_t Count>() {
    const uint8_t *shadow = memory.shadow(begin);
    bool mayDo = true;
    if (query.reads())
      for (int lane = 0; lane < kLanes; ++lane)
        mayDo &= mayRead<Word, Count>(shadow + (addresses[lane] - begin), strict);
    if (mayDo && query.writes())
      for (int lane = 0; lane < kLanes; ++lane)
        std::memset(memory.shadow(addresses[lane]), memory.writtenState(), sizeof(Word) * Count);
    return mayDo;
  });
}

/// Whether all lanes lie in the shared memory of their own CTA and may do what they ask for.
bool placeInShared(Warp &warp, const Query &query, LanePlaces &places) {
  SharedMemory &shared = warp.cta->shared;
  if (shared.bytes.size() < query.bytes) return false;
  const uint32_t begin = (warp.cta->rank << kSharedRankShift) + kSharedBase;
  const uint32_t last = uint32_t(shared.bytes.size()) - query.bytes;
  uint32_t offsets[kLanes];
  uint32_t outside = 0; // the highest bit, as above
  for (int lane = 0; lane < kLanes; ++lane) {
    offsets[lane] = sharedAddress(places.addresses[lane]) - begin;
    outside |= offsets[lane] | (last - offsets[lane]);
  }
  if (outside >> 31) return false;
  for (int lane = 0; lane < kLanes; ++lane)
    places.host[lane] = shared.bytes.data() + offsets[lane];
  if (shared.state.empty()) return true;
  if (!shared.lastWrite.empty()) [[unlikely]]
    for (uint32_t left = query.mask; left; left &= left - 1) {
      int lane = __builtin_ctz(left);
      noteAccess(warp, *warp.cta, offsets[lane], query.bytes, query.writes(), lane);
    }
  if (places.isRun) {
    uint8_t *states = &shared.state[offsets[0]];
    const uint32_t bytes = kLanes * query.bytes;
    if ((!query.reads() || mayReadRun(states, bytes)) && (!query.writes() || mayWriteRun(states, bytes))) {
      if (query.writes()) markWriteRun(states, bytes);
      return true;
    }
  }
  const bool strict = isStrict(warp);
  return withWords(query.bytes, [&]<class Word, uint32_t Count>() {
    uint8_t *states = shared.state.data();
    bool mayDo = true;
    if (query.reads())
      for (int lane = 0; lane < kLanes; ++lane)
        mayDo &= mayRead<Word, Count>(states + offsets[lane], strict);
    if (!query.writes()) return mayDo;
    for (int lane = 0; lane < kLanes; ++lane)
      mayDo &= mayWrite<Word, Count>(states + offsets[lane]);
    if (mayDo)
      for (int lane = 0; lane < kLanes; ++lane)
        markWrite<Word, Count>(states + offsets[lane]);
    return mayDo;
  });
}

bool placeInLocal(Warp &warp, const Query &query, LanePlaces &places) {
  const uint32_t size = gridOf(warp).program->localBytes;
  if (size < query.bytes || !warp.localWritten.empty()) return false;
  places.isRun = false; // every lane has its own
  bool isOutside = false;
  for (int lane = 0; lane < kLanes; ++lane) {
    uint32_t offset = uint32_t(places.addresses[lane]);
    isOutside |= offset > size - query.bytes;
    places.host[lane] = warp.local + (uint64_t(lane) * size + offset);
  }
  // Lanes that do not execute keep to their own memory too.
  return !isOutside;
}

bool areAllIn(uint64_t window, const uint64_t *addresses) {
  bool isOther = false;
  for (int lane = 0; lane < kLanes; ++lane)
    isOther |= (addresses[lane] & ~(kWindowBytes - 1)) != window;
  return !isOther;
}

bool areRun(const uint64_t *addresses, uint32_t bytes) {
  uint64_t difference = 0;
  for (int lane = 1; lane < kLanes; ++lane)
    difference |= (addresses[lane] - addresses[lane - 1]) ^ bytes;
  return difference == 0;
}

bool placeTogether(Warp &warp, Space space, const Query &query, LanePlaces &places) {
  if (!areAligned(places.addresses, query.bytes)) return false;
  if (space == Space::Generic) {
    space = spaceOf(places.addresses[0]);
    if (space == Space::Shared && !areAllIn(kSharedWindow, places.addresses)) return false;
    if (space == Space::Local && !areAllIn(kLocalWindow, places.addresses)) return false;
  }
  switch (space) {
  case Space::Global:
  case Space::Const:
    return placeInGlobal(warp, query, places);
  case Space::Shared:
    return placeInShared(warp, query, places);
  case Space::Local:
    return query.kind != AccessKind::Atomic && placeInLocal(warp, query, places);
  default:
    return false;
  }
}

} // namespace

void placeLanes(Warp &warp, const Address &address, uint32_t mask, Space space, uint32_t bytes,
                AccessKind kind, LanePlaces &places) {
  evaluate(warp, address, mask, places.addresses);
  places.isRun = mask == ~0u && areRun(places.addresses, bytes);
  places.unwritten = 0;
  if (!placeTogether(warp, space, {mask, bytes, kind}, places)) {
    places.isRun = false;
    warp.unwrittenLoads = 0;
    std::byte *some = nullptr;
    for (uint32_t left = mask; left; left &= left - 1) {
      int lane = __builtin_ctz(left);
      some = places.host[lane] = access(warp, space, places.addresses[lane], bytes, kind, lane);
    }
    for (int lane = 0; lane < kLanes; ++lane)
      if (!(mask >> lane & 1)) places.host[lane] = some;
    places.unwritten = warp.unwrittenLoads;
  }
  if (warp.statistics) [[unlikely]]
    countTraffic(warp, space, places.addresses, mask, bytes, kind);
}

} // namespace mxc::sim
