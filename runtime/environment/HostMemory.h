// How much of the host's memory other people's files and programs may ask for.
#pragma once

#include <cstdint>

namespace mxc {

/// Returns $MXC_MEMORY in bytes, or half of the host's memory. Throws mxc::Error (Usage) if the value is not
/// a number of bytes.
uint64_t hostMemoryBudget();

/// Returns how many bytes this process has in memory now; 0 if the system does not tell.
uint64_t residentBytes();

} // namespace mxc
