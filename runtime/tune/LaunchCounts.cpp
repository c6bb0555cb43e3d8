#include "runtime/tune/LaunchCounts.h"

#include <algorithm>

namespace mxc::tune {

double scoreOf(const LaunchCounts &counts, const DeviceLimits &limits) {
  const double bytesPerMicro = std::max(1.0, limits.memoryBytesPerSecond() / 1e6);
  const double issuedPerMicro = std::max(1.0, 4e-3 * limits.multiprocessors * limits.clockKilohertz);
  return 32.0 * double(counts.sectors) / bytesPerMicro +
         double(counts.instructions + counts.bankConflicts) / issuedPerMicro;
}

} // namespace mxc::tune
