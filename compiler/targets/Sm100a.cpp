#include "compiler/targets/BlackwellTiles.h"
#include "compiler/targets/Chips.h"

namespace mxc {

const Target kSm100a = {.name = "sm_100a",
                        .product = "Blackwell (B100, B200)",
                        .computeMajor = 10,
                        .computeMinor = 0,
                        .llvmChip = "sm_100a",
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
