// The rows of chips/Chips.def, and what each takes from its family.
#include "chips/Chip.h"

#include <catch2/catch.hpp>

#include <set>

using namespace mxc;

TEST_CASE("chips: every row has a name of its own, a product, code and limits") {
  std::set<std::string_view> names;
  for (const Chip &chip : allChips()) {
    INFO(chip.name);
    CHECK(names.insert(chip.name).second);
    CHECK(chip.target.text() == chip.name);
    CHECK(chipNamed(chip.name) == &chip);
    CHECK((!chip.product.empty() && chip.llvmFeatures.starts_with("+ptx") &&));
    CHECK((chip.maxSharedBytes > 0 && chip.maxSharedBytes <= chip.limits.sharedBytesPerBlockOptIn));
    CHECK(chip.limits.sharedBytesPerBlockOptIn < chip.limits.sharedBytesPerMultiprocessor);
    CHECK(chip.tensorColumns <= chip.limits.tensorColumns);
    CHECK((chip.tensorColumns > 0) == (chip.family == Family::Blackwell10));
    const Chip *code = chipNamed(chip.llvmChip); // whose code it runs
    REQUIRE(code);
    CHECK(code->target.ptxRunsOn(chip.target));
    CHECK(code->maxSharedBytes == chip.maxSharedBytes);
  }
}

TEST_CASE("chips: each has a device, and an image for several has none") {
  for (const Chip &chip : allChips()) {
    INFO(chip.name);
    CHECK(chip.isSimulated() == (chip.target.suffix == 'a'));
    CHECK(simulatedChip(chip.target) ==
          simulatedChip(TargetName(chip.target.major(), chip.target.minor(), 'a')));
    if (!chip.isSimulated()) continue;
    CHECK(simulatedChip(chip.target) == &chip);
    CHECK((chip.device.multiprocessors > 0 && chip.device.gpcs > 0 && chip.device.memoryBytes > 0));
  }
  CHECK_FALSE(simulatedChip("sm_80"));
}

TEST_CASE("chips: a row begins from its parent and says what differs") {
  const Chip &b200 = *chipNamed("sm_100a"), &b300 = *chipNamed("sm_103a"), &family = *chipNamed("sm_100f"),
             &rubin = *chipNamed("sm_107a");
  CHECK((b300.device.memoryBusBits == b200.device.memoryBusBits &&
         b300.device.memoryBytes != b200.device.memoryBytes));
  CHECK((b300.hasInstructionsOf96 && !b200.hasInstructionsOf96));
  CHECK((b200.hasStochasticConversions && !family.hasStochasticConversions));
  CHECK(rubin.llvmChip == "sm_100f");
  CHECK(rubin.tensorColumns == family.tensorColumns); // its code takes no more
  CHECK((rubin.limits.tensorColumns == 576 && rubin.limits.sharedBytesPerBlockOptIn == 334848));
  CHECK((rubin.toolkit == ToolkitRelease{13, 4} && family.toolkit == ToolkitRelease{13, 0}));
}

TEST_CASE("chips: their names for people") {
  CHECK(simulatedChipNames() == "sm_90a, sm_100a, sm_103a, sm_107a, sm_120a, sm_121a");
  CHECK(compiledChipNames() ==
        "sm_90a, sm_100a, sm_103a, sm_100f (10.x), sm_107a, sm_107f (10.x from 10.7 on), "
        "sm_120a, sm_121a, sm_120f (12.x)");
}
