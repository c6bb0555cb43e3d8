// Quantization on the host: what mx.quantize and products whose results are quantized share.
#pragma once

#include "compiler/reference/GroupedReference.h"
#include "compiler/reference/QuantizeTolerance.h"

namespace mxc {

/// The rule that the operation's attributes say, of that format. Throws mxc::Error (InvalidInput) where one
/// is missing or unknown.
QuantizeRule ruleOf(const ReferenceRun &run, std::optional<BlockFormat> format);

/// What the operation says that the number for the tensor is.
TensorSense tensorSenseOf(const ReferenceRun &run);

/// The scale of the whole tensor that mx.dequantize and mx.requantize multiply by, of the number that is
/// given.
float givenTensorScale(const ReferenceRun &run, BlockFormat format);

/// Writes one copy of `values`, which lie as `groups` places them: `data` and its scales.
ToleratedCopy quantizeCopy(ReferenceRun &run, const QuantizedValues &values, const GroupedReference &groups,
                           CopyShape shape, const AbiArgument &data);

} // namespace mxc
