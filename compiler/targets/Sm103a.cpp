#include "compiler/targets/BlackwellTiles.h"
#include "compiler/targets/Chips.h"

namespace mxc {

const Target kSm103a = {.name = "sm_103a",
                        .product = "Blackwell Ultra (B300)",
                        .computeMajor = 10,
                        .computeMinor = 3,
                        .llvmChip = "sm_103a",
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
