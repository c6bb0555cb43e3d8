// What ld, st, atom and red say besides operation and type: state space, order, scope, cache hints (PTX
// ISA 9.7.9).
#pragma once

#include "runtime/simulator/decode/Decoder.h"

namespace mxc::sim {

struct AccessWords {
  ptx::Space space = ptx::Space::Generic;
  bool isAcquire = false, isRelease = false;
  bool isStrong = false;     // volatile or ordered: may look for what other threads write
  bool hasCacheHint = false; // one more operand, the last, of 64 bits
};

/// Takes them all from the decoder. Hints about caches do not change results and are dropped.
AccessWords takeAccessWords(Decoder &d);

/// The element count of .v2, .v4 or .v8; 1 if there is none.
uint32_t takeVectorLength(Decoder &d);

/// The elements of a vector operand, or the operand itself; fails if they are not `count`.
std::vector<const ptx::Operand *> elementsOf(Decoder &d, const ptx::Operand &operand, uint32_t count);

/// Fails if there are other than `count` operands besides the cache hint's.
void requireOperands(Decoder &d, const AccessWords &words, size_t count);

} // namespace mxc::sim
