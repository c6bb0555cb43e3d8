// Strict checks: a word to which all CTAs add and which the last one takes, by a count that tells that they
// are all there; with whatever orders them, or tells of them, changed in turn; under every schedule.
#include "tests/unit/simulator/RunPtx.h"

#include <catch2/catch.hpp>

using namespace mxc::sim;

namespace {

/// Lane 0 of warp `adds` of each of 3 CTAs adds to the input's first word, and lane 0 of warp 0 counts the
/// second one up; that of the last CTA then takes the first one.
struct Total {
  std::string add = "red.relaxed.gpu.global.max.u32 [%in], %r1;", meet = "", adder = "0",
              count = "atom.relaxed.gpu.global.add.u32 %r3, [%in+4], 1;", after = "",
              take = "atom.relaxed.gpu.global.exch.b32 %r4, [%in], 0;";
};

std::string textOf(const Total &t) {
  return R"(
.reg .b32 %r<16>; .reg .b64 %a<8>; .reg .pred %p<8>;
mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; add.u32 %r1, %r1, 1; and.b32 %r5, %r0, 31; setp.eq.u32 %p0, %r5, 0;
shr.u32 %r6, %r0, 5; setp.eq.and.u32 %p1, %r6, )" +
         t.adder + ", %p0;\n@!%p1 bra met;\n" + t.add + "\nmet:\n" + t.meet +
         "\nsetp.ne.u32 %p2, %r0, 0; @%p2 bra done;\n" + t.count +
         "\nsetp.ne.u32 %p3, %r3, 2; @%p3 bra done;\n" + t.after + "\n" + t.take + "\ndone:\n";
}

/// The finding, "none" or what else is wrong; of all schedules.
std::string found(const Total &t) {
  std::vector<Schedule> schedules = {{Schedule::Kind::Eager, 0}, {Schedule::Kind::Lazy, 0}};
  for (uint64_t seed = 1; seed <= 8; ++seed)
    schedules.push_back({Schedule::Kind::Random, seed});
  std::string found;
  for (const Schedule &schedule : schedules)
    for (unsigned threads : {1u, 2u}) {
      PtxRun how;
      how.checks = Checks::Strict, how.schedule = schedule, how.threads = threads;
      how.block = {64, 1, 1}, how.grid = {3, 1, 1};
      const PtxOutcome outcome = runPtxBytes(kernelOf(textOf(t)), std::vector<std::byte>(256), 256, how);
      const std::string now = !outcome.fault           ? "none"
                              : outcome.fault->finding ? std::string(name(*outcome.fault->finding))
                                                       : name(outcome.fault->kind);
      if (found.empty()) found = now;
      if (now != found) return "differs: " + found + ", " + now;
    }
  return found;
}

const std::string kFound = "relaxed-message";

} // namespace

TEST_CASE(
    "an exchange is ordered after the additions of which a count tells, says strict under every schedule") {
  CHECK(found({}) == kFound);
  CHECK(found({.count = "atom.acq_rel.gpu.global.add.u32 %r3, [%in+4], 1;"}) == "none");
  CHECK(found({.count = "atom.release.gpu.global.add.u32 %r3, [%in+4], 1;"}) == kFound);
  CHECK(found({.count = "atom.acquire.gpu.global.add.u32 %r3, [%in+4], 1;"}) == kFound);
  CHECK(found({.count = "atom.release.gpu.global.add.u32 %r3, [%in+4], 1;", .after = "fence.acq_rel.gpu;"}) ==
        "none");
  CHECK(found({.meet = "membar.gl;", .after = "membar.gl;"}) == "none");
  CHECK(found({.meet = "membar.gl;"}) == kFound);
  CHECK(found({.after = "membar.gl;"}) == kFound);
  CHECK(found({.count = "atom.global.add.u32 %r3, [%in+4], 1;"}) == kFound); // as nvcc has it
}

TEST_CASE("what is added may be any atomic operation that leaves something of what was there, says strict") {
  for (const char *add :
       {"red.relaxed.gpu.global.add.u32 [%in], %r1;", "red.release.gpu.global.or.b32 [%in], %r1;",
        "red.relaxed.gpu.global.inc.u32 [%in], 100;", "red.global.add.f32 [%in], %r1;"}) {
    INFO(add);
    CHECK(found({.add = add}) == kFound);
  }
  for (const char *other :
       {"atom.relaxed.gpu.global.exch.b32 %r2, [%in], %r1;",
        "atom.relaxed.gpu.global.cas.b32 %r2, [%in], 0, %r1;", "st.relaxed.gpu.global.u32 [%in], %r1;",
        "red.relaxed.gpu.global.max.u32 [%in+8], %r1;"}) {
    INFO(other);
    CHECK(found({.add = other}) == "none");
  }
}

