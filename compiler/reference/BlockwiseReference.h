// Products of blocks of 128 with f32 scales on the host, to the bit (docs/semantics.md, "Blockwise
// products").
#pragma once

#include "compiler/reference/MatmulReference.h"

namespace mxc {

/// Whether a product of that operand has the bits of this file.
bool hasBlockwiseBits(const BlockFormatInfo &format);

/// c = a b^T of one batch, s.m x s.n, from element `at` of the product on.
void multiplyBlockwise(const HostFactor &a, const HostFactor &b, int64_t batch, const ProductSizes &s,
                       HostProduct &product, size_t at);

} // namespace mxc
