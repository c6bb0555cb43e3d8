#include "runtime/simulator/report/Statistics.h"

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

unsigned long long wide(uint64_t count) { return count; }
double perElement(uint64_t warpInstructions, uint64_t elements) {
  return 32.0 * double(warpInstructions) / double(elements);
}

} // namespace

void Statistics::add(const Statistics &other) {
  for (const Counter &counter : kCounters)
    this->*counter.value += other.*counter.value;
  for (const auto &[opcode, count] : other.byOpcode)
    byOpcode[opcode] += count;
  for (const auto &[name, count] : other.byClass)
    byClass[name] += count;
}

std::string Statistics::text(uint64_t elements) const {
  std::string text;
  char line[128];
  auto add = [&](const char *form, auto... values) {
    std::snprintf(line, sizeof line, form, values...);
    text += line;
  };
  for (const Counter &counter : kCounters)
    add("%-26s %14llu\n", counter.name, wide(this->*counter.value));
  // What lanes ask for is counted for each of them: those that ask for the same bytes make it more than was
  // moved.
  auto moved = [&](const char *what, uint64_t useful, uint64_t sectors, const char *whyMore) {
    const double share = sectors ? 100.0 * double(useful) / (32.0 * double(sectors)) : 0;
    if (sectors) add("%-26s %13.1f%%%s\n", what, share, share > 100 ? whyMore : "");
  };
  moved("useful of loaded sectors", globalLoadBytes, globalLoadSectors, " (lanes load the same bytes)");
  moved("useful of stored sectors", globalStoreBytes, globalStoreSectors, " (lanes store to the same bytes)");
  auto table = [&](const char *title, const std::map<std::string, uint64_t> &counts) {
    add(elements ? "%-26s %14s %12s\n" : "%-26s %14s\n", title, "warps", "an element");
    for (const auto &[name, count] : counts) {
      add("  %-24s %14llu", name.c_str(), wide(count));
      if (elements) add(" %12.3f", perElement(count, elements));
      text += "\n";
    }
  };
  table("instructions by class", byClass);
  table("instructions by opcode", byOpcode);
  return text;
}

std::string Statistics::json(uint64_t elements) const {
  std::string text = "{";
  for (const Counter &counter : kCounters)
    text += "\"" + std::string(counter.name) + "\": " + std::to_string(this->*counter.value) + ", ";
  if (elements)
    text += "\"elements\": " + std::to_string(elements) +
            ", \"lane_instructions_an_element\": " + std::to_string(perElement(warpInstructions, elements)) +
            ", ";
  auto table = [&](const char *title, const std::map<std::string, uint64_t> &counts) {
    text += "\"" + std::string(title) + "\": {";
    const char *separator = "";
    for (const auto &[name, count] : counts) {
      text += separator + ("\"" + name + "\": ") + std::to_string(count);
      separator = ", ";
    }
    text += "}";
  };
  table("warp_instructions_by_class", byClass);
  text += ", ";
  table("warp_instructions_by_opcode", byOpcode);
  return text + "}\n";
}

} // namespace mxc::sim
