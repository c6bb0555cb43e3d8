// ld.shared and ld.global of a whole warp: one pass over the lanes in vectors of the host, straight into the
// registers. Whatever is out of the ordinary goes by LaneAccess.h.
#pragma once

#include "runtime/simulator/machine/Warp.h"

namespace mxc::sim {

/// What all lanes find at base + displacement goes to the rows, element by element. False, and nothing has
/// happened: a lane lies elsewhere than in the CTA's own shared memory or in one allocation, is not aligned,
/// or may not read its bytes for sure.
using WarpLoad = bool (*)(Warp &warp, const Address &address, const uint32_t *rows);

/// Whether a warp may go that way: all lanes execute, nobody counts, nobody looks for races.
inline bool mayLoadWarp(const Warp &warp) {
  return warp.mask == ~0u && !warp.statistics && warp.written.empty();
}

/// Calls f.template operator()<load>() with the way for `count` elements a lane of that many bytes. False:
/// there is none.
template <class F> bool withWarpLoad(ptx::Space space, uint32_t elementBytes, uint32_t count, F f);

#define MXC_WARP_LOADS(load)                                                                                 \
  load(Shared, uint16_t, 1) load(Shared, uint32_t, 1) load(Shared, uint32_t, 2) load(Shared, uint32_t, 4)    \
      load(Shared, uint64_t, 1) load(Shared, uint64_t, 2) load(Global, uint16_t, 1)                          \
          load(Global, uint32_t, 1) load(Global, uint32_t, 2) load(Global, uint32_t, 4)                      \
              load(Global, uint64_t, 1) load(Global, uint64_t, 2)

#define MXC_WARP_LOAD(space, type, count)                                                                    \
  bool load##space##type##count(Warp &warp, const Address &address, const uint32_t *rows);
MXC_WARP_LOADS(MXC_WARP_LOAD)
#undef MXC_WARP_LOAD

template <class F> bool withWarpLoad(ptx::Space memory, uint32_t elementBytes, uint32_t elements, F f) {
#define MXC_WARP_LOAD(space, type, count)                                                                    \
  if (memory == ptx::Space::space && elementBytes == sizeof(type) && elements == count)                      \
    return f.template operator()<load##space##type##count>(), true;
  MXC_WARP_LOADS(MXC_WARP_LOAD)
#undef MXC_WARP_LOAD
  return false;
}

} // namespace mxc::sim
