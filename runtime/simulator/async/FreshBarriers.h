// Checks::Strict: mbarriers whose initialization others may not see yet (PTX ISA 9.7.13.4,
// fence.mbarrier_init; 9.7.9.25 for the async proxy).
#pragma once

#include "runtime/simulator/machine/Warp.h"

namespace mxc::sim {

void noteInitialized(Warp &warp, uint32_t address);
/// fence.mbarrier_init by this warp; of a proxy fence, which orders what came before it for all, those of the
/// CTA.
void publishOwnBarriers(Warp &warp);
void publishBarriers(Cta &cta);
/// A release at cluster scope: enough for threads of other CTAs, not for the async proxy.
void releaseBarriers(Warp &warp);

/// Throws FaultError: ProxyOrder, if the async proxy is to use a barrier without a fence after its init;
/// Race, if another CTA's thread does without a release either.
void requirePublished(Warp &warp, uint32_t address, bool isAsync, int lane);

} // namespace mxc::sim
