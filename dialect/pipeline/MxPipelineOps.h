// Tile level of kernels whose roles hand stages to each other.
#pragma once

#include "dialect/attributes/MxAttributes.h"

#define GET_OP_CLASSES
#include "dialect/MxPipelineOps.h.inc"

namespace mxc::mx {

/// Whether 16 elements of an operand take 16 bytes of shared memory for instructions of `kind`, their codes
/// packed at the beginning: those below 8 bits, but for the kinds that have 4 bits alone (PTX ISA, "Packing
/// formats of elements in shared memory").
bool isPadded(BlockMmaKind kind, ElementFormat element);

/// Who completes a barrier of a ring: what a body of mx.fill or mx.use does with the ring says it.
enum class Engine { Copies, Rows, Pieces, TensorCore, Warpgroups, Threads };
/// Failure where a body has several, on the ring that it fills or uses.
mlir::FailureOr<Engine> engineOf(FillOp fill);
mlir::FailureOr<Engine> engineOf(UseOp use);

} // namespace mxc::mx
