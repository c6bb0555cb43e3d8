// The role that makes bf16 of a's codes, from ring to ring: within 128 elements in the order of
// mx.load_fragments, under the 128B swizzle.
//
//   element 32 t + 4 j + i of a row  ->  half j / 4, 16-byte piece 2 (j % 4) + i / 2, word t, half i % 2 of
//   it
//
// A lane takes two steps j of a row, of all four blocks: 8 codes of each, under the row's four scales. So it
// stores whole pieces. A warp takes sixteen rows.
#include "compiler/lowering/entry/ScaleTile.h"
#include "compiler/lowering/nvvm/Memory.h"
#include "compiler/lowering/nvvm/Vectors.h"
#include "compiler/lowering/ops/CodesToBf16.h"
#include "compiler/lowering/pipeline/Steps.h"
#include "compiler/lowering/product/fewrows/FewRowsPlan.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace mxc {

namespace {

constexpr int kRowsOfWarp = 16, kBlocks = kScaleTileBlocks, kSteps = 2; // of a lane

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
    row_ = v.shru(lane, 1), steps_ = v.bitAnd(lane, 1);
    inTile_ = v.bitAnd(firstRow, kScaleTileRows - 1); // of the scales
    // Past K codes are zeros, and what stands there for a scale is not part of the product.
    Value bits = v.mul(v.minu(blocks, v.i32(kBlocks - 1)), 8), all = v.less(v.i32(kBlocks - 1), blocks);
    past_ = v.select(all, v.i32(0), v.shl(v.i32(-1), bits));
  }

  /// Converts sixteen rows from group * 16 on.
  void convert(Value group) {
    Value row = v_.add(v_.mul(group, kRowsOfWarp), row_);
    SmallVector<Value> words;
    for (int block = 0; block < kBlocks; ++block) {
      Value from = v_.add(swizzled(row, v_.i32(2 * block + half_)), v_.mul(steps_, 4 * kSteps));
      runs_[block] = nvvm::load(v_, VectorType::get(kSteps, v_.b.getI32Type()), offset(codes_, from), 8);
      for (int step = 0; step < kSteps; ++step)
        words.push_back(nvvm::element(v_, runs_[block], step));
    }
    Value four = loadScales(row);
    const CodesToBf16 convert(v_, element_);
    Value special = v_.bitOr(convert.isSpecial(words, {}), convert.isSpecial(four));
    auto branch = scf::IfOp::create(v_.b, v_.loc, special, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(v_.b);
    SmallVector<Value> pairs[kBlocks];
    for (bool isSpecial : {true, false}) {
      v_.b.setInsertionPointToStart(isSpecial ? branch.thenBlock() : branch.elseBlock());
      for (int block = 0; block < kBlocks; ++block) {
        Value scale = nvvm::permuteBytes(v_, four, v_.i32(0), v_.i32(0x4440 + block));
        pairs[block] = isSpecial ? convert.specialPairs(runs_[block], scale)
                                 : convert.pairs(ArrayRef(words).slice(block * kSteps, kSteps), scale);
      }
      store(row, pairs);
    }
  }

private:
  Value loadScales(Value row) {
    Value inTiles = v_.add(inTile_, row);
    Value at = v_.add(v_.mul(v_.shru(inTiles, 7), kScaleTileBytes), wordInScaleTile(v_, inTiles));
    Value four = nvvm::load(v_, v_.b.getI32Type(), offset(scales_, at), 4);
    Value kept = v_.bitAnd(four, v_.bitXor(past_, v_.i32(-1)));
    return v_.bitOr(kept, v_.bitAnd(past_, 0x7F7F7F7F));
  }

  // Piece 4 steps_ + i has of step i / 2 the pairs i % 2 of all blocks.
  void store(Value row, ArrayRef<SmallVector<Value>> pairs) {
    for (int i = 0; i < 2 * kSteps; ++i) {
      SmallVector<Value> words;
      for (const SmallVector<Value> &ofBlock : pairs)
        words.push_back(ofBlock[i]);
      Value piece = nvvm::fromElements(v_, VectorType::get(kBlocks, v_.b.getI32Type()), words);
      Value to = swizzled(row, v_.add(v_.mul(steps_, 2 * kSteps), int64_t(i)));
      nvvm::store(v_, piece, offset(values_, to), 16);
    }
  }

  Value offset(Value base, Value bytes) { return nvvm::offsetBytes(v_, base, v_.toI64(bytes)); }
  // Bytes to a piece of a row.
  Value swizzled(Value row, Value piece) {
    return v_.add(v_.mul(row, kStepK), v_.mul(v_.bitXor(piece, v_.bitAnd(row_, 7)), 16));
  }

  const ValueBuilder &v_;
  int half_;
  Type element_;
  Value codes_, scales_, values_, row_, steps_, inTile_, past_; // past_: bytes of blocks past K
  Value runs_[kBlocks];
};

} // namespace

void emitDequantizeTokens(const ProductEntry &e, const ValueBuilder &v, const TokenStages &at, int tokens,
                          int warps, Value firstRow, Value blocks) {
  auto element = cast<MemRefType>(e.op.getA().getType()).getElementType();
  TokenBlocks stage(v, at, firstRow, blocks, element);
  Value warp = v.shru(mx::RoleThreadOp::create(v.b, v.loc, v.b.getI32Type()), 5);
  steps::forRange(v, v.i32(0), v.i32(tokens / kRowsOfWarp / warps),
                  [&](Value i) { stage.convert(v.add(v.mul(i, warps), warp)); });
}

} // namespace mxc
