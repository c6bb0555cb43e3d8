// Where lanes meet again, against the definition: the first block that every way to the exit from both of a
// branch's targets passes.
#include "runtime/simulator/ptx/ControlFlow.h"

#include "ParsedText.h"
#include "dialect/formats/Error.h"

#include <catch2/catch.hpp>

#include <random>

using namespace mxc::sim::ptx;
using mxc::test::parsed;

namespace {

using Ways = std::vector<std::vector<uint32_t>>; // of each instruction, and last of the exit

Ways waysOf(const Function &function) {
  Ways ways(function.instructions.size() + 1);
  const uint32_t exit = uint32_t(function.instructions.size());
  for (uint32_t i = 0; i < exit; ++i) {
    const Instruction &instruction = function.instructions[i];
    for (uint32_t target : targetsOf(function, instruction))
      ways[i].push_back(target);
    const bool leaves = instruction.opcode == "ret";
    if (leaves) ways[i].push_back(exit);
    if (instruction.guard || (ways[i].empty() && !leaves)) ways[i].push_back(i + 1);
  }
  return ways;
}

/// Whether the exit is reached from `from` without passing `removed`.
bool reachesExit(const Ways &ways, uint32_t from, uint32_t removed) {
  std::vector<bool> seen(ways.size());
  std::vector<uint32_t> open{from};
  while (!open.empty()) {
    const uint32_t at = open.back();
    open.pop_back();
    if (at == removed || seen[at]) continue;
    seen[at] = true;
    for (uint32_t next : ways[at])
      open.push_back(next);
  }
  return seen.back();
}

/// By the definition: of the instructions after `from` that every way passes, the one that all others are
/// after.
uint32_t meetingOf(const Ways &ways, uint32_t from) {
  const uint32_t exit = uint32_t(ways.size() - 1);
  if (!reachesExit(ways, from, exit + 1)) return kAtExit;
  std::vector<uint32_t> passed;
  for (uint32_t i = 0; i < exit; ++i)
    if (i != from && !reachesExit(ways, from, i)) passed.push_back(i);
  for (uint32_t first : passed) {
    bool isFirst = true;
    for (uint32_t other : passed) // what is passed on the way from `first` too comes after it
      isFirst &= other == first || !reachesExit(ways, first, other);
    if (isFirst) return first;
  }
  return kAtExit;
}

} // namespace

TEST_CASE("lanes meet at the immediate post-dominator of their branch", "[simulator][parser]") {
  std::mt19937 random(7);
  const auto upTo = [&](unsigned most) { return random() % (most + 1); };
  for (int round = 0; round < 300; ++round) {
    const unsigned count = 2 + upTo(14);
    std::string text = ".visible .entry k() { .reg .pred %p; .reg .u32 %r;\nts: .branchtargets L" +
                       std::to_string(upTo(count - 1)) + ", L" + std::to_string(upTo(count - 1)) + ", L" +
                       std::to_string(upTo(count - 1)) + ";\n";
    for (unsigned i = 0; i < count; ++i) {
      text += "L" + std::to_string(i) + ": ";
      const std::string guard = upTo(3) ? "@%p " : "", target = "L" + std::to_string(upTo(count - 1));
      const unsigned kind = upTo(9);
      text += kind < 5    ? guard + "bra " + target + ";\n"
              : kind == 5 ? "brx.idx %r, ts;\n"
              : kind == 6 ? guard + "ret;\n"
                          : "mov.u32 %r, 1;\n";
    }
    const Module module = parsed(text + "ret; }");
    const Function &function = module.functions.at(0);
    const std::vector<uint32_t> points = reconvergencePoints(function);
    const Ways ways = waysOf(function);
    INFO(text);
    for (uint32_t i = 0; i < function.instructions.size(); ++i) {
      INFO("instruction " << i);
      CHECK(points[i] ==
            (targetsOf(function, function.instructions[i]).empty() ? kAtExit : meetingOf(ways, i)));
    }
  }
}

TEST_CASE("branch tables have a limit, and deep chains of branches take no more than n log n",
          "[simulator][parser]") {
  std::string table = ".visible .entry k() { .reg .u32 %r;\nts: .branchtargets L";
  for (int i = 0; i < 20000; ++i)
    table += ",L";
  table += ";\n";
  for (int i = 0; i < 1000; ++i)
    table += "brx.idx %r, ts;\n";
  CHECK_THROWS_WITH(reconvergencePoints(parsed(table + "L: ret; }").functions.at(0)),
                    Catch::Contains("its branches have more than 16777216 targets"));
  constexpr int kCount = 50000; // a chain of diamonds, and as many branches into its middle
  std::string text = ".visible .entry k() { .reg .pred %p;\n";
  for (int i = 0; i < kCount; ++i)
    text += "@%p bra C" + std::to_string(i % 2 ? i : kCount - 1 - i) + ";\n";
  for (int i = 0; i < kCount; ++i) {
    const std::string n = std::to_string(i);
    text += "C" + n + ": @%p bra D" + n + ";\nret;\nD" + n + ":\n";
  }
  CHECK(reconvergencePoints(parsed(text + "ret; }").functions.at(0)).size() == 3 * kCount + 1);
}
