#include "compiler/targets/BlackwellTiles.h"
#include "compiler/targets/Chips.h"

namespace mxc {

// The chips 10.x differ in their names and capability, and in a few instructions.
static constexpr Target blackwell(std::string_view name, std::string_view product, int computeMinor,
                                  bool hasStochasticConversions = true) {
  Target chip = blackwellTarget(name, product, 10, computeMinor, /*maxSharedBytes=*/227 * 1024,
                                /*maxVectorBytes=*/32);
  chip.tensorCore = TensorCore::TensorMemory;
  chip.tensorColumns = 512;
  chip.matmulTiles = kTensorMemoryTiles;
  chip.matmulCandidates = kTensorMemoryCandidates;
  chip.partTiles = kTensorMemoryPartTiles;
  chip.tensorRates = &kBlackwellRates;
  chip.joinedParts = {.fewRows = 56, .ofMany = true}; // Hopper's bound, unmeasured
  chip.hasStochasticConversions = hasStochasticConversions;
  return chip;
}

constinit const Target kSm100a = blackwell("sm_100a", "Blackwell (B100, B200)", 0);
constinit const Target kSm103a = [] {
  Target chip = blackwell("sm_103a", "Blackwell Ultra (B300)", 3);
  chip.wideTiles = kWideTensorMemoryTiles;
  chip.wideCandidates = kWideTensorMemoryCandidates;
  return chip;
}();
// This is one image for all chips 10.x (B200, B300, ..): what their 'a' targets share.
constinit const Target kSm100f = blackwell("sm_100f", "Blackwell, the family 10.x", 0,
                                           /*hasStochasticConversions=*/false);

} // namespace mxc
