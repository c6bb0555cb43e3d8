// Which shapes and types mma.sync has (PTX ISA 9.7.14.1, 9.7.14.5).
#pragma once

#include "runtime/simulator/arithmetic/TensorDot.h"
#include "runtime/simulator/decode/Decoder.h"
#include "runtime/simulator/instructions/MatrixFragments.h"

#include <cfenv>

namespace mxc::sim {

struct MmaForm {
  int m = 0, n = 8, k = 0;
  Element a = Element::F16, b = Element::F16;
  Accumulator accumulator = Accumulator::F32;
  Packing packing = Packing::Dense;
  bool isDouble = false;       // f64: the elements mean nothing
  int rounding = FE_TONEAREST; // of f64
  bool saturates = false, isXor = false;
  bool isGroupScaled = false; // kind::mxf4, kind::mxf4nvf4
  int scalesPerRow = 0;       // 0: not block-scaled
  ScaleType scaleType = ScaleType::UE8M0;

  int registers(int rows, Element element) const; // of A (m rows) or B (n), a lane
  int accumulatorRegisters() const;
};

/// Takes the shape, the kind, the types and what belongs to them. Fails for what the instruction or the chip
/// does not have.
MmaForm takeMmaForm(Decoder &d);

} // namespace mxc::sim
