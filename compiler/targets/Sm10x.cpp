#include "compiler/targets/BlackwellTiles.h"
#include "compiler/targets/Chips.h"
#include "compiler/targets/ColumnTiles.h"

namespace mxc {

// The chips 10.x differ in their names and capability alone; `name` is also what llc calls the chip.
static constexpr Target blackwell(std::string_view name, std::string_view product, int computeMinor) {
  return {.name = name,
          .product = product,
          .computeMajor = 10,
          .computeMinor = computeMinor,
          .llvmChip = name,
          .llvmFeatures = "+ptx88",
          .maxSharedBytes = 227 * 1024,
          .maxVectorBytes = 32,
          .hasBulkTensor = true,
          .tensorCore = TensorCore::TensorMemory,
          .tensorColumns = 512,
          .scaledConversionPtx = 92,
          .packedConversionPtx = 91,
          .hasNarrowConversions = true,
          .quantizeTiles = kBlackwellTiles,
          .fusedQuantizeTiles = kBlackwellFusedTiles,
          .narrowQuantizeTiles = kBlackwellNarrowTiles,
          .quantizeCandidates = kBlackwellCandidates,
          .columnTiles = kH200ColumnTiles,
          .matmulTiles = kTensorMemoryTiles,
          .matmulCandidates = kTensorMemoryCandidates,
          .partTiles = kTensorMemoryPartTiles,
          .tensorRates = &kBlackwellRates};
}

constinit const Target kSm100a = blackwell("sm_100a", "Blackwell (B100, B200)", 0);
constinit const Target kSm103a = blackwell("sm_103a", "Blackwell Ultra (B300)", 3);
// This is one image for all chips 10.x (B200, B300, ..): what their 'a' targets share.
constinit const Target kSm100f = blackwell("sm_100f", "Blackwell, the family 10.x", 0);

} // namespace mxc
