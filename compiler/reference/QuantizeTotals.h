// What mx.quantize gives of the matrix as a whole: the largest magnitude and the sums of columns.
#pragma once

#include "compiler/reference/OperationReference.h"
#include "compiler/reference/QuantizeTolerance.h"

namespace mxc {

/// Makes the outputs that the kernel has: largest magnitudes of the values of `copies`, one for all of them
/// or one each, and sums of run.result.values of `columns` columns, every group of which begins at a multiple
/// of 128 rows. Sums are taken as the kernel takes them: from +0, 32 rows in order; the four blocks of 128
/// rows; those in order, from +0.
void quantizeTotals(ReferenceRun &run, std::span<const ToleratedCopy> copies, int64_t columns);

/// How far each element of the totals may lie from the reference after an inexact prologue: by the output's
/// name.
std::map<std::string, std::vector<double>>
totalBounds(const ReferenceRun &run, std::span<const ToleratedCopy> copies, int64_t columns);

} // namespace mxc
