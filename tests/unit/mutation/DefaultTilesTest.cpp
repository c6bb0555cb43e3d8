// Whatever orders something in the default tiles of products is taken out in turn: the simulator's strict
// checks, or a wrong result, find it, or the table here says why it does not matter or is not seen. Each run
// takes a sample, whose seed it prints; MXC_MUTANTS=all (tools/dev/mutants) takes all.
#include "compiler/Compiler.h"
#include "tests/unit/mutation/Mutants.h"
#include "tests/unit/mutation/ProductRun.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <random>

using namespace mxc;

namespace {

/// One of each kind that differs in more than its extents. The shape gives each CTA or pair more tiles than
/// accumulators, and more steps of K than stages.
struct DefaultTile {
  const char *target, *kind, *members; // as --emit=mlir begins them
  const char *more;                    // members after those
  ProductShape shape;
};
const DefaultTile kDefaultTiles[] = {
    {"sm_90a", "matmul_tile", "m = 128, n = 256, stages = 4", ", buffers = 2", {256, 512, 640}},
    {"sm_90a",
     "matmul_tile",
     "m = 256, n = 256, stages = 5, ctas = 2",
     ", buffers = 2, a = in_flight",
     {512, 256, 768}},
    {"sm_90a", "matmul_tile", "m = 128, n = 128, stages = 6", ", store = rows", {256, 256, 896}},
    {"sm_90a",
     "swap_tile",
     "columns = 128, tokens = 16, splits = 2, parts = 2, stages = 2, token_stages = 3, code_stages = 3",
     "",
     {16, 256, 2048}},
    {"sm_90a",
     "swap_tile",
     "columns = 128, tokens = 64, splits = 1, parts = 1, stages = 4, token_stages = 3, code_stages = 2",
     "",
     {64, 256, 1024}},
    {"sm_100a", "matmul_tile", "m = 256, n = 256, stages = 6, ctas = 2", ", buffers = 1", {512, 512, 896}},
    {"sm_100a", "matmul_tile", "m = 256, n = 192, stages = 7, ctas = 2", ", buffers = 1", {768, 192, 1024}},
    {"sm_100a", "matmul_tile", "m = 256, n = 128, stages = 8, ctas = 2", ", buffers = 1", {768, 128, 1152}},
    {"sm_100a",
     "matmul_tile",
     "m = 256, n = 128, stages = 8, ctas = 2",
     ", buffers = 1, slices = 4",
     {512, 128, 4608}},
    {"sm_100a", "matmul_tile", "m = 256, n = 64, stages = 10, ctas = 2", ", buffers = 1", {768, 64, 1408}},
    {"sm_100a",
     "matmul_tile",
     "m = 128, n = 128, stages = 6",
     ", buffers = 2, store = rows",
     {768, 128, 896}},
    {"sm_100a",
     "matmul_tile",
     "m = 128, n = 128, stages = 4",
     ", load = element, store = rows",
     {768, 128, 640}},
};

/// A line that may go unfound: what it is, what stands within six lines of it, and why.
struct Exempt {
  const char *line, *beside, *reason;
};
const Exempt kExempt[] = {
    {"griddepcontrol.launch_dependents", "", "a hint: an earlier start of the next grid"},
    {"tcgen05.relinquish_alloc_permit", "", "a hint: an earlier allocation by another CTA"},
    {"bar.warp.sync", "wgmma.wait_group",
     "the whole warp executes wgmma.wait_group, so that the lane that arrives has itself waited for all "
     "reads "
     "of the warp's products"},
    {"fence.proxy.async.global", "",
     "writer and reader have one each, and one between the two is enough (global-proxy-fence)"},
    {"fence.mbarrier_init", "tcgen05.alloc",
     "load = element: no copy completes on these mbarriers, and the CTA's barrier orders threads"},
    {"bar.warp.sync", "atom.acq_rel.gpu",
     "unwatched: the count stands after loads whose value has decided a branch, and after the counts of the "
     "lane that elect.sync chose, which is lane 0 here"},
    {"bar.warp.sync", "\nafter bar.warp.sync; mbarrier.arrive;",
     "another one stands after the same reads, and only the arrival of the lane that it chose in between"},
    {"bar.warp.sync", "shfl.sync.idx", "the shuffle gives what the lane before it has counted"},
    {"atom.acq_rel", "", "unwatched: what it orders are strong accesses, and the zeros for the next launch"},
    {"bar.sync", "st.global.b32", "unwatched: zeros for the next launch, where others have counted"},
};

const Exempt *exemptionOf(const Mutant &mutant) {
  auto found = std::ranges::find_if(kExempt, [&](const Exempt &exempt) {
    return mutant.removed.find(exempt.line) != std::string::npos &&
           mutant.around.find(exempt.beside) != std::string::npos;
  });
  return found == std::end(kExempt) ? nullptr : &*found;
}

std::string compiled(const std::string &target, Stage stage, const std::string &tile = {}) {
  std::ifstream file(MXC_EXAMPLES "/matmul.mlir");
  CompileOptions options;
  options.targets = {target}, options.stage = stage, options.tile = tile;
  return compile(std::string(std::istreambuf_iterator<char>(file), {}), "matmul.mlir", options).output;
}

bool takesAll() {
  const char *all = std::getenv("MXC_MUTANTS");
  return all && std::string_view(all) == "all";
}

/// What finds the mutant; "": nothing.
std::string foundBy(const ProductRun &product, const std::string &ptx, const std::vector<std::byte> &right) {
  for (sim::Schedule schedule : schedules(takesAll() ? 40 : 12)) {
    ProductRun::Outcome outcome = product.run(ptx, schedule);
    if (!outcome.fault.empty()) return outcome.fault;
    if (outcome.result != right) return "a wrong result";
  }
  return "";
}

std::vector<Mutant> chosen(std::vector<Mutant> mutants) {
  if (takesAll()) return mutants;
  constexpr size_t kSample = 3;
  static const unsigned seed = std::random_device()();
  std::cout << "default tiles: a sample of seed " << seed << "\n";
  std::shuffle(mutants.begin(), mutants.end(), std::mt19937(seed));
  mutants.resize(std::min(mutants.size(), kSample));
  return mutants;
}

} // namespace

