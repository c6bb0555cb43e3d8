// Reads a converted checkpoint again and compares it with what it was made from.
#pragma once

#include "runtime/checkpoint/Conversion.h"
#include "runtime/checkpoint/ConversionPlan.h"

namespace mxc {

struct ConversionCheck {
  uint64_t weights = 0, tensors = 0; // that changed; that stayed
  uint64_t bytes = 0;                // compared
  double largestError = 0;           // of an element, as a part of its bound; 0 back in bf16
};

/// The largest difference that quantizing may make of a value `x` that reads back in a block of scale `scale`
/// (with the tensor's scale `tensorScale` in it): half a step of the element format at x, or between its
/// smallest numbers; and under a tensor scale the largest element times half a step between the smallest
/// scales, by which a block's scale may be too small.
double quantizationBound(double x, double scale, double tensorScale, BlockFormat format);

/// Opens `output` as a reader does. Throws mxc::Error (InvalidInput), which says where, unless codes, scales
/// and bf16 are byte for byte what the host makes of `checkpoint`, each element that was quantized reads back
/// within its bound, and all other tensors have the bytes that they had.
ConversionCheck checkConversion(const Checkpoint &checkpoint, const ConversionPlan &plan,
                                const std::string &output, const ConversionOptions &options);

} // namespace mxc
