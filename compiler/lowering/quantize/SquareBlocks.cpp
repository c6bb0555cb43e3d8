#include "compiler/lowering/quantize/SquareBlocks.h"
#include "compiler/lowering/nvvm/Memory.h"
#include "compiler/lowering/nvvm/Threads.h"

using namespace mlir;

namespace mxc {

bool hasWholeBlocks(mx::QuantizeTileAttr tile, BlockShape block) {
  return tile.getWarps() * tile.getRowsPerWarp() == block.rows && block.rows == kScaleTileRows &&
         tile.getVariant() == mx::TileVariant::Direct;
}

void placeMaxima(SharedLayout &shared, mx::QuantizeTileAttr tile, int lanesPerBlock) {
  shared.add("maxima", 4 * tile.getWarps() * (32 / lanesPerBlock), 16);
}

void joinRows(const ValueBuilder &v, Value shared, const TilePosition &at, mx::QuantizeTileAttr tile,
              int lanesPerBlock, MutableArrayRef<Value> maxima) {
  const int warps = int(tile.getWarps());
  Value own = maxima.front();
  for (Value maximum : maxima.drop_front())
    own = v.maxu(own, maximum); // NaN is the largest
  Value block = v.divu(at.lane, lanesPerBlock), inBlock = v.bitAnd(at.lane, lanesPerBlock - 1);
  auto place = [&](Value warp) {
    Value index = v.add(v.mul(block, warps), warp);
    return nvvm::offsetBytes(v, shared, v.toI64(v.mul(index, 4)));
  };
  nvvm::store(v, own, place(at.warp), 4); // all lanes of a block the same
  nvvm::syncThreads(v);
  Value all;
  for (int first = 0; first < warps; first += lanesPerBlock) {
    Value other = nvvm::load(v, v.b.getI32Type(), place(v.add(inBlock, first)), 4);
    all = all ? v.maxu(all, other) : other;
  }
  for (int mask = lanesPerBlock / 2; mask; mask /= 2)
    all = v.maxu(all, nvvm::shuffleXor(v, all, mask));
  for (Value &maximum : maxima)
    maximum = all;
}

TilePosition scalesOfBlocks(const ValueBuilder &v, const TilePosition &at) {
  TilePosition scales = at;
  scales.scaleRows = {v.divu(at.rowBlock, kScaleTileRows)};
  scales.rowValid = {v.equal(at.warp, v.i32(0))};
  scales.scaleRowCount = v.ceilDivu(at.scaleRowCount, kScaleTileRows);
  return scales;
}

} // namespace mxc
