// Modules in device memory, apart from the driver.
#include "RunPtx.h"

#include <catch2/catch.hpp>

using namespace mxc::sim;

TEST_CASE("a kernel that is only declared is none") {
  GlobalMemory memory(uint64_t(1) << 20);
  LoadedModule module(".version 8.8\n.target sm_100a\n.address_size 64\n.visible .entry declared;\n"
                      ".visible .entry defined() { ret; }\n",
                      "test.ptx", memory, Options());
  CHECK(module.kernel("declared") == nullptr);
  CHECK(module.kernel("defined") != nullptr);
  CHECK(unsupportedInstructions(module).empty());
}
