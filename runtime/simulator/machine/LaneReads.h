// Which lanes of which warps have read each word of shared memory since it was written, for LaneMeetings.h:
// whoever writes there must come after each of them, not only after the warp that read last.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace mxc::sim {

/// Lanes of one warp that have read a word.
struct LaneReads {
  uint32_t warp : 31 = 0;    // its number in the cluster + 1; 0: none
  uint32_t isFenced : 1 = 0; // a proxy fence has followed, of that warp or of one that knew of the read
  uint32_t given = 0;        // how often the warp had given away its accesses when it read last
  uint32_t lanes = 0;
  uint32_t earlier = 0; // another warp's, in WordReaders::earlier_; 0: none
};

/// All readers of each word: a table has the warp that read last, which heads a list of the others.
class WordReaders {
public:
  void reset(size_t words) {
    last_.assign(words, {});
    earlier_.assign(1, {});
    room_ = kRoom;
  }
  bool isEmpty() const { return last_.empty(); }

  /// The reads of `warp`, which now reads last: without lanes if it is new. A new reader drops others for
  /// which isNeeded(reads) is false.
  template <class IsNeeded> LaneReads &readsOf(uint32_t word, uint32_t warp, IsNeeded isNeeded) {
    LaneReads &last = last_[word];
    if (last.warp == warp) return last;
    for (uint32_t at = last.earlier; at; at = earlier_[at].earlier)
      if (earlier_[at].warp == warp) {
        std::swap(last, earlier_[at]);
        std::swap(last.earlier, earlier_[at].earlier); // the list stays as it is
        return last;
      }
    uint32_t earlier = last.earlier;
    if (last.warp && isNeeded(last)) {
      earlier = uint32_t(earlier_.size());
      earlier_.push_back(last);
    }
    last = LaneReads{.warp = warp, .earlier = earlier};
    for (uint32_t *link = &last.earlier; *link;)
      if (LaneReads &reads = earlier_[*link]; isNeeded(reads))
        link = &reads.earlier;
      else
        *link = reads.earlier;
    if (earlier_.size() > room_) dropForgotten();
    return last;
  }

  /// f(reads) of each warp that has read the word.
  template <class F> void forEach(uint32_t word, F f) const {
    if (!last_[word].warp) return;
    f(last_[word]);
    for (uint32_t at = last_[word].earlier; at; at = earlier_[at].earlier)
      f(earlier_[at]);
  }

  /// Marks those as fenced for which isFenced(reads), and returns whether all are.
  template <class IsFenced> bool fence(uint32_t word, IsFenced isFenced) {
    bool areAll = true;
    auto mark = [&](LaneReads &reads) {
      if (!reads.isFenced) reads.isFenced = isFenced(reads);
      areAll &= bool(reads.isFenced);
    };
    if (last_[word].warp) mark(last_[word]);
    for (uint32_t at = last_[word].earlier; at; at = earlier_[at].earlier)
      mark(earlier_[at]);
    return areAll;
  }

  /// Words `from` .. `to` - 1 have been written.
  void forget(uint32_t from, uint32_t to) {
    std::fill(last_.begin() + from, last_.begin() + to, LaneReads{});
  }

private:
  static constexpr size_t kRoom = 1 << 14;

  void dropForgotten() {
    std::vector<LaneReads> kept(1);
    kept.reserve(earlier_.size()); // links point into it
    for (LaneReads &last : last_)
      for (uint32_t *link = &last.earlier; *link;) {
        kept.push_back(earlier_[*link]);
        *link = uint32_t(kept.size() - 1);
        link = &kept.back().earlier;
      }
    earlier_ = std::move(kept);
    room_ = std::max(kRoom, 2 * earlier_.size());
  }

  std::vector<LaneReads> last_, earlier_;
  size_t room_ = kRoom;
};

} // namespace mxc::sim
