// What one cluster did, in the order executed: warps and their waits, the phases of mbarriers, asynchronous
// operations. Time is the number of warp instructions that the cluster has executed: an order, no duration.
#pragma once

#include "runtime/simulator/Options.h"

#include <atomic>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace mxc::sim {

/// A row of slices that do not overlap.
struct TimelineTrack {
  enum class Kind : uint8_t { Warp, Barrier, Stage, Operations } kind = Kind::Warp;
  uint32_t cta = 0; // its rank
  std::string name;
  struct Slice {
    uint64_t begin = 0, end = 0;
    std::string name, category, detail;
    uint32_t line = 0; // of the PTX; 0: none
  };
  std::vector<Slice> slices;
};

class Timeline {
public:
  /// `names` of ranges that begin `base` bytes into the shared window; `warpNames`: "" or what a warp is
  /// called. `room`: slices that this and the launch's other timelines may still have; after them nothing is
  /// recorded. What lies outside of `window` is recorded neither, and takes no room.
  Timeline(uint32_t ctas, uint32_t warps, uint32_t base, const std::vector<NamedRange> &names,
           const std::vector<std::string> &warpNames, std::atomic<int64_t> &room, TimelineWindow window = {});

  /// A warp executes an instruction. `isTelling`: its name is shown.
  void execute(uint32_t cta, uint32_t warp, std::string_view opcode, bool isTelling, uint32_t line);
  /// It cannot go on, until it executes one.
  void wait(uint32_t cta, uint32_t warp, const std::string &what, uint32_t line);

  /// An operation is under way from issue to complete. Returns its number, from 1; 0: it is not recorded.
  size_t issue(uint32_t cta, const std::string &description, uint32_t line);
  void complete(size_t number);

  /// An mbarrier's first phase begins; one ends and the next begins. By shared address.
  void beginPhases(uint32_t barrier);
  void endPhase(uint32_t barrier, bool parity);

  std::string nameOf(uint32_t sharedAddress) const; // of an mbarrier

  /// All that was recorded; what is still under way ends now. A ring's stage that has mbarriers "R full 2"
  /// and "R empty 2" is one row "R 2" (TimelineStages.h).
  std::vector<TimelineTrack> tracks();

private:
  struct WarpState {
    TimelineTrack track;
    bool isWaiting = false;
    uint64_t last = ~uint64_t(0);                     // when it executed an instruction
    std::vector<std::pair<std::string, int>> telling; // of the slice
    uint32_t instructions = 0;
  };
  struct Operation {
    uint32_t cta = 0;
    std::string group;
    TimelineTrack::Slice slice;
    bool isDone = false;
    uint64_t order = 0; // in which they were issued
  };
  void endSlice(WarpState &warp);
  bool takeRoom();
  bool isEarly(const TimelineTrack::Slice &slice) const { return slice.end <= window_.from; }
  void giveRoomBack() { room_.fetch_add(1, std::memory_order_relaxed); }

  uint64_t now_ = 0;
  std::atomic<int64_t> &room_;
  TimelineWindow window_;
  bool isCut_ = false; // the room was used up, or the window is over
  uint32_t warps_, base_;
  const std::vector<NamedRange> &names_;
  std::vector<WarpState> states_; // of all CTAs' warps
  std::vector<Operation> operations_;
  uint64_t issued_ = 0;
  std::vector<size_t> free_; // numbers of operations that ended before the window
  struct Phases {
    uint64_t begin = 0;
    uint32_t count = 0;
    TimelineTrack track;
  };
  std::map<uint32_t, Phases> barriers_;
};

} // namespace mxc::sim
