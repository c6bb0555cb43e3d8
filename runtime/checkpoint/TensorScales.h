// The scales of tensors that a conversion writes or reads.
#pragma once

#include "dialect/formats/Reference.h"
#include "runtime/checkpoint/ConversionPlan.h"

#include <functional>

namespace mxc {

/// By module, of all weights of the plan: back to bf16, those that the checkpoint says; to a format that has
/// them, those of the weights' largest magnitudes, one for weights that are multiplied as one
/// (plan.scaleSets); else 1. `done` is called with each part of a tensor that was read. Throws mxc::Error
/// (InvalidInput) as tensorScaleOf, tensorScaleFor and largestMagnitude do.
std::map<std::string, TensorScaleValue>
tensorScales(const Checkpoint &checkpoint, const ConversionPlan &plan, int64_t slabElements,
             const std::function<void(const std::string &, std::span<const std::byte>)> &done);

/// Of some rows of a matrix of floats that `format` is to hold, the first of them `firstRow`. Throws
/// mxc::Error (InvalidInput), prefixed with `file`, with the place of the first element that is NaN or
/// infinite, which would leave nothing of the other elements of its block, or that would read back as an
/// infinity.
float largestMagnitude(const Tensor &tensor, FloatType type, BlockFormat format, int64_t firstRow,
                       std::span<const std::byte> rows, const std::string &file);

} // namespace mxc
