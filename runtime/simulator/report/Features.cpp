#include "runtime/simulator/report/Features.h"

#include <fstream>
#include <mutex>

namespace mxc::sim {

void Features::endPhase(uint32_t mbarrier, uint32_t arrivals) {
  std::string line =
      arrivals == 1 ? "mbarrier phase of one arrival: " : "mbarrier phase of several arrivals: ";
  bool isFirst = true;
  for (const std::string &what : arrivals_[mbarrier]) {
    line += (isFirst ? "" : ", ") + what;
    isFirst = false;
  }
  arrivals_[mbarrier].clear();
  add(std::move(line));
}

std::string multipleText(uint64_t value, uint64_t most) {
  uint64_t power = 1;
  while (power < most && value % (2 * power) == 0)
    power *= 2;
  return "a multiple of " + std::to_string(power);
}

bool writeFeatures(const std::string &path, const std::set<std::string> &lines) {
  static std::mutex mutex;
  static auto *files = new std::map<std::string, std::set<std::string>>;
  std::lock_guard lock(mutex);
  std::set<std::string> &all = (*files)[path];
  all.insert(lines.begin(), lines.end());
  std::ofstream file(path, std::ios::trunc);
  for (const std::string &line : all)
    file << line << '\n';
  return bool(file << std::flush);
}

} // namespace mxc::sim
