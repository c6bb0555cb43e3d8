// What instructions of the tensor core and tensor copies use, for --features: lines of report/Features.h.
#pragma once

#include "runtime/simulator/async/TensorBox.h"
#include "runtime/simulator/instructions/TensorMultiply.h"

namespace mxc::sim {

/// Nothing where features are not recorded.
void noteMultiply(Warp &warp, const TensorMultiply &multiply, uint32_t instructionDescriptor);
void noteScaleCopy(Warp &warp, const std::string &shape, const SmemMatrix &source, uint32_t address);
void noteMove(Warp &warp, const Instruction &move); // tcgen05.ld, tcgen05.st
void noteWgmmaMatrix(Warp &warp, const char *operand, const SmemMatrix &matrix, bool isTransposed);
void noteBox(Warp &warp, const TensorBox &box, bool isStore, uint32_t multicast, bool isPair);

} // namespace mxc::sim
