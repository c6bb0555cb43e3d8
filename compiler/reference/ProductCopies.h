// Results of products that are quantized, on the host.
#pragma once

#include "compiler/reference/MatmulReference.h"
#include "compiler/reference/MatmulTolerance.h"
#include "compiler/reference/QuantizeTolerance.h"

namespace mxc {

/// The results in the order of the values that the region yields: matrices, and codes.
std::vector<const AbiArgument *> productResults(const ReferenceRun &run);

/// Writes the codes and scales of one.
ToleratedCopy quantizeResult(ReferenceRun &run, const ProductSizes &s, const MatmulBound &bound,
                             const AbiArgument &codes);

/// Matrices within the bounds of products, codes and scales of values within them.
ToleranceRule productTolerance(std::vector<MatmulOutput> outputs, std::vector<ToleratedCopy> copies);

} // namespace mxc
