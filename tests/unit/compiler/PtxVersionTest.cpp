#include "compiler/codegen/PtxVersion.h"

#include <catch2/catch.hpp>

using namespace mxc;

TEST_CASE("PTX versions: names") {
  CHECK(ptxVersionNamed("9.1") == 91);
  CHECK(ptxVersionNamed("8.0") == 80);
  for (const char *text : {"", "9", "9.", "9.10", "-9.1", "nine", "9.1.2", " 9.1"})
    CHECK_FALSE(ptxVersionNamed(text));
}

TEST_CASE("PTX versions: what a release reads") {
  CHECK(newestPtxOf(12, 9) == 0);
  CHECK(newestPtxOf(13, 0) == 90);
  CHECK(newestPtxOf(13, 1) == 91);
  CHECK(newestPtxOf(13, 3) == 93);
  CHECK(newestPtxOf(13, 4) == 94);
  CHECK(newestPtxOf(13, 5) == 94);
  CHECK(newestPtxOf(14, 0) == 94);
}

TEST_CASE("PTX versions: what instructions need is written, and never less than was") {
  std::string head = "// made\n.version 8.8\n.target sm_100a\n",
              code = "cvt.rn.satfinite.e4m3x2.bf16x2 %rs1, %r1;\n";
  CHECK(withVersionNeeded(head) == head);
  CHECK(withVersionNeeded(head + code) == "// made\n.version 9.1\n.target sm_100a\n" + code);
  std::string newer = "\n.version 9.3\n" + code;
  CHECK(withVersionNeeded(newer) == newer);
  CHECK(ptxVersionOf(newer) == 93);
  CHECK(ptxVersionText(93) == "9.3");
  CHECK(ptxVersionOf(".target sm_100a") == 0);
}
