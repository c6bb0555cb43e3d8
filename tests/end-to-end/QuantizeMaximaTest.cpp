// Every magnitude that a bf16 can have as the maximum of a block along rows and of one along columns, under
// every rule (on simulators, those that a clause is about under every clause); on simulators in the newest
// PTX, where pairs of blocks share their arithmetic.
#include "tests/end-to-end/CheckedRun.h"
#include "tests/end-to-end/KernelText.h"

#include <catch2/catch.hpp>

#include <cstring>
#include <numeric>

using namespace mxc;

namespace {

constexpr int64_t kColumns = 64;

std::vector<uint16_t> allMagnitudes() {
  std::vector<uint16_t> all(0x8000);
  std::iota(all.begin(), all.end(), uint16_t(0));
  return all;
}

/// Those that `tiny` and `special` are about, and of all others each exponent's least and largest.
std::vector<uint16_t> magnitudesAtTheEnds() {
  std::vector<uint16_t> some = allMagnitudes();
  std::erase_if(some, [](uint16_t bits) {
    const int exponent = bits >> 7, mantissa = bits & 0x7f;
    return exponent > 24 && exponent < 0xff - 2 && mantissa != 0 && mantissa != 0x7f;
  });
  return some;
}

// Row r has its magnitude in column r mod 32, and 32 columns on the next one; the others are zeros.
std::vector<std::byte> rowsOf(const std::vector<uint16_t> &magnitudes) {
  std::vector<std::byte> bytes(magnitudes.size() * size_t(kColumns) * 2);
  for (size_t row = 0; row < magnitudes.size(); ++row)
    for (size_t half : {0, 1}) {
      const auto bits = uint16_t(magnitudes[(row + half) % magnitudes.size()] | (row % 3 ? 0 : 0x8000));
      std::memcpy(bytes.data() + 2 * (row * kColumns + 32 * half + row % 32), &bits, 2);
    }
  return bytes;
}

std::string moduleText(const std::string &element) {
  std::string module;
  for (const char *rounding : {"ceil", "floor", "even"})
    for (const char *special : {"propagate", "saturate", "nan_scale"})
      for (const char *tiny : {"exact", "byte_one"}) {
        QuantizeText text;
        text.axis = "axis = both", text.element = element;
        text.clauses = std::string("rounding = ") + rounding + " special = " + special + " tiny = " + tiny;
        text.name = std::string(rounding) + "_" + special + "_" + tiny;
        module += text.text();
      }
  return module;
}

} // namespace

TEST_CASE("quantize: every magnitude of bf16 as a block's maximum", "[simulated][family]") {
  const std::vector<uint16_t> all = allMagnitudes(), ends = magnitudesAtTheEnds();
  const std::vector<std::byte> allRows = rowsOf(all), endRows = rowsOf(ends);
  for (const char *element : {"f8E4M3FN", "f8E5M2"}) {
    CompileOptions options;
    if (isSimulated()) options.ptx = 92;
    const Module module = compileForDevice(moduleText(element), options);
    for (const KernelAbi &abi : module.abi().kernels) {
      // The simulator takes seconds for all of them.
      const bool hasAll = !isSimulated() || abi.name.ends_with("_propagate_exact");
      RunCase run;
      run.inputs["x"] = hasAll ? allRows : endRows;
      run.dimensions = {{"M", int64_t((hasAll ? all : ends).size())}, {"K", kColumns}};
      INFO(element << " " << abi.name);
      CHECK(runChecked(module.kernel(abi.name), run).failure == "");
    }
  }
}