TEST_CASE("default tiles of products without one of the lines that order something") {
  const DefaultTile tile = GENERATE(from_range(std::begin(kDefaultTiles), std::end(kDefaultTiles)));
  const std::string text = std::string("#mx.") + tile.kind + "<" + tile.members;
  INFO(tile.target << ", " << text << tile.more);
  REQUIRE(compiled(tile.target, Stage::Mlir).find(text) != std::string::npos);
  const std::string ptx = compiled(tile.target, Stage::Ptx, text + tile.more + ">");
  const ProductRun product(tile.target, tile.shape, 0);
  const ProductRun::Outcome right = product.run(ptx, {sim::Schedule::Kind::Eager, 0});
  REQUIRE(right.fault == "");
  std::vector<Mutant> mutants = mutantsOf(ptx, "matmul");
  std::ranges::copy(relaxedMutantsOf(ptx, "matmul"), std::back_inserter(mutants));
  REQUIRE(mutants.size() > 30);
  size_t found = 0, exempt = 0;
  for (const Mutant &mutant : chosen(mutants)) {
    const Exempt *exemption = exemptionOf(mutant);
    const std::string by = foundBy(product, mutant.ptx, right.result);
    found += by != "", exempt += by == "" && exemption;
    INFO("without " << mutant.removed << ", beside\n" << mutant.around << "found by: " << by);
    if (exemption) {
      INFO("exempt, though it is found: " << exemption->reason);
      CHECK(by == "");
    } else {
      CHECK(by != "");
    }
  }
  if (takesAll())
    std::cout << tile.target << " " << text << tile.more << ">: " << mutants.size() << " mutants, " << found
              << " found, " << exempt << " exempt\n";
}

TEST_CASE("the default tiles of sm_103a are those of sm_100a, line by line") {
  auto linesWithoutName = [](const std::string &target) {
    std::istringstream text(compiled(target, Stage::Ptx));
    std::string kept;
    for (std::string line; std::getline(text, line);)
      if (!line.starts_with(".target") && line.find("__mxc_abi") == std::string::npos) kept += line + "\n";
    return kept;
  };
  CHECK(linesWithoutName("sm_103a") == linesWithoutName("sm_100a"));
}
