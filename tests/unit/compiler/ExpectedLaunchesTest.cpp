// What mxc compile --shape keeps of a kernel: for launches of those shapes the same variants as before,
// wherever tensors lie; for others the last one.
#include "compiler/ExpectedLaunches.h"
#include "tests/unit/compiler/KernelText.h"

#include <catch2/catch.hpp>

using namespace mxc;

namespace {

const std::string kProduct =
    "mx.kernel @k(%a: memref<?x?xf8E4M3FN>, %sa: memref<?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>,\n"
    "             %b: memref<?x?xf8E4M3FN>, %sb: memref<?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>,\n"
    "             %c: memref<?x?xbf16>) {\n"
    "  mx.matmul ins(%a, %sa, %b, %sb : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, "
    "#mx.scale_layout<tcgen05>>,\n"
    "      memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>) outs(%c : "
    "memref<?x?xbf16>)\n}\n";

ModuleAbi recordFor(const std::string &target) {
  CompileOptions options;
  options.targets = {target};
  return compileAbi(kProduct, "test.mlir", options).abis.front();
}

Dimensions launchOf(int64_t m, int64_t n, int64_t k) {
  return {{"M", m}, {"N", n}, {"K", k}, {"SMs", 132}, {"GBs", 4800}};
}

/// The entry that a launch takes of tensors that lie well, or so badly that no alignment holds.
std::string taken(const KernelAbi &kernel, const Dimensions &values, bool isAligned) {
  for (const AbiVariant &variant : kernel.variants)
    if ((variant.when.empty() || variant.when.evaluate(values)) && (isAligned || variant.alignments.empty()))
      return variant.entry;
  return "none";
}

} // namespace

TEST_CASE("expected launches: they take what they would take of all variants, others the last one") {
  const int64_t sizes[][3] = {{1, 4096, 4096},    {64, 8192, 8192},   {200, 300, 512}, {512, 4096, 7168},
                              {8192, 8192, 8192}, {16384, 12288, 64}, {0, 64, 64},     {2048, 2048, 65536}};
  for (const char *target : {"sm_90a", "sm_100a", "sm_120a"}) {
    const ModuleAbi all = recordFor(target);
    const KernelAbi &whole = all.kernels.front();
    for (const auto &[m, n, k] : sizes) {
      INFO(target << ": " << m << "x" << n << "x" << k);
      ModuleAbi some = all;
      REQUIRE(keepExpected(some, {{"k", "", launchOf(m, n, k)}}) == "");
      const KernelAbi &kept = some.kernels.front();
      CHECK(kept.variants.size() <= whole.variants.size());
      for (bool isAligned : {true, false})
        CHECK(taken(kept, launchOf(m, n, k), isAligned) == taken(whole, launchOf(m, n, k), isAligned));
      for (const auto &[otherM, otherN, otherK] : sizes)
        CHECK(taken(kept, launchOf(otherM, otherN, otherK), false) != "none");
      CHECK(kept.variants.back().entry == whole.variants.back().entry);
    }
    ModuleAbi few = all;
    REQUIRE(keepExpected(few, {{"k", target, launchOf(64, 8192, 8192)}}) == "");
    CHECK(few.kernels.front().variants.size() < whole.variants.size());
  }
}

TEST_CASE("expected launches: several shapes, other targets, and what is no launch of the module") {
  const ModuleAbi all = recordFor("sm_90a");
  auto kept = [&](const std::vector<ExpectedLaunch> &launches) {
    ModuleAbi some = all;
    CHECK(keepExpected(some, launches) == "");
    return some.kernels.front().variants.size();
  };
  const ExpectedLaunch few{"k", "sm_90a", launchOf(64, 8192, 8192)},
      many{"k", "sm_90a", launchOf(512, 4096, 7168)};
  CHECK(kept({few, many}) > kept({few}));
  CHECK(kept({few, many}) > kept({many}));
  CHECK(kept({{"k", "sm_100a", few.values}}) == all.kernels.front().variants.size());
  ModuleAbi some = all;
  CHECK(keepExpected(some, {{"other", "", few.values}}) == "there is no kernel 'other'");
  CHECK(keepExpected(some, {{"k", "", {{"M", 1}, {"N", 1}}}}) == "a launch of kernel 'k' lacks K");
}
