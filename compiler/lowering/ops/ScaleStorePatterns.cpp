// mx.gather_scales and mx.scale_offset: scale bytes to words, and words to their place.
#include "compiler/lowering/nvvm/Threads.h"
#include "compiler/lowering/nvvm/Vectors.h"
#include "compiler/lowering/ops/PackedPairs.h"
#include "compiler/lowering/ops/TileOpPatterns.h"
#include "dialect/MxOps.h"

#include "mlir/IR/AffineExpr.h"

using namespace mlir;

namespace mxc {

namespace {

struct LowerGatherScales : OpRewritePattern<mx::GatherScalesOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(mx::GatherScalesOp op, PatternRewriter &rewriter) const override {
    ValueBuilder v{rewriter, op.getLoc()};
    int lanes = op.getLanes();
    Value isOdd = bitOf(v, op.getLane(), lanes), isUpper = bitOf(v, op.getLane(), 2 * lanes);
    ValueRange bytes = op.getBytes();
    if (bytes.size() == 1)
      rewriter.replaceOp(op, gatherRow(v, bytes[0], isOdd, isUpper, lanes));
    else
      rewriter.replaceOp(op, transpose(v, bytes, isOdd, isUpper, lanes));
    return success();
  }

  static Value bitOf(const ValueBuilder &v, Value lane, int64_t mask) {
    return v.cmp(ValueBuilder::Predicate::ne, v.bitAnd(lane, mask), v.i32(0));
  }
  static Value selector(const ValueBuilder &v, Value condition, int64_t then, int64_t otherwise) {
    return v.select(condition, v.i32(then), v.i32(otherwise));
  }

  // Byte kb of the word from lane group kb. prmt numbers its own bytes 0 to 3 and the partner's 4 to 7.
  static Value gatherRow(const ValueBuilder &v, Value byte, Value isOdd, Value isUpper, int lanes) {
    Value partner = nvvm::shuffleXor(v, byte, lanes);
    Value half =
        nvvm::permuteBytes(v, byte, partner, selector(v, isOdd, 0x3304, 0x3340)); // (even, odd) in 16 bits
    partner = nvvm::shuffleXor(v, half, 2 * lanes);
    return nvvm::permuteBytes(v, half, partner, selector(v, isUpper, 0x1054, 0x5410));
  }

  // The bytes of four rows. Those of two may be halves of one register, where scales are encoded in pairs.
  static Value columnOf(const ValueBuilder &v, ValueRange rows) {
    Value first = pairOfHalves(rows[0], rows[1]), second = pairOfHalves(rows[2], rows[3]);
    if (first && second) return nvvm::permuteBytes(v, first, second, v.i32(0x6420));
    Value low = nvvm::permuteBytes(v, rows[0], rows[1], v.i32(0x3340));
    Value high = nvvm::permuteBytes(v, rows[2], rows[3], v.i32(0x3340));
    return nvvm::permuteBytes(v, low, high, v.i32(0x5410));
  }

  //   group g holds rows r0..r3 of block g        after step 1 (xor 1)             after step 2 (xor 2)
  //   g0: r0 r1 r2 r3                             g0: r0: b0 b1 | r2: b0 b1        g0: r0: b0 b1 b2 b3
  //   g1: r0 r1 r2 r3                             g1: r1: b0 b1 | r3: b0 b1        g1: r1: b0 b1 b2 b3
  static Value transpose(const ValueBuilder &v, ValueRange rows, Value isOdd, Value isUpper, int lanes) {
    Value column = columnOf(v, rows);
    Value partner = nvvm::shuffleXor(v, column, lanes);
    Value halves = nvvm::permuteBytes(v, column, partner, selector(v, isOdd, 0x3715, 0x6240));
    partner = nvvm::shuffleXor(v, halves, 2 * lanes);
    return nvvm::permuteBytes(v, halves, partner, selector(v, isUpper, 0x3276, 0x5410));
  }
};

// The layout's affine map gives the place in [tiles of rows, tiles of blocks, 32, 4, 4]; linearized
// row-major.
struct LowerScaleOffset : OpRewritePattern<mx::ScaleOffsetOp> {
  using OpRewritePattern::OpRewritePattern;

  static Value expand(const ValueBuilder &v, AffineExpr expression, ArrayRef<Value> dims) {
    if (auto dim = dyn_cast<AffineDimExpr>(expression)) return dims[dim.getPosition()];
    if (auto constant = dyn_cast<AffineConstantExpr>(expression)) return v.i64(constant.getValue());
    auto binary = cast<AffineBinaryOpExpr>(expression);
    Value x = expand(v, binary.getLHS(), dims), y = expand(v, binary.getRHS(), dims);
    switch (expression.getKind()) { // rows and blocks are never negative
    case AffineExprKind::FloorDiv:
      return v.divu(x, y);
    case AffineExprKind::Mod:
      return v.remu(x, y);
    case AffineExprKind::Mul:
      return v.mul(x, y);
    case AffineExprKind::Add:
      return v.add(x, y);
    default:
      llvm_unreachable("scale layouts use +, *, floordiv and mod");
    }
  }

  LogicalResult matchAndRewrite(mx::ScaleOffsetOp op, PatternRewriter &rewriter) const override {
    ValueBuilder v{rewriter, op.getLoc()};
    const ScaleLayoutInfo &tile = info(ScaleLayout(op.getLayout().getKind()));
    // Extents of all but the slowest index.
    SmallVector<Value> extents = {op.getExtent()};
    if (tile.tileScales() > 1)
      extents = {
          v.ceilDivu(op.getExtent(), tile.order == ScaleTileOrder::MnMajor ? tile.tileRows : tile.tileBlocks),
          v.i64(tile.interleave), v.i64(tile.tileRows / tile.interleave), v.i64(tile.tileBlocks)};
    AffineMap map = op.getLayout().getAffineMap();
    Value offset = expand(v, map.getResult(0), {op.getRow(), op.getBlock()});
    for (auto [extent, index] : llvm::zip(extents, map.getResults().drop_front())) {
      Value place = expand(v, index, {op.getRow(), op.getBlock()});
      offset = v.add(v.mul(offset, extent), place);
    }
    rewriter.replaceOp(op, offset);
    return success();
  }
};

} // namespace

void populateScaleStorePatterns(RewritePatternSet &patterns) {
  patterns.add<LowerGatherScales, LowerScaleOffset>(patterns.getContext());
}

} // namespace mxc
