// When the lanes of a warp gave away what they had done, by memory/LaneMeetings.h. Times are the warp's
// numbers in AccessOrder::given.
#pragma once

#include "runtime/simulator/machine/Program.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace mxc::sim {

class Meetings {
public:
  /// Lanes have given away what they did before that time, which is no earlier than the one noted last.
  void note(uint32_t lanes, uint32_t time) {
    uint32_t news = 0;
    for (uint32_t left = lanes; left; left &= left - 1) {
      uint32_t &last = last_[size_t(__builtin_ctz(left))];
      if (last != time) news |= left & -left;
      last = time;
    }
    if (!news) return;
    if (!past_.empty() && past_.back().time == time)
      past_.back().lanes |= news;
    else
      past_.push_back({time, news});
    if (past_.size() <= 2 * kKept) return;
    forgotten_ = past_[kKept - 1].time;
    past_.erase(past_.begin(), past_.begin() + kKept);
  }

  /// Whether a lane has given away what it did at that time, by now.
  bool hasGiven(int lane, uint32_t time) const { return last_[size_t(lane)] > time; }

  /// .. and had by the time `told`. True of what is too long ago to be known.
  bool hadGiven(int lane, uint32_t time, uint32_t told) const {
    const uint32_t last = last_[size_t(lane)];
    if (last <= time) return false;
    if (last <= told || time < forgotten_) return true;
    auto first = std::ranges::upper_bound(past_, time, {}, &Meeting::time);
    return std::any_of(first, std::ranges::upper_bound(first, past_.end(), told, {}, &Meeting::time),
                       [&](const Meeting &meeting) { return meeting.lanes >> lane & 1; });
  }

private:
  struct Meeting {
    uint32_t time, lanes;
  };
  static constexpr size_t kKept = 1024;
  std::array<uint32_t, kLanes> last_{}; // of each lane
  std::vector<Meeting> past_;           // times go up
  uint32_t forgotten_ = 0;              // meetings up to this time
};

} // namespace mxc::sim
