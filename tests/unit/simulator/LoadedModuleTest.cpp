// Modules in device memory, apart from the driver.
#include "RunPtx.h"

#include "dialect/formats/Error.h"

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

namespace {

const std::string kHead = ".version 8.8\n.target sm_100a\n.address_size 64\n";

/// The error of decoding kernel k of a module, "" if there is none.
std::string refusalOf(const std::string &text, uint64_t memoryBytes = uint64_t(1) << 30) {
  GlobalMemory memory(uint64_t(1) << 40);
  Options options;
  options.memoryBytes = memoryBytes;
  try {
    LoadedModule module(kHead + text, "test.ptx", memory, options);
    module.kernel("k");
  } catch (const mxc::Error &error) {
    return error.what();
  }
  return "";
}

bool mentions(const std::string &text, const std::string &part) { return text.find(part) != text.npos; }

} // namespace

TEST_CASE("sizes that no chip has are refused, however they add up") {
  CHECK(refusalOf(".visible .entry k() { .local .b8 x[524288]; ret; }") == "");
  CHECK(mentions(refusalOf(".visible .entry k() { .local .b8 x[524289]; ret; }"), "local memory"));
  CHECK(mentions(refusalOf(".visible .entry k() { .local .b8 x[4294967296]; .local .b8 y[16]; ret; }"),
                 "local"));
  CHECK(mentions(refusalOf(".func f(.param .b8 p[2147483648], .param .b8 q[2147483648]) { ret; }\n"
                           ".visible .entry k() { .param .b8 a[2147483648]; .param .b8 b[2147483648];\n"
                           "call f, (a, b); ret; }"),
                 "local"));
  CHECK(refusalOf(".visible .entry k(.param .b8 p[32764]) { ret; }") == "");
  CHECK(mentions(refusalOf(".visible .entry k(.param .b8 p[32765]) { ret; }"), "parameters"));
  CHECK(mentions(refusalOf(".visible .entry k(.param .b8 p[4294967296], .param .u64 q) { ret; }"),
                 "parameters"));
  CHECK(mentions(refusalOf(".visible .entry k() { .shared .align 4 .b8 x[17000000]; ret; }"), "shared"));
  CHECK(mentions(refusalOf(".visible .entry k() { .shared .b8 x[1099511627776]; .shared .b8 y[2]; ret; }"),
                 "shared"));
  CHECK(mentions(refusalOf(".visible .entry k() { .shared .b8 x[18446744073709551615]; ret; }"),
                 "array's size"));
  CHECK(mentions(refusalOf(".global .b8 x[8192];\n.visible .entry k() { ret; }", 4096), "MXC_SIM_MEMORY"));
  CHECK(mentions(refusalOf(".visible .entry k() { .reg .b64 %r<300000>; ret; }"), "registers"));
}

TEST_CASE("a block's limit is a product that does not wrap") {
  GlobalMemory memory(uint64_t(1) << 20);
  LoadedModule module(kHead + ".visible .entry k() .maxntid 65536, 65536 { ret; }\n"
                              ".visible .entry l() .maxntid 8, 4, 2 { ret; }\n"
                              ".visible .entry m() .maxntid 4294967295, 4294967295, 4294967295 { ret; }\n",
                      "test.ptx", memory, Options());
  CHECK(factsOf(*module.kernel("k")).maximumThreads == 1024);
  CHECK(factsOf(*module.kernel("l")).maximumThreads == 64);
  CHECK(factsOf(*module.kernel("m")).maximumThreads == 1024);
}

TEST_CASE("a chain of functions is as long as it likes") {
  constexpr int kFunctions = 50'000;
  std::string text = ".func f0() { ret; }\n";
  for (int i = 1; i < kFunctions; ++i)
    text += ".func f" + std::to_string(i) + "() { call f" + std::to_string(i - 1) + "; ret; }\n";
  CHECK(refusalOf(text + ".visible .entry k() { call f" + std::to_string(kFunctions - 1) + "; ret; }\n") ==
        "");
}
