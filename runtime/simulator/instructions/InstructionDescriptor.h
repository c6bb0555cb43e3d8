// The 32-bit instruction descriptor of tcgen05.mma (PTX ISA 9.7.16.4.2) and the shapes that are legal
// (9.7.16.2.1).
#pragma once

#include "runtime/simulator/arithmetic/TensorDot.h"

namespace mxc::sim {

enum class TensorKind : uint8_t { F16, TF32, F8F6F4, I8, MXF8F6F4, MXF4, MXF4NVF4 };
inline bool isBlockScaled(TensorKind kind) { return kind >= TensorKind::MXF8F6F4; }

/// What the words of the instruction say, which the descriptor must fit.
struct TensorForm {
  TensorKind kind = TensorKind::F16;
  bool isPair = false;             // cta_group::2
  bool isWeightStationary = false; // .ws
  uint32_t scalesPerRow = 0;       // as its words say, with K = 64: scale_vec::1X, 2X, 4X; 0: no block scale
};

struct InstructionDescriptor {
  Element a = Element::F16, b = Element::F16;
  Accumulator d = Accumulator::F32;
  uint32_t m = 0, n = 0, k = 0;
  bool isANegated = false, isBNegated = false;
  bool isATransposed = false, isBTransposed = false; // M- and N-major
  bool saturates = false;                            // kind::i8
  uint32_t scalesPerRow = 0;                         // with this K
  uint32_t aScaleId = 0, bScaleId = 0;               // first byte of the scale words
  ScaleType scaleType = ScaleType::UE8M0;
  uint32_t maximumShift = 0; // .ws: of the zero-column mask descriptor, in columns
};

/// Throws FaultError (Illegal): reserved bits, types that the kind lacks, a shape that is none of it or not
/// of the chip.
InstructionDescriptor decodeInstructionDescriptor(uint32_t bits, const TensorForm &form, TargetName chip);

} // namespace mxc::sim
