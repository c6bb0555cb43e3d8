#include "runtime/simulator/report/Timeline.h"

#include "runtime/simulator/report/Fault.h"
#include "runtime/simulator/report/TimelineStages.h"

#include <algorithm>

namespace mxc::sim {

static constexpr uint32_t kRankShift = 24; // of a shared address, as in machine/Program.h

/// "tcgen05.mma", "load 2d at {0, 128}", "cp.async.bulk".
static std::string shortName(const std::string &description) {
  constexpr std::string_view kTensorCopy = "cp.async.bulk.tensor.";
  if (description.starts_with(kTensorCopy)) {
    size_t at = description.find(" at {");
    std::string_view rank = std::string_view(description).substr(kTensorCopy.size(), 2);
    bool isStore = description.find(".global.shared::cta") != std::string::npos;
    return std::string(isStore ? "store " : "load ") + std::string(rank) +
           (at == std::string::npos ? "" : description.substr(at + 3));
  }
  size_t end = description.find_first_of(". ");
  size_t words = description.starts_with("cp.") ? 3 : 2;
  for (size_t word = 1; word < words && end != std::string::npos && description[end] == '.'; ++word)
    end = description.find_first_of(". ", end + 1);
  return description.substr(0, end);
}

static std::string groupOf(const std::string &description) {
  if (description.starts_with("tcgen05") || description.starts_with("wgmma")) return "tensor core";
  return description.find(".global.shared::cta") != std::string::npos ? "copies out" : "copies in";
}

Timeline::Timeline(uint32_t ctas, uint32_t warps, uint32_t base, const std::vector<NamedRange> &names,
                   const std::vector<std::string> &warpNames, std::atomic<int64_t> &room,
                   TimelineWindow window)
    : room_(room), window_(window), warps_(warps), base_(base), names_(names), states_(size_t(ctas) * warps) {
  for (uint32_t i = 0; i < ctas * warps; ++i) {
    TimelineTrack &track = states_[i].track;
    track.cta = i / warps, track.name = "warp " + std::to_string(i % warps);
    if (i % warps < warpNames.size() && !warpNames[i % warps].empty())
      track.name += ": " + warpNames[i % warps];
  }
}

bool Timeline::takeRoom() {
  isCut_ = isCut_ || now_ >= window_.to || room_.fetch_sub(1, std::memory_order_relaxed) <= 0;
  return !isCut_;
}

void Timeline::endSlice(WarpState &warp) {
  if (warp.track.slices.empty() || (!warp.isWaiting && !warp.instructions)) return;
  TimelineTrack::Slice &slice = warp.track.slices.back();
  if (warp.isWaiting) {
    slice.end = now_;
    if (slice.begin == slice.end) { // tried in vain, and went on elsewhere
      warp.track.slices.pop_back();
      warp.isWaiting = false;
      return;
    }
  } else {
    slice.end = warp.last + 1;
    std::ranges::sort(warp.telling, [](const auto &a, const auto &b) {
      return a.second != b.second ? a.second > b.second : a.first < b.first;
    });
    for (size_t i = 0; i < warp.telling.size() && i < 3; ++i)
      slice.name += (i ? ", " : "") + warp.telling[i].first +
                    (warp.telling[i].second > 1 ? " x" + std::to_string(warp.telling[i].second) : "");
    if (slice.name.empty()) slice.name = "other";
    slice.detail = std::to_string(warp.instructions) + " instructions";
  }
  if (!warp.track.slices.empty() && isEarly(warp.track.slices.back())) {
    warp.track.slices.pop_back();
    giveRoomBack();
  }
  warp.isWaiting = false, warp.instructions = 0, warp.telling.clear();
}

void Timeline::execute(uint32_t cta, uint32_t index, std::string_view opcode, bool isTelling, uint32_t line) {
  WarpState &warp = states_[cta * warps_ + index];
  if (isCut_ || (isCut_ = now_ >= window_.to)) return;
  if (warp.isWaiting || warp.last + 1 != now_ || !warp.instructions) {
    if (!takeRoom()) return;
    endSlice(warp);
    warp.track.slices.push_back({now_, now_, "", "run", "", line});
  }
  if (isTelling) {
    auto known = std::ranges::find(warp.telling, opcode, &std::pair<std::string, int>::first);
    if (known == warp.telling.end()) known = warp.telling.insert(known, {std::string(opcode), 0});
    ++known->second;
  }
  ++warp.instructions;
  warp.last = now_++;
}

void Timeline::wait(uint32_t cta, uint32_t index, const std::string &what, uint32_t line) {
  WarpState &warp = states_[cta * warps_ + index];
  if (warp.isWaiting && warp.track.slices.back().name == what) return;
  if (!takeRoom()) return;
  endSlice(warp);
  warp.isWaiting = true;
  warp.track.slices.push_back({now_, now_, what, "wait", "", line});
}

size_t Timeline::issue(uint32_t cta, const std::string &description, uint32_t line) {
  if (!takeRoom()) return 0;
  Operation operation{
      cta, groupOf(description), {now_, now_, shortName(description), "operation", description, line}};
  operation.order = ++issued_;
  if (free_.empty()) {
    operations_.push_back(std::move(operation));
    return operations_.size();
  }
  const size_t number = free_.back();
  free_.pop_back();
  operations_[number - 1] = std::move(operation);
  return number;
}

void Timeline::complete(size_t number) {
  if (!number) return;
  Operation &operation = operations_[number - 1];
  operation.isDone = true;
  operation.slice.end = std::max(operation.slice.begin + 1, now_);
  if (!isEarly(operation.slice)) return;
  operation.slice.end = 0;
  free_.push_back(number);
  giveRoomBack();
}

std::string Timeline::nameOf(uint32_t address) const {
  uint32_t offset = (address & ((1u << kRankShift) - 1)) - base_;
  for (const NamedRange &range : names_)
    if (offset - range.offset < range.bytes) return range.name;
  return "mbarrier " + hexadecimal(address & ((1u << kRankShift) - 1));
}

void Timeline::beginPhases(uint32_t barrier) {
  Phases &phases = barriers_[barrier];
  phases.begin = now_;
  phases.track.kind = TimelineTrack::Kind::Barrier;
  phases.track.cta = barrier >> kRankShift, phases.track.name = nameOf(barrier);
}

void Timeline::endPhase(uint32_t barrier, bool parity) {
  auto found = barriers_.find(barrier);
  if (found == barriers_.end() || !takeRoom()) return;
  Phases &phases = found->second;
  phases.track.slices.push_back({phases.begin, std::max(phases.begin + 1, now_),
                                 "phase " + std::to_string(phases.count++), "phase",
                                 "parity " + std::to_string(parity), 0});
  phases.begin = phases.track.slices.back().end;
  if (!isEarly(phases.track.slices.back())) return;
  phases.track.slices.pop_back();
  giveRoomBack();
}

std::vector<TimelineTrack> Timeline::tracks() {
  std::vector<TimelineTrack> all;
  for (WarpState &warp : states_) {
    endSlice(warp);
    all.push_back(std::move(warp.track));
  }
  std::vector<TimelineTrack> barriers;
  for (auto &[address, phases] : barriers_)
    if (!phases.track.slices.empty()) barriers.push_back(std::move(phases.track));
  joinStages(barriers, now_);
  std::ranges::move(barriers, std::back_inserter(all));
  // Operations of a kind overlap: each goes to the first row that is free.
  const size_t firstRow = all.size();
  std::erase_if(operations_,
                [](const Operation &operation) { return operation.isDone && !operation.slice.end; });
  std::ranges::sort(operations_, {}, &Operation::order);
  for (Operation &operation : operations_) {
    if (!operation.isDone) operation.slice.end = std::max(operation.slice.begin + 1, now_);
    uint32_t number = 0;
    size_t row = firstRow;
    for (; row < all.size(); ++row) {
      if (all[row].cta != operation.cta || !all[row].name.starts_with(operation.group)) continue;
      if (all[row].slices.back().end <= operation.slice.begin) break;
      ++number;
    }
    if (row == all.size())
      all.push_back({TimelineTrack::Kind::Operations,
                     operation.cta,
                     operation.group + " " + std::to_string(number),
                     {}});
    all[row].slices.push_back(std::move(operation.slice));
  }
  auto place = [](const TimelineTrack &track) { // rows of a group together
    size_t space = track.name.rfind(' ');
    return std::pair(track.name.substr(0, space), std::stoi(track.name.substr(space)));
  };
  std::ranges::sort(all.begin() + long(firstRow), all.end(),
                    [&](const auto &a, const auto &b) { return place(a) < place(b); });
  return all;
}

} // namespace mxc::sim
