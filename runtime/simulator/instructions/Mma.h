// Matrix multiply-accumulate of a warp, as mma.sync and wmma.mma have it.
#pragma once

#include "runtime/simulator/instructions/MmaShapes.h"

namespace mxc::sim {

struct BlockScale {
  uint32_t data = 0, byte = 0, thread = 0; // rows; the last two of 16 bits
};

struct Mma : InstructionData {
  MmaForm form;
  DotModel model;
  std::vector<uint32_t> d, a, b, c;      // rows of registers
  bool isHalfD = false, isHalfC = false; // two f16 a register; else 32 bits
  BlockScale scaleA, scaleB;
};

/// d = a * b + c of a whole warp; of f64 if the form says so.
Handler multiplyHandler(const MmaForm &form);

/// The registers of a matrix: a vector, or one alone. Fails if there are other than `expected`.
std::vector<const ptx::Operand *> registersOf(Decoder &d, size_t index, int expected);

} // namespace mxc::sim
