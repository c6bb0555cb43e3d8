#include "compiler/targets/BlackwellTiles.h"
#include "compiler/targets/Chips.h"
#include "compiler/targets/ColumnTiles.h"

namespace mxc {

const Target kSm120a = {.name = "sm_120a",
                        .product = "Blackwell (RTX 50, RTX PRO 6000)",
                        .computeMajor = 12,
                        .computeMinor = 0,
                        .llvmChip = "sm_120a",
                        .llvmFeatures = "+ptx88",
                        .maxSharedBytes = 99 * 1024,
                        .maxVectorBytes = 16,
                        .hasBulkTensor = true,
                        .scaledConversionPtx = 92,
                        .packedConversionPtx = 91,
                        .hasNarrowConversions = true,
                        .quantizeTiles = kBlackwellTiles,
                        .fusedQuantizeTiles = kBlackwellFusedTiles,
                        .narrowQuantizeTiles = kBlackwellNarrowTiles,
                        .quantizeCandidates = kBlackwellCandidates,
                        .columnTiles = kH200ColumnTiles};

} // namespace mxc
