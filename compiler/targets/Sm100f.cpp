#include "compiler/targets/BlackwellTiles.h"
#include "compiler/targets/Chips.h"

namespace mxc {

// One image for all chips 10.x (B200, B300, ..): what their 'a' targets share.
const Target kSm100f = {.name = "sm_100f",
                        .product = "Blackwell, the family 10.x",
                        .computeMajor = 10,
                        .computeMinor = 0,
                        .llvmChip = "sm_100f",
                        .llvmFeatures = "+ptx88",
                        .maxSharedBytes = 227 * 1024,
                        .maxVectorBytes = 32,
                        .hasBulkTensor = true,
                        .tensorCore = TensorCore::TensorMemory,
                        .tensorColumns = 512,
                        .scaledConversionPtx = 92,
                        .packedConversionPtx = 91,
                        .quantizeTiles = kBlackwellTiles,
                        .fusedQuantizeTiles = kBlackwellFusedTiles,
                        .narrowQuantizeTiles = kBlackwellNarrowTiles,
                        .quantizeCandidates = kBlackwellCandidates,
                        .tensorRates = &kBlackwellRates};

} // namespace mxc
