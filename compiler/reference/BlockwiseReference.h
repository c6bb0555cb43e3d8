// Products of blocks of 128 with f32 scales on the host, to the bit (docs/semantics/blockwise.md).
#pragma once

#include "compiler/reference/MatmulReference.h"

namespace mxc {

/// Whether a product of that operand has the bits of this file.
bool hasBlockwiseBits(const BlockFormatInfo &format);

/// What one product has of an operand.
struct FactorPart {
  const HostFactor &factor;
  int64_t row = 0;       // the first one's number, of all batches
  int64_t batch = 0;     // whose scales are theirs
  int64_t scaleRow = 0;  // where among them the first row's are
  int64_t scaleRows = 0; // rows that these scales are of
  int64_t column = 0;    // the first element along K, at which a block begins
};

/// c = a b^T, s.m x s.n and s.k elements along K, from element `at` of the product on.
void multiplyBlockwise(const FactorPart &a, const FactorPart &b, const ProductSizes &s, HostProduct &product,
                       size_t at);

} // namespace mxc
