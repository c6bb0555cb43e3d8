#include "runtime/measure/ByteComparison.h"
#include "compiler/CompilerIdentity.h"
#include "compiler/codegen/PtxToCubin.h"
#include "runtime/device/Buffer.h"

#include <catch2/catch.hpp>

#include <random>

using namespace mxc;

TEST_CASE("byte comparison: every byte that differs is counted once", "[tune]") {
  const Device device = openDevice("simulator:sm_90a");
  const measure::ByteComparison comparison(device);
  std::mt19937 random(1);
  for (size_t bytes : {0, 1, 7, 8, 9, 4096, 100'003}) {
    std::vector<std::byte> a(bytes), b(bytes);
    uint64_t expected = 0;
    for (size_t i = 0; i < bytes; ++i) {
      a[i] = b[i] = std::byte(random());
      if (random() % 7 == 0) b[i] ^= std::byte(random() % 3 ? 0x80 : 1 << random() % 8), ++expected;
    }
    Buffer first(device, bytes + 16), second(device, bytes + 16);
    first.fill(1), second.fill(2); // past the end nothing counts
    first.upload(a), second.upload(b);
    CHECK(comparison.differences(first.address(), second.address(), bytes) == expected);
  }
}

TEST_CASE("byte comparison: assemblers take it for every chip", "[tune]") {
  if (!hasAssembler(Assembler::Auto)) {
    WARN("there is no assembler");
    return;
  }
  for (const Target *target : allTargets()) {
    const AssembledCode code = assemble(measure::ByteComparison::ptx(), *target, Assembler::Auto);
    INFO(code.log);
    const bool isOlder = code.log.find("needs an assembler of CUDA") != code.log.npos; // than the chip
    CHECK(code.ok() != isOlder);
  }
}
