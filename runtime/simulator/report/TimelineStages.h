// The stages of rings in a timeline: when each is being filled and when it is in use.
#pragma once

#include "runtime/simulator/report/Timeline.h"

namespace mxc::sim {

/// Two rows of a CTA that are called "R full N" and "R empty N" become one, "R N": until a phase of the full
/// mbarrier ends the stage is being filled, from then on until one of the empty mbarrier does it is in use,
/// at the latest until `now`.
void joinStages(std::vector<TimelineTrack> &barriers, uint64_t now);

} // namespace mxc::sim
