// How much of the host's memory may be taken for what others' files and programs ask for.
#pragma once

#include <cstdint>

namespace mxc {

/// MXC_MEMORY, or half of the host's memory. Throws mxc::Error (Usage) for a value that is no number of
/// bytes.
uint64_t hostMemoryBudget();

/// What this process has in memory now; 0 where the system does not tell.
uint64_t residentBytes();

} // namespace mxc
