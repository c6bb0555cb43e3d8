// The outcome of --verify as text.
#pragma once

#include "compiler/reference/OutputComparison.h"

namespace mxc {

/// "verified: q 1,048,576 bytes, s 32,768 bytes identical", or within the reference's tolerance and how many
/// differed.
/// Throws mxc::Error (InvalidInput) with the counts and the first differences if anything is wrong.
std::string verificationReport(const std::vector<OutputComparison> &outputs,
                               const std::optional<ToleranceRule> &tolerance);

} // namespace mxc
