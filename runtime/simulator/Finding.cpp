#include "runtime/simulator/Finding.h"

namespace mxc::sim {

std::string_view name(Finding finding) {
  static constexpr std::string_view names[] = {
#define FINDING(enumerator, name) name,
#include "runtime/simulator/Findings.def"
  };
  return names[size_t(finding)];
}

} // namespace mxc::sim
