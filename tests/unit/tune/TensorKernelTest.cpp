// The kernels that only multiply, by the assemblers (tests/unit/bench/TensorTest.cpp runs them).
#include "runtime/measure/TensorKernel.h"
#include "compiler/CompilerIdentity.h"
#include "compiler/codegen/PtxToCubin.h"

#include <catch2/catch.hpp>

using namespace mxc;

TEST_CASE("tensor kernels: assemblers take them for every chip with products", "[tune]") {
  if (!hasAssembler(Assembler::Auto)) {
    WARN("there is no assembler");
    return;
  }
  int chips = 0;
  for (const Target *target : allTargets()) {
    if (!target->name.ends_with('a')) continue; // of which the PTX is
    const auto kernel = measure::TensorKernel::of({target->computeMajor, target->computeMinor}, 64);
    if (!kernel) continue;
    const AssembledCode code = assemble(kernel->image, *target, Assembler::Auto);
    INFO(target->name << ": " << code.log);
    CHECK(code.ok());
    ++chips;
  }
  CHECK(chips >= 3);
}
