#include "runtime/simulator/report/TimelineStages.h"

#include <algorithm>

namespace mxc::sim {

static TimelineTrack joined(const TimelineTrack &full, const TimelineTrack &empty, uint64_t now,
                            std::string name) {
  TimelineTrack stage{TimelineTrack::Kind::Stage, full.cta, std::move(name), {}};
  uint64_t at = full.slices[0].begin;
  auto add = [&](uint64_t end, const char *what, size_t number) {
    if (end <= at) return;
    stage.slices.push_back({at, end, what + (" " + std::to_string(number)), what, "", 0});
    at = end;
  };
  for (size_t i = 0; i < full.slices.size(); ++i) {
    add(full.slices[i].end, "fill", i);
    add(i < empty.slices.size() ? empty.slices[i].end : now, "use", i);
  }
  return stage;
}

void joinStages(std::vector<TimelineTrack> &barriers, uint64_t now) {
  constexpr std::string_view kFull = " full ";
  for (TimelineTrack &track : barriers) {
    const size_t at = track.name.find(kFull);
    if (at == std::string::npos) continue;
    const std::string ring = track.name.substr(0, at), number = track.name.substr(at + kFull.size());
    auto empty = std::ranges::find_if(barriers, [&](const TimelineTrack &other) {
      return other.cta == track.cta && other.name == ring + " empty " + number;
    });
    if (empty == barriers.end()) continue;
    track = joined(track, *empty, now, ring + " " + number);
    empty->slices.clear();
  }
  std::erase_if(barriers, [](const TimelineTrack &track) { return track.slices.empty(); });
}

} // namespace mxc::sim
