#include "compiler/targets/BlackwellTiles.h"
#include "compiler/targets/Families.h"

namespace mxc {

constinit const TileLists kBlackwell10Tiles = [] {
  TileLists tiles = kBlackwellTileLists;
  tiles.matmulTiles = kTensorMemoryTiles;
  tiles.matmulCandidates = kTensorMemoryCandidates;
  tiles.partTiles = kTensorMemoryPartTiles;
  tiles.wideTiles = kWideTensorMemoryTiles;
  tiles.wideCandidates = kWideTensorMemoryCandidates;
  tiles.tensorRates = &kBlackwellRates;
  return tiles;
}();

} // namespace mxc
