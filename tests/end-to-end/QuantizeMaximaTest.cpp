// Every magnitude that a bf16 can have as the maximum of a block along rows and of one along columns, under
// every rule; on simulators in the newest PTX, where pairs of blocks share their arithmetic.
#include "tests/end-to-end/CheckedRun.h"
#include "tests/end-to-end/KernelText.h"

#include "runtime/jit/DeviceCompilation.h"

#include <catch2/catch.hpp>

#include <cstring>

using namespace mxc;

namespace {

constexpr int64_t kMagnitudes = 0x8000, kColumns = 64;

// Row r has its magnitude in column r mod 32, and 32 columns on the next one; the others are zeros.
std::vector<std::byte> allMagnitudes() {
  std::vector<std::byte> bytes(size_t(kMagnitudes * kColumns * 2));
  for (int64_t row = 0; row < kMagnitudes; ++row)
    for (int64_t half : {0, 1}) {
      const auto bits = uint16_t(((row + half) % kMagnitudes) | (row % 3 ? 0 : 0x8000));
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

TEST_CASE("quantize: every magnitude of bf16 as a block's maximum", "[simulated][exhaustive]") {
  const std::vector<std::byte> x = allMagnitudes();
  for (const char *element : {"f8E4M3FN", "f8E5M2"}) {
    CompileOptions options;
    if (isSimulated()) options.ptx = 92;
    std::string image = compileFor(testDevice(), moduleText(element), "kernel", options).output;
    Module module = Module::fromImage(testDevice(), std::as_bytes(std::span(image)));
    for (const KernelAbi &abi : module.abi().kernels) {
      RunCase run;
      run.inputs["x"] = x;
      run.dimensions = {{"M", kMagnitudes}, {"K", kColumns}};
      INFO(element << " " << abi.name);
      CHECK(runChecked(module.kernel(abi.name), run).failure == "");
    }
  }
}
