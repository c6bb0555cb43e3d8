// Matrices in shared memory, as a 64-bit descriptor names them (PTX ISA 9.7.15.5.1, wgmma; layouts as
// measured: both major-nesses, all swizzles, strides in either order).
#pragma once

#include "runtime/simulator/Warp.h"
#include "runtime/simulator/arithmetic/TensorDot.h"

namespace mxc::sim {

struct MatrixDescriptor {
  uint32_t start = 0;        // offset in the CTA's shared window
  uint32_t leadingBytes = 0; // LBO
  uint32_t strideBytes = 0;  // SBO
  uint32_t span = 16;        // of the swizzle: 128, 64, 32 bytes; 16: none

  /// The offset of the 16 bytes that hold chunk `chunk` (along K) of row `row`, swizzled.
  uint32_t kMajor(uint32_t row, uint32_t chunk) const;
  /// The same of chunk `chunk` along the rows (8 elements of 16 bits), at `k`.
  uint32_t rowMajor(uint32_t chunk, uint32_t k) const;

private:
  uint32_t swizzled(uint32_t offset) const;
};

/// Throws FaultError (Illegal) for reserved bits, and for a swizzled matrix's base offset, which is not
/// modelled.
MatrixDescriptor wgmmaDescriptor(uint64_t bits);

/// Reads the operand, which has been reset, from CTA `rank`: row 0 of it is row `firstRow` of the matrix.
/// isTransposed: the rows (m or n) lie one behind the other, for elements of 16 bits.
void loadMatrix(Cluster &cluster, uint32_t rank, const MatrixDescriptor &matrix, bool isTransposed,
                int firstRow, Element element, DotOperand &to);

} // namespace mxc::sim
