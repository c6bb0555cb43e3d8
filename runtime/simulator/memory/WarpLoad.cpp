#include "runtime/simulator/memory/WarpLoad.h"

#include "runtime/simulator/arithmetic/HostVectors.h"
#include "runtime/simulator/memory/ByteStates.h"
#include "runtime/simulator/memory/RecentAllocation.h"

namespace mxc::sim {

namespace {

/// Memory that all lanes are to lie in, and where their addresses stand.
struct View {
  const std::byte *bytes;
  const uint8_t *states;  // null with Checks::Off
  uint64_t size;          // of the memory
  uint64_t displacement;  // of the operand, less where the memory begins
  const std::byte *bases; // an address a lane
  uint32_t baseBytes;     // 4 or 8
};

/// 0: every byte was written, and none awaits an asynchronous operation.
template <class Word> [[gnu::always_inline]] inline Word flawsOf(const uint8_t *states) {
  constexpr Word written = everyByte<Word>(kWritten), watched = everyByte<Word>(kWritten | kAsyncWrites);
  Word word;
  __builtin_memcpy(&word, states, sizeof word);
  return (word ^ written) & watched;
}

template <class T> [[gnu::always_inline]] inline T valueAt(const std::byte *from) {
  T value;
  __builtin_memcpy(&value, from, sizeof value);
  return value;
}

/// Lanes that follow each other: `Count` elements of each to as many rows.
template <class T, uint32_t Count>
[[gnu::always_inline]] inline bool loadRun(const View &view, uint64_t first, T *const *rows) {
  constexpr uint32_t kBytes = kLanes * Count * sizeof(T);
  uint64_t flaws = 0;
  for (uint32_t i = 0; view.states && i < kBytes; i += 8)
    flaws |= flawsOf<uint64_t>(view.states + first + i);
  if (flaws) return false;
  for (uint32_t k = 0; k < Count; ++k) {
    T *__restrict row = rows[k];
    for (uint32_t lane = 0; lane < kLanes; ++lane)
      row[lane] = valueAt<T>(view.bytes + first + (lane * Count + k) * sizeof(T));
  }
  return true;
}

/// All lanes at one place.
template <class T, uint32_t Count>
[[gnu::always_inline]] inline bool loadOne(const View &view, uint64_t at, T *const *rows) {
  T flaws = 0;
  for (uint32_t k = 0; view.states && k < Count; ++k)
    flaws |= flawsOf<T>(view.states + at + k * sizeof(T));
  if (flaws) return false;
  for (uint32_t k = 0; k < Count; ++k) {
    const T value = valueAt<T>(view.bytes + at + k * sizeof(T));
    T *__restrict row = rows[k];
    for (uint32_t lane = 0; lane < kLanes; ++lane)
      row[lane] = value;
  }
  return true;
}

template <class T, uint32_t Count, class Offset>
[[gnu::always_inline]] inline bool loadAny(const View &view, const Offset *offsets, T *const *rows) {
  T flaws = 0;
  for (uint32_t lane = 0; view.states && lane < kLanes; ++lane)
    for (uint32_t k = 0; k < Count; ++k)
      flaws |= flawsOf<T>(view.states + offsets[lane] + k * sizeof(T));
  if (flaws) return false;
  for (uint32_t k = 0; k < Count; ++k) {
    T *__restrict row = rows[k];
    for (uint32_t lane = 0; lane < kLanes; ++lane)
      row[lane] = valueAt<T>(view.bytes + offsets[lane] + k * sizeof(T));
  }
  return true;
}

/// Offset: unsigned, of as many bits as addresses have (shared ones that are given in 64 lose the upper
/// half).
template <class T, uint32_t Count, class Offset, class Base>
[[gnu::always_inline]] inline bool loadFrom(const View &view, const Base *bases, std::byte *const *rowBytes) {
  constexpr Offset kBytes = Count * sizeof(T);
  const Offset displacement = Offset(view.displacement), last = Offset(view.size - kBytes),
               first = Offset(bases[0]) + displacement;
  alignas(64) Offset offsets[kLanes];
  Offset outside = 0, all = 0, fromRun = 0, fromOne = 0; // outside: its highest bit
  for (Offset lane = 0; lane < kLanes; ++lane) {
    const Offset offset = Offset(bases[lane]) + displacement;
    offsets[lane] = offset;
    outside |= offset | (last - offset);
    all |= offset;
    fromOne |= offset ^ first;
    fromRun |= (offset - lane * kBytes) ^ first;
  }
  if (outside >> (8 * sizeof(Offset) - 1) || all % kBytes || view.size < kBytes) return false;
  T *rows[Count];
  for (uint32_t k = 0; k < Count; ++k)
    rows[k] = reinterpret_cast<T *>(rowBytes[k]);
  if (!fromOne) return loadOne<T, Count>(view, first, rows);
  if (!fromRun) return loadRun<T, Count>(view, first, rows);
  return loadAny<T, Count>(view, offsets, rows);
}

template <class T, uint32_t Count>
[[gnu::always_inline]] inline bool loadFromShared(const View &view, std::byte *const *rows) {
  if (view.baseBytes == 4)
    return loadFrom<T, Count, uint32_t>(view, reinterpret_cast<const uint32_t *>(view.bases), rows);
  return loadFrom<T, Count, uint32_t>(view, reinterpret_cast<const uint64_t *>(view.bases), rows);
}
template <class T, uint32_t Count>
[[gnu::always_inline]] inline bool loadFromGlobal(const View &view, std::byte *const *rows) {
  return loadFrom<T, Count, uint64_t>(view, reinterpret_cast<const uint64_t *>(view.bases), rows);
}

// Both memories begin at multiples of every alignment, so that offsets tell it.
bool viewShared(Warp &warp, const Address &address, View &view) {
  const SharedMemory &shared = warp.cta->shared;
  const uint32_t begin = (warp.cta->rank << kSharedRankShift) + kSharedBase;
  view = {shared.bytes.data(),
          shared.state.empty() ? nullptr : shared.state.data(),
          shared.bytes.size(),
          uint64_t(address.displacement) - begin,
          warp.registers + address.base.offset,
          address.base.bytes};
  return true;
}

bool viewGlobal(Warp &warp, const Address &address, View &view) {
  if (address.base.bytes != 8) return false;
  const std::byte *bases = warp.registers + address.base.offset;
  const uint64_t first = valueAt<uint64_t>(bases) + uint64_t(address.displacement);
  Grid &grid = gridOf(warp);
  if (!warp.lastAllocation || !warp.lastAllocation->holds(first, 1)) {
    const Allocation *found = recentAllocation(grid, first, 1);
    if (!found) return false;
    warp.lastAllocation = found;
  }
  const Allocation &allocation = *warp.lastAllocation;
  if (allocation.address % 16) return false;
  view = {grid.memory->host(allocation.address),
          isChecked(warp) ? grid.memory->shadow(allocation.address) : nullptr,
          allocation.bytes,
          uint64_t(address.displacement) - allocation.address,
          bases,
          8};
  return true;
}

} // namespace

// What has a version for wide vectors calls nothing that is not written here.
#define MXC_WARP_LOAD(space, type, count)                                                                    \
  MXC_HOST_VECTORS static bool from##space##type##count(const View &view, std::byte *const *rows) {          \
    return loadFrom##space<type, count>(view, rows);                                                         \
  }                                                                                                          \
  bool load##space##type##count(Warp &warp, const Address &address, const uint32_t *rows) {                  \
    View view;                                                                                               \
    if (!view##space(warp, address, view)) return false;                                                     \
    std::byte *to[count];                                                                                    \
    for (uint32_t k = 0; k < count; ++k)                                                                     \
      to[k] = warp.registers + rows[k];                                                                      \
    return from##space##type##count(view, to);                                                               \
  }
MXC_WARP_LOADS(MXC_WARP_LOAD)
#undef MXC_WARP_LOAD

} // namespace mxc::sim
