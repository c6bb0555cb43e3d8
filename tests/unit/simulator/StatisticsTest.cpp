// --stats: names, classes, counts an element.
#include "RunPtx.h"

#include <catch2/catch.hpp>

using namespace mxc::sim;
using Catch::Matchers::Contains;

TEST_CASE("instructions are counted by opcode, class and element") {
  std::string body = ".reg .b32 %t, %v; .reg .f32 %f; .reg .b64 %at;\n"
                     "mov.u32 %t, %tid.x; mad.wide.u32 %at, %t, 4, %out; ld.global.f32 %f, [%in];\n"
                     "add.rn.ftz.f32 %f, %f, %f; add.s32 %v, %t, 1; st.global.f32 [%at], %f;\n";
  std::vector<std::byte> one(4);
  Statistics statistics = runPtxBytes(kernelOf(body), one, 32 * 4).statistics;
  CHECK(statistics.warpInstructions == 9); // two ld.param and ret among them
  CHECK(statistics.byOpcode.at("add.f32") == 1);
  CHECK(statistics.byOpcode.at("add.s32") == 1);
  const auto &classes = statistics.byClass;
  CHECK(classes.at("float") == 1);
  CHECK(classes.at("integer") == 2);
  CHECK(classes.at("memory") == 4);
  CHECK(classes.at("move") == 1);
  CHECK(classes.at("control") == 1);
  CHECK(statistics.globalStoreBytes == 128);
  CHECK(statistics.globalStoreSectors == 4);
  CHECK_THAT(statistics.text(64), Contains("  memory                                4        2.000"));
  CHECK_THAT(statistics.json(64), Contains("\"lane_instructions_an_element\": 4.500000"));
  CHECK_THAT(statistics.json(),
             Contains("\"warp_instructions_by_class\": {\"control\": 1, ") && !Contains("elements"));
}

TEST_CASE("an instruction that waits counts once") {
  PtxRun how;
  how.block = {128, 1, 1};
  Statistics statistics = runPtxBytes(kernelOf("bar.sync 0;"), std::vector<std::byte>(4), 4, how).statistics;
  CHECK(statistics.warpInstructions == 4 * 4); // two ld.param, bar, ret
  CHECK(statistics.laneInstructions == 32 * statistics.warpInstructions);
}

TEST_CASE("packed video instructions are counted as integer ones") {
  std::string body =
      ".reg .b32 %t;\nmov.u32 %t, 1; vadd2.u32.u32.u32 %t, %t, %t, %t; vadd.u32.u32.u32 %t, %t, %t;\n";
  Statistics statistics = runPtxBytes(kernelOf(body), std::vector<std::byte>(4), 4).statistics;
  CHECK(statistics.byOpcode.at("vadd2") == 1);
  CHECK(statistics.byClass.at("integer") == 2);
  CHECK_FALSE(statistics.byClass.contains("other"));
}
