#include "tools/mxc/TimelineNames.h"

#include <algorithm>

namespace mxc {

/// The ring's mbarriers: the full ones of all stages, then the empty ones, if the ring has any.
static void nameBarriers(const AbiRegion &region, const std::string &ring, sim::Options &options) {
  constexpr uint32_t kMbarrierBytes = 8, kMost = 4096; // the record may be anybody's
  for (uint32_t i = 0; i < std::min(region.size / kMbarrierBytes, kMost); ++i)
    options.sharedNames.push_back(
        {ring + (i < region.stages ? " full " : " empty ") + std::to_string(i % region.stages),
         region.offset + i * kMbarrierBytes, kMbarrierBytes});
}

void nameParts(const AbiVariant &variant, sim::Options &options) {
  constexpr std::string_view kBarriers = " barriers";
  options.sharedNames.clear();
  for (const AbiRegion &region : variant.sharedRegions)
    if (region.name.ends_with(kBarriers))
      nameBarriers(region, region.name.substr(0, region.name.size() - kBarriers.size()), options);
  constexpr size_t kMostWarps = 32; // of a CTA
  options.warpNames.assign(kMostWarps, "");
  for (const AbiRole &role : variant.roles)
    for (uint32_t warp = role.firstWarp; warp < role.firstWarp + role.warps; ++warp)
      if (warp < options.warpNames.size()) options.warpNames[warp] = role.name;
}

} // namespace mxc