TEST_CASE("a count tells of what other warps of its CTA have added before their barrier, says strict") {
  const Total relaxed{.meet = "bar.sync 0;", .adder = "1"};
  CHECK(found(relaxed) == kFound);
  Total right = relaxed;
  right.count = "atom.acq_rel.gpu.global.add.u32 %r3, [%in+4], 1;";
  CHECK(found(right) == "none");
}

TEST_CASE("who adds nothing is ordered after the additions of others, with results or without, says strict") {
  // CTA 0 waits until the others have counted themselves.
  const std::string ofOthers = "setp.eq.u32 %p4, %r1, 1; @%p4 bra met; ",
                    waits = "setp.eq.u32 %p4, %r1, 1; @%p4 bra wait; ",
                    isOver = " bra done; wait: ", again = " setp.ne.u32 %p5, %r3, 2; @%p5 bra wait;";
  for (const char *add :
       {"red.relaxed.gpu.global.max.u32 [%in], %r1;", "atom.global.dec.u32 %r2, [%in], 9;"}) {
    Total relaxed{.add = ofOthers + add};
    relaxed.count = waits + "red.relaxed.gpu.global.add.u32 [%in+4], 1;" + isOver +
                    "ld.relaxed.gpu.global.u32 %r3, [%in+4];" + again;
    CHECK(found(relaxed) == kFound);
    Total right = relaxed;
    right.count = waits + "red.release.gpu.global.add.u32 [%in+4], 1;" + isOver +
                  "ld.acquire.gpu.global.u32 %r3, [%in+4];" + again;
    CHECK(found(right) == "none");
    Total lock = relaxed; // which is no addition
    lock.add = ofOthers + "atom.relaxed.gpu.global.cas.b32 %r2, [%in], 0, %r1;";
    CHECK(found(lock) == "none");
    right = relaxed; // it waits for the word itself, too
    right.after = "all: ld.relaxed.gpu.global.u32 %r2, [%in]; setp.eq.u32 %p5, %r2, 0; @%p5 bra all;";
    CHECK(found(right) == "none");
  }
}

TEST_CASE("who has been told nothing may take what there is, says strict") {
  // The count tells of nothing that comes after it, and of nothing where nobody looks at it.
  const std::string add = Total().add, count = Total().count;
  CHECK(found({.add = count, .count = add + " sub.u32 %r3, %r1, 1;"}) == "none");
  const std::string early =
      "setp.ne.u32 %p4, %r1, 1; @%p4 bra others; ld.relaxed.gpu.global.u32 %r2, [%in+4];"
      "setp.ne.u32 %p4, %r2, 0; @%p4 bra done; mov.u32 %r3, 4000;"
      "work: sub.u32 %r3, %r3, 1; setp.ne.u32 %p4, %r3, 2; @%p4 bra work; bra.uni after;"
      "others: ";
  CHECK(found({.add = "", .count = early + add + count + " bra done; after:"}) == "none");
  CHECK(found({.count = "red.relaxed.gpu.global.add.u32 [%in+4], 1; mov.u32 %r3, 2;"}) == "none");
  // Who has seen an addition in the word itself comes after it there.
  CHECK(found({.after = "ld.relaxed.gpu.global.u32 %r2, [%in];"}) == "none");
  CHECK(found({.after = "atom.relaxed.gpu.global.or.b32 %r2, [%in], 0;"}) == "none");
  CHECK(found({.after = "ld.relaxed.gpu.global.u32 %r2, [%in+8];"}) == kFound);
  // CTA 0 has taken what CTA 2 has added, and CTA 1 comes after that.
  const std::string byEach =
      "setp.eq.u32 %p4, %r1, 1; @%p4 bra first; setp.eq.u32 %p4, %r1, 2; @%p4 bra second;" + add +
      "red.release.gpu.global.add.u32 [%in+4], 1; bra done;"
      "first: ld.acquire.gpu.global.u32 %r3, [%in+4]; setp.eq.u32 %p5, %r3, 0; @%p5 bra first;";
  const std::string second =
      "st.release.gpu.global.u32 [%in+8], 1; bra done;"
      "second: ld.relaxed.gpu.global.u32 %r3, [%in+8]; setp.eq.u32 %p5, %r3, 0; @%p5 bra second;"
      "ld.relaxed.gpu.global.u32 %r2, [%in+4]; mov.u32 %r3, 2;";
  for (const char *take :
       {"atom.acq_rel.gpu.global.exch.b32 %r4, [%in], 0;", "st.relaxed.gpu.global.u32 [%in], 0;"})
    CHECK(found({.add = "", .count = byEach + take + second}) == "none");
  CHECK(found({.add = "", .count = byEach + second}) == kFound);
}
