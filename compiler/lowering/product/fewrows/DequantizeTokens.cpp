// The role that makes bf16 of a's codes, from ring to ring: within 128 elements in the order of
// mx.load_fragments, under the 128B swizzle.
//
//   element 32 t + 4 j + i of a row  ->  half j / 4, 16-byte piece 2 (j % 4) + i / 2, word t, half i % 2 of
//   it
//
// A lane takes half a block of 32 codes of a row, its scale and with it t; a warp eight rows.
#include "compiler/lowering/nvvm/Memory.h"
#include "compiler/lowering/nvvm/Vectors.h"
#include "compiler/lowering/ops/CodesToBf16.h"
#include "compiler/lowering/pipeline/Steps.h"
#include "compiler/lowering/product/fewrows/FewRowsPlan.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace mxc {

namespace {

constexpr int kRowsOfWarp = 8, kWords = 4; // words of half a block of codes

class TokenBlocks {
public:
  TokenBlocks(const ValueBuilder &v, const TokenStages &at, Value firstRow, Value blocks, Type element)
      : v_(v), half_(at.half), element_(element) {
    auto address = [&](Value ring, Value stage, int part) -> Value {
      return mx::StageAddressOp::create(v.b, v.loc, nvvm::pointerType(v.b.getContext(), 3), ring, stage,
                                        v.b.getI32IntegerAttr(part));
    };
    codes_ = address(at.codes, at.codeStage, 0), scales_ = address(at.codes, at.codeStage, 1);
    values_ = address(at.values, at.valueStage, 0);
    Value lane = v.bitAnd(mx::RoleThreadOp::create(v.b, v.loc, v.b.getI32Type()), 31);
    inEight_ = v.shru(lane, 2), block_ = v.bitAnd(lane, 3);
    inTile_ = v.bitAnd(firstRow, kScaleTileRows - 1); // of the scales
    inside_ = v.less(block_, blocks);
  }

  /// Of eight rows from each group * 8 on; all are loaded first.
  void convert(ArrayRef<Value> groups) {
    SmallVector<Block> blocks;
    SmallVector<Value> words, scales;
    for (Value group : groups) {
      blocks.push_back(load(group));
      llvm::append_range(words, blocks.back().words);
      scales.push_back(blocks.back().scale);
    }
    const CodesToBf16 convert(v_, element_);
    auto branch = scf::IfOp::create(v_.b, v_.loc, convert.isSpecial(words, scales),
                                    /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(v_.b);
    v_.b.setInsertionPointToStart(branch.thenBlock());
    for (const Block &block : blocks)
      store(block.to, convert.specialPairs(block.piece, block.scale));
    v_.b.setInsertionPointToStart(branch.elseBlock());
    for (const Block &block : blocks)
      store(block.to, convert.pairs(block.words, block.scale));
  }

private:
  struct Block {
    Value piece;              // 16 bytes
    SmallVector<Value> words; // of it
    Value scale, to;          // i32; bytes from the stage's beginning on
  };
  Block load(Value group) {
    Block block;
    Value row = v_.add(v_.mul(group, kRowsOfWarp), inEight_), at = v_.mul(row, kStepK);
    Value from = offset(codes_, v_.add(at, swizzled(v_.add(v_.mul(block_, 2), half_))));
    block.piece = nvvm::load(v_, VectorType::get(kWords, v_.b.getI32Type()), from, 16);
    for (int word = 0; word < kWords; ++word)
      block.words.push_back(nvvm::element(v_, block.piece, word));
    Value scaleRow = v_.add(inTile_, row), inQuarter = v_.mul(v_.bitAnd(scaleRow, 31), 16);
    Value quarter = v_.bitAnd(v_.shru(scaleRow, 5), 3), tile = v_.mul(v_.shru(scaleRow, 7), kScaleTileBytes);
    Value scaleAt = v_.add(v_.add(v_.add(tile, inQuarter), v_.mul(quarter, 4)), block_);
    Value byte = nvvm::load(v_, v_.b.getI8Type(), offset(scales_, scaleAt), 1);
    // Behind K codes are zeros, and what stands there for a scale is not part of the product.
    Value scale = arith::ExtUIOp::create(v_.b, v_.loc, v_.b.getI32Type(), byte);
    block.scale = v_.select(inside_, scale, v_.i32(127));
    block.to = v_.add(at, v_.mul(block_, 4));
    return block;
  }

  Value offset(Value base, Value bytes) { return nvvm::offsetBytes(v_, base, v_.toI64(bytes)); }
  Value swizzled(Value piece) { return v_.mul(v_.bitXor(piece, inEight_), 16); } // a row's, in bytes

  void store(Value rowBytes, ArrayRef<Value> pairs) {
    for (auto [i, pair] : llvm::enumerate(pairs))
      nvvm::store(v_, pair, offset(values_, v_.add(rowBytes, swizzled(v_.i32(int64_t(i))))), 4);
  }

  const ValueBuilder &v_;
  int half_;
  Type element_;
  Value codes_, scales_, values_, inEight_, block_, inTile_, inside_;
};

} // namespace

void emitDequantizeTokens(const ProductEntry &e, const ValueBuilder &v, const TokenStages &at, int tokens,
                          int warps, Value firstRow, Value blocks) {
  auto element = cast<MemRefType>(e.op.getA().getType()).getElementType();
  TokenBlocks stage(v, at, firstRow, blocks, element);
  Value warp = v.shru(mx::RoleThreadOp::create(v.b, v.loc, v.b.getI32Type()), 5);
  int groups = tokens / kRowsOfWarp / warps, atOnce = groups % 2 ? 1 : 2; // as registers allow
  steps::forRange(v, v.i32(0), v.i32(groups / atOnce), [&](Value i) {
    SmallVector<Value> mine;
    for (int group = 0; group < atOnce; ++group)
      mine.push_back(v.add(v.mul(v.add(v.mul(i, atOnce), group), warps), warp));
    stage.convert(mine);
  });
}

} // namespace mxc
