// A step of products whose instructions have 96 elements of 4 bits along K (sm_103a, mma_k = 96): 768
// elements, which eight instructions multiply.
//
//   operands  | span 0          | span 1          | span 2          |   256 elements: 128 bytes a row
//   products  |  0  |  1  |  2     |  3  |  4  |  5     |  6  |  7  |    96 elements: 48 bytes
//   scales    | 0         | 1         | 2         | 3         |         12 a row: NVFP4
//             | 0                     | 1                     |         12 a row: MXFP4
//
// A span is a stage of one ring, three tiles of scales along K are a stage of another: a span is given back
// when the third, sixth and last product have read it, and the next one is waited for there.
#pragma once

#include "compiler/lowering/product/tensormemory/TensorMemoryPlan.h"

namespace mxc {

/// What a stage of the scales' ring has along K, and how many of them a step has.
inline int wideScaleK(const ProductStep &step) { return mx::WideMmaOp::kScaleTiles * step.scaleTileK; }
inline int wideScaleStages(const ProductStep &step) { return kWideStepK / wideScaleK(step); }
static_assert(kWideStepK * 4 / 8 == mx::WideMmaOp::kInstructions * mx::WideMmaOp::kBytes);

/// The rings, which two roles fill, as far ahead of the products as each allows. Scales have their columns of
/// tensor memory.
OperandRing wideOperandRing(mx::ProductOpInterface op, const TensorMemoryPlan &plan);
OperandRing wideScaleRing(mx::ProductOpInterface op, const TensorMemoryPlan &plan);

/// The multiply role.
void emitWideMultiply(const TensorMemoryEntry &e);

} // namespace mxc
