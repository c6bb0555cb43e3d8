#include "compiler/reference/ScalePlace.h"

namespace mxc {

ScalePlace scalePlace(ScaleLayout layout, int64_t offset, int64_t rows, int64_t blocks) {
  if (layout == ScaleLayout::Dense) return {offset / blocks, offset % blocks, false};
  int64_t tilesInRow = (blocks + kScaleTileBlocks - 1) / kScaleTileBlocks;
  int64_t tile = offset / kScaleTileBytes, inTile = offset % kScaleTileBytes;
  ScalePlace place;
  place.row = tile / tilesInRow * kScaleTileRows + inTile % 16 / 4 * 32 + inTile / 16;
  place.block = tile % tilesInRow * kScaleTileBlocks + inTile % 4;
  place.isPadding = place.row >= rows || place.block >= blocks;
  return place;
}

} // namespace mxc
