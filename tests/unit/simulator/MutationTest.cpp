// Whatever orders something in the kernels of tests/simulator/pipeline is taken out in turn: each such line
// must lead to a fault, and the report must name a line that has to do with it. For asynchronous kernels
// under some schedule; a barrier between plain loads and stores under every one.
#include "tests/unit/simulator/OrderingLines.h"
#include "tests/unit/simulator/PtxFile.h"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace mxc::sim;

namespace {

std::string codeOf(const std::string &line) { return line.substr(0, line.find("//")); }

/// The branch back of a loop around try_wait: "@!%done bra copyWait;".
bool isWaitingBranch(const std::string &line) { return codeOf(line).find("Wait;") != std::string::npos; }

bool orders(const std::string &line) { return isWaitingBranch(line) || ordersSomething(codeOf(line)); }

/// The texts after "// lacking:", one of which the reported line has.
std::vector<std::string> expectations(const std::string &line) {
  constexpr std::string_view kMark = "// lacking: ", kBetween = " | ";
  std::vector<std::string> texts;
  size_t at = line.find(kMark);
  if (at == std::string::npos) return texts;
  std::string rest = line.substr(at + kMark.size());
  for (size_t bar; (bar = rest.find(kBetween)) != std::string::npos;
       rest = rest.substr(bar + kBetween.size()))
    texts.push_back(rest.substr(0, bar));
  texts.push_back(rest);
  return texts;
}

struct Way {
  Checks checks;
  Schedule schedule;
};

/// The ways in which a mutant is run, until one of them faults.
std::vector<Way> ways() {
  std::vector<Way> all{{Checks::Strict, {Schedule::Kind::Lazy, 0}},
                       {Checks::Strict, {Schedule::Kind::Eager, 0}}};
  for (uint64_t seed = 1; seed <= 24; ++seed)
    all.push_back({Checks::Strict, {Schedule::Kind::Random, seed}});
  return all;
}

std::optional<Fault> faultOf(const PtxFile &file, const std::string &ptx) {
  PtxFile mutant = file;
  for (const Way &way : ways()) {
    mutant.how.checks = way.checks, mutant.how.schedule = way.schedule;
    if (PtxOutcome outcome = mutant.run(ptx); outcome.fault) return outcome.fault;
  }
  return std::nullopt;
}

void requireFault(const std::optional<Fault> &fault, const std::string &removed) {
  INFO("without: " << removed << "\n" << (fault ? fault->text() : "no fault"));
  REQUIRE(fault);
  std::string reported = codeOf(fault->instruction);
  CHECK(std::ranges::any_of(expectations(removed), [&](const std::string &text) {
    return reported.find(text) != std::string::npos;
  }));
  CHECK(fault->kernel == "test");
  CHECK(fault->line != 0);
}

void requireFault(const PtxFile &file, const std::vector<std::string> &lines, const std::string &removed) {
  requireFault(faultOf(file, joined(lines)), removed);
}

/// Whose accesses are all plain ones, ordered by barriers of the CTA or of the cluster.
const std::vector<std::string> kPlainKernels = {"pipeline/cta-barriers.ptx"};
const std::vector<std::string> kKernels = {"pipeline/tile-mxfp8.ptx", "pipeline/tile-mxfp8-pair.ptx",
                                           "pipeline/tile-wgmma.ptx", "pipeline/cp-async-ring.ptx",
                                           "pipeline/exchange-cluster.ptx"};

} // namespace

TEST_CASE("pipelines are right under every schedule and check") {
  PtxFile file(GENERATE(from_range(kKernels), from_range(kPlainKernels)));
  for (Checks checks : {Checks::Off, Checks::Standard, Checks::Strict})
    for (Way way : ways()) {
      file.how.checks = checks, file.how.schedule = way.schedule;
      PtxOutcome outcome = file.run(file.text);
      INFO((outcome.fault ? outcome.fault->text() : ""));
      REQUIRE_FALSE(outcome.fault);
      REQUIRE(outcome.output == file.output);
    }
}

TEST_CASE("asynchronous kernels without one of the lines that order something") {
  PtxFile file(GENERATE(from_range(kKernels)));
  const std::vector<std::string> lines = linesOf(file.text);
  for (size_t i = 0; i < lines.size(); ++i) {
    if (!orders(lines[i])) continue;
    bool isDispensable = lines[i].find("// dispensable: ") != std::string::npos;
    INFO("line " << i + 1 << " says neither what lacks without it nor why it is dispensable: " << lines[i]);
    REQUIRE((isDispensable || !expectations(lines[i]).empty()));
    if (isDispensable) continue;
    std::vector<std::string> mutant = lines;
    mutant[i].clear();
    if (i + 1 < lines.size() && isWaitingBranch(lines[i + 1])) mutant[i + 1].clear();
    requireFault(file, mutant, lines[i]);
    // The arrival without its bytes.
    mutant = lines;
    if (size_t at = lines[i].find("arrive.expect_tx"); at != std::string::npos) {
      mutant[i] = "mbarrier.arrive" + codeOf(lines[i]).substr(at + 16);
      mutant[i] = mutant[i].substr(0, mutant[i].rfind(',')) + ";";
      requireFault(file, mutant, lines[i]);
    }
  }
}

TEST_CASE("plain loads and stores without one of the barriers between them, in every run") {
  PtxFile file(GENERATE(from_range(kPlainKernels)));
  const std::vector<std::string> lines = linesOf(file.text);
  for (size_t i = 0; i < lines.size(); ++i) {
    if (!orders(lines[i])) continue;
    std::vector<std::string> mutant = lines;
    mutant[i].clear();
    for (const Way &way : ways()) {
      INFO("schedule " << int(way.schedule.kind) << ", seed " << way.schedule.seed);
      file.how.checks = way.checks, file.how.schedule = way.schedule;
      requireFault(file.run(joined(mutant)).fault, lines[i]);
    }
  }
}
