#include "runtime/simulator/Statistics.h"

#include <cstdio>

namespace mxc::sim {

namespace {

struct Counter {
  const char *name;
  uint64_t Statistics::*value;
};
constexpr Counter kCounters[] = {
    {"warp_instructions", &Statistics::warpInstructions},
    {"lane_instructions", &Statistics::laneInstructions},
    {"global_load_bytes", &Statistics::globalLoadBytes},
    {"global_store_bytes", &Statistics::globalStoreBytes},
    {"global_load_sectors", &Statistics::globalLoadSectors},
    {"global_store_sectors", &Statistics::globalStoreSectors},
    {"shared_load_bytes", &Statistics::sharedLoadBytes},
    {"shared_store_bytes", &Statistics::sharedStoreBytes},
    {"shared_wavefronts", &Statistics::sharedWavefronts},
    {"shared_ideal_wavefronts", &Statistics::sharedIdealWavefronts},
    {"bulk_load_bytes", &Statistics::bulkLoadBytes},
    {"bulk_store_bytes", &Statistics::bulkStoreBytes},
    {"tensor_multiply_adds", &Statistics::tensorOperations},
    {"barrier_waits", &Statistics::barrierWaits},
};

} // namespace

void Statistics::add(const Statistics &other) {
  for (const Counter &counter : kCounters)
    this->*counter.value += other.*counter.value;
  for (const auto &[opcode, count] : other.byOpcode)
    byOpcode[opcode] += count;
}

std::string Statistics::text() const {
  std::string text;
  char line[128];
  for (const Counter &counter : kCounters) {
    std::snprintf(line, sizeof line, "%-26s %14llu\n", counter.name,
                  static_cast<unsigned long long>(this->*counter.value));
    text += line;
  }
  auto moved = [&](const char *what, uint64_t useful, uint64_t sectors) {
    if (!sectors) return;
    std::snprintf(line, sizeof line, "%-26s %13.1f%%\n", what,
                  100.0 * double(useful) / (32.0 * double(sectors)));
    text += line;
  };
  moved("useful of loaded sectors", globalLoadBytes, globalLoadSectors);
  moved("useful of stored sectors", globalStoreBytes, globalStoreSectors);
  for (const auto &[opcode, count] : byOpcode) {
    std::snprintf(line, sizeof line, "  %-24s %14llu\n", opcode.c_str(),
                  static_cast<unsigned long long>(count));
    text += line;
  }
  return text;
}

std::string Statistics::json() const {
  std::string text = "{";
  for (const Counter &counter : kCounters)
    text += "\"" + std::string(counter.name) + "\": " + std::to_string(this->*counter.value) + ", ";
  text += "\"warp_instructions_by_opcode\": {";
  const char *separator = "";
  for (const auto &[opcode, count] : byOpcode) {
    text += separator + ("\"" + opcode + "\": ") + std::to_string(count);
    separator = ", ";
  }
  return text + "}}\n";
}

} // namespace mxc::sim
