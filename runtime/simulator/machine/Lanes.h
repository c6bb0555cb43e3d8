// Loops over the lanes of a warp, in a form that the compiler vectorizes.
#pragma once

#include "runtime/simulator/arithmetic/IndependentIterations.h"
#include "runtime/simulator/machine/Warp.h"

namespace mxc::sim {

struct Bits128 { // a lane of .b128
  uint64_t low, high;
};

template <class T> inline T *lanes(Warp &warp, uint32_t row) {
  return reinterpret_cast<T *>(warp.registers + row);
}
inline uint32_t &predicate(Warp &warp, uint32_t row) {
  return *reinterpret_cast<uint32_t *>(warp.registers + row);
}

/// d[lane] = f(lane) for the executing lanes. f is called for all lanes and must not fault.
template <class T, class F> inline void forLanes(Warp &warp, uint32_t row, F f) {
  T *d = lanes<T>(warp, row);
  uint32_t mask = warp.mask;
  if (mask == ~0u) {
    MXC_INDEPENDENT
    for (int lane = 0; lane < kLanes; ++lane)
      d[lane] = f(lane);
    return;
  }
  T values[kLanes];
  for (int lane = 0; lane < kLanes; ++lane)
    values[lane] = f(lane);
  for (int lane = 0; lane < kLanes; ++lane)
    if (mask >> lane & 1) d[lane] = values[lane];
}

/// The lanes for which f holds, as bits. f is called for all lanes and must not fault.
template <class F> inline uint32_t laneMask(F f) {
  uint8_t holds[kLanes];
  for (int lane = 0; lane < kLanes; ++lane)
    holds[lane] = bool(f(lane));
  uint32_t bits = 0;
  for (int k = 0; k < kLanes / 8; ++k) { // the product brings bit 0 of byte i to bit 56 + i
    uint64_t eight;
    __builtin_memcpy(&eight, holds + 8 * k, 8);
    bits |= uint32_t(eight * 0x0102040810204080 >> 56) << 8 * k;
  }
  return bits;
}

/// The predicate p[lane] = f(lane) for the executing lanes.
template <class F> inline void forPredicate(Warp &warp, uint32_t row, F f) {
  uint32_t bits = laneMask(f);
  uint32_t &p = predicate(warp, row);
  p = (p & ~warp.mask) | (bits & warp.mask);
}

/// For every executing lane, in order; f may fault.
template <class F> inline void forEachLane(const Warp &warp, F f) {
  for (uint32_t mask = warp.mask; mask; mask &= mask - 1)
    f(__builtin_ctz(mask));
}

/// A lane of a row of `bytes` (1, 2, 4 or 8), zero-extended; and the write of its low bytes.
inline uint64_t laneBits(Warp &warp, Row row, int lane) {
  const std::byte *at = warp.registers + row.offset + uint32_t(lane) * row.bytes;
  uint64_t bits = 0;
  __builtin_memcpy(&bits, at, row.bytes < 8 ? row.bytes : 8);
  return bits;
}
inline void setLaneBits(Warp &warp, Row row, int lane, uint64_t bits) {
  __builtin_memcpy(warp.registers + row.offset + uint32_t(lane) * row.bytes, &bits,
                   row.bytes < 8 ? row.bytes : 8);
}

/// base + displacement of a lane. 32-bit bases wrap in 32 bits.
inline uint64_t addressOf(Warp &warp, const Address &address, int lane) {
  uint64_t base = laneBits(warp, address.base, lane) + uint64_t(address.displacement);
  return address.base.bytes == 4 ? uint32_t(base) : base;
}

} // namespace mxc::sim
