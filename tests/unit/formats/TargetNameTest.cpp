// Names of targets: what is one, and which chips run code for it.
#include "dialect/formats/TargetName.h"

#include <catch2/catch.hpp>

using mxc::TargetName;

TEST_CASE("a target is sm_, a capability of two or three digits, and perhaps a or f") {
  for (const char *text : {"sm_90", "sm_90a", "sm_100", "sm_100a", "sm_103f", "sm_999a"}) {
    INFO(text);
    auto name = TargetName::parse(text);
    REQUIRE(name);
    CHECK(name->text() == text);
  }
  auto name = *TargetName::parse("sm_103a");
  CHECK((name.major() == 10 && name.minor() == 3 && name.suffix == 'a'));
  CHECK(name == TargetName("sm_103a"));
  CHECK(name == TargetName(10, 3, 'a'));
}

TEST_CASE("what is no target, whatever a file says") {
  for (std::string text : {"",           "sm_",     "sm_a",           "sm_f",    "sm_9",   "sm_9a",
                           "sm_090",     "sm_1000", "sm_99999999999", "sm_-90",  "sm_+90", "sm_ 90",
                           "sm_90 ",     "sm_90b",  "sm_90aa",        "sm_90af", "sm_9a0", "SM_90",
                           "compute_90", "90",      "sm_90,debug"}) {
    INFO(text);
    CHECK_FALSE(TargetName::parse(text));
  }
  CHECK_FALSE(TargetName::parse(std::string_view("sm_90\0a", 7)));
}

TEST_CASE("which chips run PTX for a target") {
  struct Row {
    TargetName target, chip;
    bool isPtxRun;
  };
  constexpr Row kRows[] = {
      {"sm_90a", "sm_90a", true},   {"sm_90a", "sm_90", true}, // a chip has any suffix
      {"sm_90a", "sm_100a", false}, {"sm_100a", "sm_103a", false}, {"sm_100f", "sm_100a", true},
      {"sm_100f", "sm_103a", true}, {"sm_103f", "sm_100a", false}, {"sm_100f", "sm_120a", false},
      {"sm_100", "sm_103a", true},  {"sm_103", "sm_100a", false},  {"sm_90", "sm_100a", true},
      {"sm_100", "sm_120a", true}, // PTX of no suffix goes to later majors
      {"sm_100", "sm_90a", false},  {"sm_80", "sm_90a", true},
  };
  for (const Row &row : kRows) {
    INFO(row.target.text() << " on " << row.chip.text());
    CHECK(row.target.ptxRunsOn(row.chip) == row.isPtxRun);
  }
}
