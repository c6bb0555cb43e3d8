// wgmma's operands in shared memory (PTX ISA 9.7.15.5.1; layouts as measured: both major-nesses, all
// swizzles, strides in either order).
#pragma once

#include "runtime/simulator/arithmetic/TensorDot.h"
#include "runtime/simulator/instructions/SmemMatrix.h"

namespace mxc::sim {

/// Throws FaultError (Illegal) for reserved bits, and for a swizzled matrix's base offset, which is not
/// modelled.
SmemMatrix decodeWgmmaDescriptor(uint64_t bits);

/// Reads the operand, which has been reset, from CTA `rank`: row 0 of it is row `firstRow` of the matrix.
/// isTransposed: the rows (m or n) lie one after the other, for elements of 16 bits.
void loadMatrix(Cluster &cluster, uint32_t rank, const SmemMatrix &matrix, bool isTransposed, int firstRow,
                Element element, DotOperand &to);

} // namespace mxc::sim
