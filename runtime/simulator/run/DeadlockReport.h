// What is said when nothing in a cluster can go on.
#pragma once

#include "runtime/simulator/machine/Warp.h"

namespace mxc::sim {

/// Who waits, at which line, for what, and what that still lacks; and the asynchronous operations that are
/// outstanding. The fault's place is that of the most telling waiter: of an mbarrier whose phase has begun,
/// rather than of one that nobody has touched, or of a barrier of threads. Divergence instead of Deadlock:
/// lanes of one warp wait for each other at different .aligned instructions.
Fault deadlockOf(Cluster &cluster);

} // namespace mxc::sim
