// What special registers hold (PTX ISA 10) that do not change while a warp runs.
#pragma once

#include <cstdint>
#include <string_view>

namespace mxc::sim {

struct Warp;

/// A special register's value for a lane of a warp whose CTA and cluster are set up.
using SpecialValue = uint64_t (*)(const Warp &, int lane);

/// "tid.x", "laneid", ..: never null. What has no meaning here (other %envreg, %pm) is 0.
SpecialValue specialValue(std::string_view name);

} // namespace mxc::sim
