#include "compiler/targets/BlackwellTiles.h"
#include "compiler/targets/Chips.h"

namespace mxc {

constinit const Target kBlackwell10 = [] {
  Target family = blackwellFamily();
  family.tensorCore = TensorCore::TensorMemory;
  family.matmulTiles = kTensorMemoryTiles;
  family.matmulCandidates = kTensorMemoryCandidates;
  family.partTiles = kTensorMemoryPartTiles;
  family.wideTiles = kWideTensorMemoryTiles;
  family.wideCandidates = kWideTensorMemoryCandidates;
  family.tensorRates = &kBlackwellRates;
  family.joinedParts = {.fewRows = 56, .ofMany = true}; // Hopper's bound, unmeasured
  return family;
}();

} // namespace mxc
