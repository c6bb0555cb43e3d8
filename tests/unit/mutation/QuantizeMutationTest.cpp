// Whatever orders something in the quantizers that share a tile in memory is taken out in turn: strict
// checks, or a wrong result, tell under some schedule.
#include "compiler/Compiler.h"
#include "runtime/device/Stream.h"
#include "runtime/launch/GuardedArguments.h"
#include "tests/unit/mutation/Mutants.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <random>

using namespace mxc;

namespace {

/// Makes x in front of the quantizer, which begins before that has ended.
const char kProducer[] = R"(
mx.kernel @produce(%q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>, %y: memref<?x?xbf16>) {
  mx.dequantize ins(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>) outs(%y : memref<?x?xbf16>)
})";

struct QuantizerKind {
  const char *name, *arguments, *operation, *tile;
  int leastMutants;
};
#define ARGUMENTS "%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>"
#define BOTH_ARGUMENTS ARGUMENTS ", %qt: memref<?x?xf8E4M3FN>, %st: memref<?x?xf8E8M0FNU>"
#define OUTS "outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>)"
#define BOTH_OUTS                                                                                            \
  "outs(%q, %s, %qt, %st : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>, memref<?x?xf8E4M3FN>, "              \
  "memref<?x?xf8E8M0FNU>)"
#define F32_ARGUMENTS                                                                                        \
  "%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf32>, %qt: memref<?x?xf8E4M3FN>, "         \
  "%st: memref<?x?xf32>"
#define F32_OUTS                                                                                             \
  "outs(%q, %s, %qt, %st : memref<?x?xf8E4M3FN>, memref<?x?xf32>, memref<?x?xf8E4M3FN>, memref<?x?xf32>)"
const QuantizerKind kKinds[] = {
    {"along columns", ARGUMENTS, OUTS " axis = column", "load = bulk", 4},
    {"both axes", BOTH_ARGUMENTS, BOTH_OUTS " axis = both", "load = bulk", 4},
    {"both axes, two CTAs a cluster", BOTH_ARGUMENTS, BOTH_OUTS " axis = both", "cluster_rows = 2", 6},
    {"both axes, direct loads", BOTH_ARGUMENTS, BOTH_OUTS " axis = both", "load = direct", 1},
    {"both axes of groups", BOTH_ARGUMENTS ", %ends: memref<?xi32>",
     "groups(%ends : memref<?xi32>) " BOTH_OUTS " axis = both transpose = false", "load = bulk", 5},
    {"both axes of gathered rows", BOTH_ARGUMENTS ", %index: memref<?xi32>",
     "gather(%index : memref<?xi32>) " BOTH_OUTS " axis = both", "load = bulk", 5},
    {"both axes, blocks of 128", F32_ARGUMENTS, F32_OUTS " axis = both", "load = bulk", 5},
    {"both axes, blocks of 128x128", F32_ARGUMENTS, F32_OUTS " axis = both block = 128x128", "load = direct",
     2},
    {"totals", ARGUMENTS ", %a: memref<1xf32>, %b: memref<?xf32>",
     OUTS " amax(%a : memref<1xf32>) column_sum(%b : memref<?xf32>)", "load = bulk", 5},
};

/// An earlier start of the next kernel; the company of a cluster's CTAs, who share nothing; and lanes'
/// accesses to global memory on either side of a count, which the simulator does not watch: no other order is
/// a warp's here.
bool mayLack(const Mutant &mutant) {
  auto isIn = [&](const char *word) { return mutant.removed.find(word) != std::string::npos; };
  return isIn("griddepcontrol.launch_dependents") || isIn("barrier.cluster") || isIn("bar.warp.sync");
}

std::string ptxOf(const std::string &source, const std::string &target, const std::string &tile = {}) {
  CompileOptions options;
  options.targets = {target}, options.stage = Stage::Ptx, options.tile = tile;
  return compile(source, "quantizer", options).output;
}

