// The families that opcodes of several types are split into. Arithmetic.cpp chooses among them.
#pragma once

#include "runtime/simulator/decode/Table.h"

namespace mxc::sim {

extern const Table kIntegerArithmetic, kFloatArithmetic, kHalfArithmetic;

void decodeApproximate(Decoder &d, Instruction &out); // Approximate.cpp: .approx and .full of f32 and f64
void decodeFloatSign(Decoder &d, Instruction &out);   // FloatSelect.cpp: abs, neg of f32 and f64
void decodeFloatMinMax(Decoder &d, Instruction &out); // FloatSelect.cpp: min, max of f32 and f64
void decodeMixed(Decoder &d, Instruction &out);       // HalfMixed.cpp: add.f32.bf16, ..

} // namespace mxc::sim
