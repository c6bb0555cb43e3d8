// What an instruction asks of the chip, and what is said where the chip lacks it.
#include "runtime/simulator/decode/Requirement.h"
#include "RunPtx.h"

#include <catch2/catch.hpp>

using namespace mxc::sim;
using mxc::TargetName;

namespace {

ptx::Instruction instructionOf(std::vector<std::string> modifiers, size_t operands = 0) {
  ptx::Instruction instruction;
  instruction.opcode = "ld", instruction.modifiers = std::move(modifiers);
  instruction.operands.resize(operands);
  return instruction;
}

std::string lack(const Requirement &requirement, const ptx::Instruction &source, TargetName chip) {
  return lackOf({&requirement, 1}, source, chip);
}

/// The message of the first instruction that faults.
std::string refusal(const std::string &body, const std::string &target) {
  PtxRun run;
  run.target = target;
  PtxOutcome outcome = runPtxBytes(kernelOf(body, target), std::vector<std::byte>(64), 64, run);
  return outcome.fault ? outcome.fault->message : "";
}

} // namespace

TEST_CASE("a requirement is of the forms that have all its modifiers") {
  Requirement wide{"sm_100", "v4.*64"}, kinds{"sm_120a", "kind::*"}, three{"sm_100", "f32", 4};
  CHECK(lack(wide, instructionOf({"global", "v4", "b64"}), "sm_90a") ==
        ".v4.*64 needs sm_100 or later, this is sm_90a");
  CHECK(lack(wide, instructionOf({"v4", "global", "f64"}), "sm_90a") != "");
  CHECK(lack(wide, instructionOf({"v4", "b32"}), "sm_90a") == "");
  CHECK(lack(wide, instructionOf({"v2", "b64"}), "sm_90a") == "");
  CHECK(lack(wide, instructionOf({"v4", "b64"}), "sm_120a") == "");
  CHECK(lack(kinds, instructionOf({"kind::mxf4"}), "sm_100a") == ".kind::* needs sm_120a, this is sm_100a");
  CHECK(lack(kinds, instructionOf({"kind"}), "sm_100a") == "");
  CHECK(lack(three, instructionOf({"f32"}, 3), "sm_90a") == "");
  CHECK(lack(three, instructionOf({"f32"}, 4), "sm_90a") ==
        ".f32 with 4 operands needs sm_100 or later, this is sm_90a");
}

TEST_CASE("chips that lack an instruction, or a form of one") {
  struct Row {
    const char *body, *chip, *message;
  };
  static const Row kRows[] = {
      {"wgmma.fence.sync.aligned;", "sm_100a", "wgmma.fence.sync.aligned: needs sm_90a, this is sm_100a"},
      {"tcgen05.fence::before_thread_sync;", "sm_120a", "needs sm_100f (10.x), this is sm_120a"},
      {".reg .f32 %f; mov.f32 %f, 0f00000000; redux.sync.min.f32 %f, %f, -1;", "sm_120a",
       ".f32 needs sm_100f (10.x), this is sm_120a"},
      {".reg .b64 %a; ld.global.v4.b64 {%a, %a, %a, _}, [%in];", "sm_90a",
       "needs sm_100 or later, this is sm_90a"},
      {".reg .f32 %f; mov.f32 %f, 0f00000000; min.f32 %f, %f, %f, %f;", "sm_90a",
       "with 4 operands needs sm_100"},
  };
  for (const Row &row : kRows) {
    INFO(row.body);
    CHECK_THAT(refusal(row.body, row.chip), Catch::Contains(row.message));
  }
  CHECK(refusal(".reg .f32 %f; mov.f32 %f, 0f00000000; redux.sync.min.f32 %f, %f, -1;", "sm_103a") == "");
}