class QuantizerRun {
public:
  QuantizerRun(std::string target, bool hasGroups, bool isGathered)
      : target_(std::move(target)), producer_(ptxOf(kProducer, target_)), hasGroups_(hasGroups),
        isGathered_(isGathered), codes_(size_t(kRows * kColumns)), scales_(size_t(kRows * kColumns / 32)) {
    std::mt19937 generator(3);
    for (std::byte &code : codes_)
      code = std::byte(0x20 + generator() % 0x40);
    for (std::byte &scale : scales_)
      scale = std::byte(120 + generator() % 12);
  }

  struct Outcome {
    std::string fault; // "": none
    GuardedArguments::Outputs outputs;
    bool operator==(const Outcome &) const = default;
  };
  Outcome run(const std::string &ptx, sim::Schedule schedule) const {
    Outcome outcome;
    try {
      Device device = strictDevice(target_, schedule);
      Kernel producer = kernelOf(device, producer_), quantizer = kernelOf(device, ptx);
      std::vector<std::byte> nothing(size_t(2 * kRows * kColumns));
      std::vector<int32_t> ends = {40, kRows};
      Dimensions dimensions = {{"M", kRows}, {"K", kColumns}};
      if (hasGroups_) dimensions["G"] = 2;
      if (isGathered_) dimensions["N"] = kRows;
      std::vector<int32_t> index;
      for (int32_t row = 0; row < kRows; ++row)
        index.push_back(row % 13 ? row * 5 % int32_t(kRows) : -1);
      GuardedArguments tensors(quantizer, dimensions,
                               {{"x", nothing},
                                {"ends", std::as_bytes(std::span(ends))},
                                {"index", std::as_bytes(std::span(index))}});
      Buffer q(device, codes_.size()), s(device, scales_.size());
      q.upload(codes_), s.upload(scales_);
      auto x = std::ranges::find(tensors.arguments(), "x", &Argument::name);
      PreparedLaunch prepared = quantizer.prepare(tensors.arguments(), {.pdl = true, .variant = 0});
      Stream stream(device);
      producer.launch({{"q", q.view("e4m3", {kRows, kColumns})},
                       {"s", s.view("ue8m0", {kRows, kColumns / 32})},
                       {"y", x->view}},
                      {.stream = stream});
      prepared.launch(stream);
      stream.synchronize();
      outcome.outputs = tensors.outputs();
    } catch (const Error &error) {
      outcome.fault = error.what();
    }
    return outcome;
  }

private:
  static constexpr int64_t kRows = 272, kColumns = 160;
  std::string target_, producer_;
  bool hasGroups_, isGathered_;
  std::vector<std::byte> codes_, scales_;
};

} // namespace

TEST_CASE("quantizers without one of the lines that order something") {
  const std::string target = GENERATE(as<std::string>(), "sm_90a", "sm_100a");
  const QuantizerKind kind = GENERATE(from_range(std::begin(kKinds), std::end(kKinds)));
  INFO(target << ", " << kind.name);
  std::string source = std::string("mx.kernel @k(") + kind.arguments +
                       ") {\n  mx.quantize ins(%x : memref<?x?xbf16>) " + kind.operation + "\n}";
  const std::string ptx = ptxOf(source, target, kind.tile);
  const QuantizerRun quantizer(target, source.find("groups") != source.npos,
                               source.find("gather(") != source.npos);
  const QuantizerRun::Outcome right = quantizer.run(ptx, {sim::Schedule::Kind::Eager, 0});
  REQUIRE(right.fault == "");
  for (sim::Schedule schedule : schedules(3))
    REQUIRE(quantizer.run(ptx, schedule) == right);
  std::vector<Mutant> mutants = mutantsOf(ptx, "k");
  REQUIRE(int(mutants.size()) > kind.leastMutants);
  for (const Mutant &mutant : mutants) {
    if (mayLack(mutant)) continue;
    INFO("without " << mutant.removed);
    CHECK(std::ranges::any_of(
        schedules(20), [&](sim::Schedule schedule) { return quantizer.run(mutant.ptx, schedule) != right; }));
  }
}
