// The names of what checks find, by which a user leaves one out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace mxc::sim {

enum class Finding : uint8_t {
#define FINDING(enumerator, name) enumerator,
#include "runtime/simulator/Findings.def"
};

inline constexpr size_t kFindings = 0
#define FINDING(enumerator, name) +1
#include "runtime/simulator/Findings.def"
    ;

std::string_view name(Finding finding); // "shared-race"

} // namespace mxc::sim
