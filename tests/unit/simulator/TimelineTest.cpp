// Timelines: what a cluster did as rows of slices that do not overlap.
#include "runtime/simulator/report/Timeline.h"

#include <catch2/catch.hpp>

using namespace mxc::sim;

namespace {

std::atomic<int64_t> room{100};
const std::vector<NamedRange> kNames = {{"operands full 0", 512, 8}};

/// "2-5 mma x2 (3 instructions)" of each slice.
std::vector<std::string> textsOf(const TimelineTrack &track) {
  std::vector<std::string> texts;
  for (const TimelineTrack::Slice &slice : track.slices)
    texts.push_back(std::to_string(slice.begin) + "-" + std::to_string(slice.end) + " " + slice.name +
                    (slice.detail.empty() ? "" : " (" + slice.detail + ")"));
  return texts;
}

using Texts = std::vector<std::string>;

} // namespace

TEST_CASE("a timeline's warps: what they execute in a row, and what they wait for") {
  Timeline timeline(1, 2, 0x400, kNames, {"load", ""}, room);
  timeline.execute(0, 0, "mov", false, 1);
  timeline.execute(0, 0, "cp.bulk", true, 2);
  timeline.wait(0, 0, "wait: x", 3);
  timeline.execute(0, 1, "tcgen05.mma", true, 9);
  timeline.wait(0, 0, "wait: x", 3); // tried again
  timeline.execute(0, 1, "tcgen05.mma", true, 9);
  timeline.wait(0, 1, "wait: y", 9); // in vain, but for no time
  timeline.execute(0, 1, "add", false, 10);
  timeline.execute(0, 0, "add", false, 4);
  std::vector<TimelineTrack> tracks = timeline.tracks();
  REQUIRE(tracks.size() == 2);
  CHECK(tracks[0].name == "warp 0: load");
  CHECK(textsOf(tracks[0]) ==
        Texts{"0-2 cp.bulk (2 instructions)", "2-5 wait: x", "5-6 other (1 instructions)"});
  CHECK(tracks[1].name == "warp 1");
  CHECK(textsOf(tracks[1]) == Texts{"2-4 tcgen05.mma x2 (2 instructions)", "4-5 other (1 instructions)"});
  CHECK(tracks[0].slices[1].line == 3);
}

TEST_CASE("a timeline's mbarriers have the phases' ends, and names") {
  Timeline timeline(2, 1, 0x400, kNames, {}, room);
  const uint32_t named = 0x01000600, other = 0x00000700; // of CTA 1, 512 bytes past the base; of CTA 0
  timeline.beginPhases(named);
  timeline.beginPhases(other);
  for (int i = 0; i < 3; ++i)
    timeline.execute(0, 0, "add", false, 1);
  timeline.endPhase(named, false);
  timeline.execute(0, 0, "add", false, 1);
  timeline.endPhase(named, true);
  CHECK(timeline.nameOf(other) == "mbarrier 0x700");
  std::vector<TimelineTrack> tracks = timeline.tracks();
  REQUIRE(tracks.size() == 3); // two warps, and the one mbarrier that has ended a phase
  CHECK((tracks[2].name == "operands full 0" && tracks[2].cta == 1));
  CHECK(textsOf(tracks[2]) == Texts{"0-3 phase 0 (parity 0)", "3-4 phase 1 (parity 1)"});
}

TEST_CASE("a timeline's operations: those that overlap have rows of their own") {
  Timeline timeline(1, 1, 0x400, kNames, {}, room);
  const std::string load = "cp.async.bulk.tensor.2d.shared::cta.global.tile at {0, 128}";
  size_t first = timeline.issue(0, load, 1), second = timeline.issue(0, load, 2);
  timeline.execute(0, 0, "add", false, 3);
  timeline.complete(first);
  size_t third = timeline.issue(0, load, 4);
  timeline.complete(third); // at once
  size_t mma = timeline.issue(0, "tcgen05.mma.cta_group::1.kind::f16", 5);
  timeline.execute(0, 0, "add", false, 3);
  timeline.issue(0, "cp.async.bulk.global.shared::cta.bulk_group of 64 bytes",
                 6); // still under way at the end
  timeline.complete(mma);
  timeline.complete(second);
  std::vector<TimelineTrack> tracks = timeline.tracks();
  REQUIRE(tracks.size() == 5);
  CHECK(tracks[1].name == "copies in 0");
  CHECK(textsOf(tracks[1]) ==
        Texts{"0-1 load 2d {0, 128} (" + load + ")", "1-2 load 2d {0, 128} (" + load + ")"});
  CHECK(textsOf(tracks[2]) == Texts{"0-2 load 2d {0, 128} (" + load + ")"});
  CHECK(tracks[3].name == "copies out 0");
  CHECK(tracks[3].slices[0].name == "cp.async.bulk");
  CHECK(tracks[4].name == "tensor core 0");
  CHECK(tracks[4].slices[0].name == "tcgen05.mma");
}

TEST_CASE("a timeline ends where its room does") {
  std::atomic<int64_t> little{3};
  Timeline timeline(1, 1, 0x400, kNames, {}, little);
  timeline.execute(0, 0, "add", false, 1);
  timeline.wait(0, 0, "wait: x", 2);
  size_t last = timeline.issue(0, "tcgen05.mma", 3);
  CHECK(timeline.issue(0, "tcgen05.mma", 3) == 0);
  timeline.execute(0, 0, "add", false, 4);
  timeline.complete(last);
  timeline.complete(0);
  std::vector<TimelineTrack> tracks = timeline.tracks();
  REQUIRE(tracks.size() == 2);
  CHECK(textsOf(tracks[0]) == Texts{"0-1 other (1 instructions)"}); // nobody knows how long it waited
  CHECK(textsOf(tracks[1]) == Texts{"1-2 tcgen05.mma (tcgen05.mma)"});
  CHECK(little < 0);
}

TEST_CASE("a timeline's ring stages: filled, then used") {
  const std::vector<NamedRange> names = {{"operands full 0", 0, 8}, {"operands empty 0", 8, 8}};
  Timeline timeline(2, 1, 0x400, names, {}, room);
  const uint32_t full = 0x400, empty = 0x408, emptyOfOther = 0x01000408;
  auto wait = [&](int instructions) {
    while (instructions--)
      timeline.execute(0, 0, "add", false, 1);
  };
  timeline.beginPhases(full), timeline.beginPhases(empty), timeline.beginPhases(emptyOfOther);
  wait(2), timeline.endPhase(full, false);
  wait(3), timeline.endPhase(empty, false), timeline.endPhase(emptyOfOther, false);
  wait(1), timeline.endPhase(full, true);
  wait(4);
  std::vector<TimelineTrack> tracks = timeline.tracks();
  REQUIRE(tracks.size() == 4);
  CHECK(tracks[2].name == "operands 0");
  CHECK(textsOf(tracks[2]) == Texts{"0-2 fill 0", "2-5 use 0", "5-6 fill 1", "6-10 use 1"});
  CHECK((tracks[3].name == "operands empty 0" && tracks[3].cta == 1)); // whose full mbarrier is CTA 0's
}
