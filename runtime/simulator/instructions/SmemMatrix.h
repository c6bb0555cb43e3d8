// A matrix in shared memory as a 64-bit descriptor names it, tcgen05's (PTX ISA 9.7.16.4.1) or wgmma's
// (WgmmaMatrix.h), in its canonical layouts (9.7.16.3).
//
// Everything moves in chunks of 16 bytes: of a K-major matrix a chunk is 16 bytes along K of one row (m or
// n), of an MN-major one 16 bytes along the rows at one k. Bytes of 16 elements of 4 or 6 bits (kind::f8f6f4)
// are one chunk too, with padding.
#pragma once

#include "runtime/simulator/machine/Warp.h"

namespace mxc::sim {

struct SmemMatrix {
  uint32_t start = 0;        // offset in the CTA's shared window, the same in both CTAs of a pair
  uint32_t leadingBytes = 0; // LBO
  uint32_t strideBytes = 0;  // SBO
  uint32_t span = 16;        // of the swizzle: 128, 64, 32 bytes; 16: none
  bool isAtom32 = false;     // 128-byte swizzle of 32-byte pieces; tcgen05 alone
  bool isAbsolute = false; // leadingBytes is an offset as `start` is: what goes beyond the 128 bytes of a row
                           // begins there; K-major alone

  /// The offset of a chunk, swizzled: K-major by row and 16 bytes of K, MN-major by 16 bytes of rows and k.
  uint32_t kMajor(uint32_t row, uint32_t chunk) const;
  uint32_t rowMajor(uint32_t chunk, uint32_t k) const;

  /// f(offset) of every chunk of `rows` rows and `k` of K, `perChunk` elements a chunk. isTransposed:
  /// MN-major.
  template <class F>
  void forChunks(bool isTransposed, uint32_t firstRow, uint32_t rows, uint32_t k, uint32_t perChunk,
                 F f) const {
    if (isTransposed)
      for (uint32_t chunk = firstRow / perChunk; chunk * perChunk < firstRow + rows; ++chunk)
        for (uint32_t at = 0; at < k; ++at)
          f(rowMajor(chunk, at));
    else
      for (uint32_t row = firstRow; row < firstRow + rows; ++row)
        for (uint32_t chunk = 0; chunk * perChunk < k; ++chunk)
          f(kMajor(row, chunk));
  }

private:
  uint32_t swizzled(uint32_t offset) const;
};

/// tcgen05's. Throws FaultError (Illegal): reserved bits, no such swizzle, an absolute leading dimension
/// without the 128-byte one, and what is not modelled: a base offset of a swizzled matrix.
SmemMatrix decodeMatrixDescriptor(uint64_t bits);

/// The host's bytes of a chunk in a CTA's shared memory. The range has been checked by requireChunk.
const uint8_t *chunkBytes(const Cta &cta, uint32_t offset);

/// A chunk that an operation is about to read. Throws FaultError: OutOfBounds; Unfinished, where a copy has
/// yet to write it; in Strict Unwritten and ProxyOrder. (Tiles may hang over what was filled: their rows of
/// the result are not used.)
void requireChunk(Warp &warp, const Cta &cta, uint32_t offset, const char *operand, int lane);

/// Counts the operations that have yet to read a chunk, so that a write to it is seen. For checked and
/// deferred runs.
void holdChunk(Cta &cta, uint32_t offset);
void dropChunk(Cta &cta, uint32_t offset);

} // namespace mxc::sim
