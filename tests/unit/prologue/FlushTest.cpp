// The approximations of fastmath<afn> flush subnormals and are off: what --verify expects there, and that it
// still finds faults.
#include "compiler/reference/OutputComparison.h"
#include "tests/unit/prologue/PrologueKernel.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <cstring>

using namespace mxc;

static const char *const kSwiglu = R"(
  %one = arith.constant 1.0 : f32
  %minus = arith.negf %x0 : f32
  %power = math.exp %minus fastmath<afn> : f32
  %denominator = arith.addf %power, %one : f32
  %silu = arith.divf %x0, %denominator fastmath<afn> : f32
  %r = arith.mulf %silu, %x1 : f32
)";

struct Sweep {
  std::string body;
  float first, last; // of x0
};

static int64_t wrong(const PrologueKernel &kernel, const std::string &source, const Sweep &sweep,
                     int breakScale) {
  constexpr int64_t rows = 64, columns = 512;
  std::vector<float> x(rows * columns), y(rows * columns);
  for (size_t i = 0; i < x.size();
       ++i) { // a block holds neighbours, so that nothing larger hides what is flushed
    x[i] = sweep.first + (sweep.last - sweep.first) * float(i) / float(x.size());
    y[i] = i / columns % 2 ? 0x1p100f : 3.0f;
  }
  HostTensors inputs = {{"in0", std::as_bytes(std::span(x))}, {"in1", std::as_bytes(std::span(y))}};
  Quantized found = kernel.run(inputs, rows, columns);
  for (std::byte &scale : found.s)
    scale = std::byte(uint8_t(scale) + breakScale);
  Dimensions dimensions = {{"M", rows}, {"K", columns}};
  Prologue prologue = Prologue::parse(source).value();
  KernelReference reference = referenceOf(kernel.abi(), dimensions, inputs, &prologue);
  int64_t count = 0;
  for (const OutputComparison &output : compareOutputs(kernel.abi(), dimensions, reference, found.tensors()))
    count += output.wrong;
  return count;
}

TEST_CASE("flush: verification knows what the approximations do, on every target") {
  auto one = [](const std::string &operation) { return "%r = " + operation + " fastmath<afn> : f32\n"; };
  for (const Sweep &sweep :
       {Sweep{kSwiglu, -86.0f, -89.5f}, Sweep{kSwiglu, -87.335f, -87.338f}, Sweep{kSwiglu, 86.0f, 89.5f},
        Sweep{one("math.exp %x0"), -84.0f, -105.0f}, Sweep{one("math.exp %x0"), -87.335f, -87.338f},
        Sweep{one("math.exp2 %x0"), -120.0f, -150.0f}, Sweep{one("math.log %x0"), 0x1p-149f, 0x1p-124f},
        Sweep{one("math.log2 %x0"), 0x1p-140f, 0x1p-125f}, Sweep{one("math.rsqrt %x0"), 0x1p-149f, 0x1p-124f},
        Sweep{one("arith.divf %x1, %x0"), 0x1p124f, 0x1.fp127f},
        Sweep{one("arith.divf %x1, %x0"), 0x1p-130f, 0x1p-124f},
        Sweep{one("arith.divf %x1, %x0"), -0x1p-149f, 0x1p-125f},
        Sweep{one("math.tanh %x0"), -0x1p-125f, 0x1p-125f}, Sweep{one("math.tanh %x0"), -4.0f, 4.0f}}) {
    std::string source = quantizeBehind({"f32", "f32"}, sweep.body);
    for (const std::string &target : testTargets()) {
      INFO(target << " " << sweep.first << " to " << sweep.last << "\n" << sweep.body);
      PrologueKernel kernel(source, target);
      CHECK(wrong(kernel, source, sweep, 0) == 0);
      CHECK(wrong(kernel, source, sweep, 1) > 1000);
    }
  }
}
