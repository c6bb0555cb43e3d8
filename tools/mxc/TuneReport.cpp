#include "tools/mxc/TuneReport.h"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

namespace mxc {

using tune::Candidates;
using tune::ShapeTuning;
using tune::Trial;
using tune::Tuning;

template <typename... Values> static std::string formatted(const char *format, Values... values) {
  char text[256];
  std::snprintf(text, sizeof text, format, values...);
  return text;
}

static std::string marks(const Trial &trial) {
  std::string text;
  if (trial.isChosen) text += " <- chosen";
  if (trial.isUntuned) text += " (untuned)";
  if (trial.timing.wasStopped) text += " (stopped)";
  return text;
}

static std::string rowOf(const Trial &trial, const tune::Candidate &candidate, const ShapeTuning &shape,
                         bool isByCounts) {
  const std::string numbers = isByCounts
                                  ? formatted("  %10.2f %12llu %12llu %10llu", trial.score,
                                              static_cast<unsigned long long>(trial.counts.sectors),
                                              static_cast<unsigned long long>(trial.counts.instructions),
                                              static_cast<unsigned long long>(trial.counts.bankConflicts))
                                  : formatted("  %10.2f %8.0f %7.2f %%", trial.score,
                                              trial.score > 0 ? shape.bytesNeeded / trial.score / 1e3 : 0,
                                              100 * trial.timing.spread());
  return numbers + "  " + formatted("%-9s", candidate.assembler.c_str()) + "  " +
         (candidate.tile.empty() ? "no tiles" : candidate.tile) + marks(trial) + "\n";
}

static std::string tableOf(const ShapeTuning &shape, const Candidates &candidates, bool isByCounts) {
  std::string text = "\n" + (shape.dimensions.empty() ? "one shape" : tune::shapeText(shape.dimensions));
  if (!isByCounts) text += "; clocks " + shape.clocks.text();
  text += isByCounts ? "\n       score      sectors instructions  conflicts  assembler  tile\n"
                     : "\n          us     GB/s    spread  assembler  tile\n";
  std::vector<size_t> order, refused;
  for (size_t i = 0; i < shape.trials.size(); ++i)
    (shape.trials[i].refusal.empty() ? order : refused).push_back(i);
  std::ranges::sort(order, {}, [&](size_t i) { return std::pair(shape.trials[i].score, i); });
  for (size_t i : order)
    text += rowOf(shape.trials[i], candidates.all[i], shape, isByCounts);
  for (size_t i : refused)
    text += "  refused: " + candidates.all[i].assembler + "  " + candidates.all[i].tile + "\n    " +
            shape.trials[i].refusal + "\n";
  return text;
}

static std::string measureText(const Tuning &tuning) {
  return tuning.isByCounts
             ? "ranked by what the simulator counted, not by time: traffic, then instructions and conflicts"
             : "timed";
}

std::string tuningText(const Device &device, const Candidates &candidates, const Tuning &tuning) {
  std::string text = candidates.kernel + " on " + device.name() + " (" + device.model() + ", " +
                     std::to_string(device.limits().multiprocessors) + " multiprocessors), " +
                     measureText(tuning) + "\n";
  for (const ShapeTuning &shape : tuning.shapes)
    text += tableOf(shape, candidates, tuning.isByCounts);
  return text;
}

std::string tuningJson(const Device &device, const Candidates &candidates, const Tuning &tuning) {
  using Json = nlohmann::ordered_json;
  Json shapes = Json::array();
  for (const ShapeTuning &shape : tuning.shapes) {
    Json trials = Json::array();
    for (size_t i = 0; i < shape.trials.size(); ++i) {
      const Trial &trial = shape.trials[i];
      Json entry{{"tile", candidates.all[i].tile}, {"assembler", candidates.all[i].assembler}};
      if (!trial.refusal.empty()) {
        entry["refusal"] = trial.refusal;
      } else {
        entry["score"] = trial.score;
        if (tuning.isByCounts) {
          entry["sectors"] = trial.counts.sectors;
          entry["instructions"] = trial.counts.instructions;
          entry["bankConflicts"] = trial.counts.bankConflicts;
        } else {
          entry["micros"] = trial.timing.micros;
          entry["spread"] = trial.timing.spread();
          entry["wasStopped"] = trial.timing.wasStopped;
        }
        entry["isUntuned"] = trial.isUntuned;
        entry["isChosen"] = trial.isChosen;
      }
      trials.push_back(std::move(entry));
    }
    shapes.push_back({{"dimensions", shape.dimensions},
                      {"bucket", shape.bucket.text()},
                      {"bytes", shape.bytesNeeded},
                      {"clocks", tuning.isByCounts ? "" : shape.clocks.text()},
                      {"candidates", trials}});
  }
  return Json{{"kernel", candidates.kernel},
              {"device", device.model()},
              {"multiprocessors", device.limits().multiprocessors},
              {"measure", tuning.isByCounts ? "counts" : "microseconds"},
              {"shapes", shapes}}
             .dump(1, ' ', false, Json::error_handler_t::replace) +
         "\n";
}

} // namespace mxc
