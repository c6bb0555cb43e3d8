#include "compiler/lowering/quantize/LaneBlocks.h"
#include "compiler/lowering/entry/Branch.h"
#include "compiler/lowering/nvvm/Memory.h"
#include "compiler/lowering/nvvm/Threads.h"
#include "compiler/lowering/nvvm/Vectors.h"

using namespace mlir;

namespace mxc {

static Value wordsOf(const ValueBuilder &v, ArrayRef<Value> words) {
  return nvvm::fromElements(v, VectorType::get(words.size(), v.b.getI32Type()), words);
}

SmallVector<Value> splitVectors(const ValueBuilder &v, ArrayRef<Value> vectors, int parts) {
  if (parts == 1) return SmallVector<Value>(vectors);
  SmallVector<Value> result;
  for (Value vector : vectors) {
    auto type = cast<VectorType>(vector.getType());
    const int64_t count = type.getNumElements() / parts;
    const int words = int(count * type.getElementTypeBitWidth() / 32);
    Value all = nvvm::bitcast(v, VectorType::get(words * parts, v.b.getI32Type()), vector);
    for (int part = 0; part < parts; ++part) {
      SmallVector<Value> some;
      for (int i = 0; i < words; ++i)
        some.push_back(nvvm::element(v, all, part * words + i));
      result.push_back(nvvm::bitcast(v, VectorType::get(count, type.getElementType()), wordsOf(v, some)));
    }
  }
  return result;
}

SmallVector<Value> joinWords(const ValueBuilder &v, ArrayRef<Value> vectors, int parts) {
  if (parts == 1) return SmallVector<Value>(vectors);
  SmallVector<Value> result;
  for (; !vectors.empty(); vectors = vectors.drop_front(parts)) {
    SmallVector<Value> all;
    for (Value vector : vectors.take_front(parts))
      for (int i = 0; i < cast<VectorType>(vector.getType()).getNumElements(); ++i)
        all.push_back(nvvm::element(v, vector, i));
    result.push_back(wordsOf(v, all));
  }
  return result;
}

// Two lanes exchange two rows' blocks, and the first stores the words of rows r and r + 32, which lie side by
// side, the second those of r + 64 and r + 96.
//
//   lane 0: blocks 0 1 of r, r + 32 | r + 64, r + 96 --.  .-> lane 0: blocks 0 1 2 3 of r, r + 32
//   lane 1: blocks 2 3 of r, r + 32 | r + 64, r + 96 --'  '-> lane 1: blocks 0 1 2 3 of r + 64, r + 96
static void storeWordPairs(const ValueBuilder &v, Value scales, const TilePosition &at,
                           ArrayRef<Value> codes) {
  auto wordOf = [&](ArrayRef<Value> four) {
    Value word = four[0];
    for (int i = 1; i < 4; ++i)
      word = v.bitOr(word, v.shl(four[i], 8 * i));
    return word;
  };
  Value lower = wordOf(codes.take_front(4)), upper = wordOf(codes.take_back(4));
  Value isSecond = v.cmp(ValueBuilder::Predicate::ne, v.bitAnd(at.lane, 1), v.i32(0));
  Value kept = v.select(isSecond, upper, lower);
  Value received = nvvm::shuffleXor(v, v.select(isSecond, lower, upper), 1);
  Value first = v.select(isSecond, received, kept), second = v.select(isSecond, kept, received);
  Value words = wordsOf(v, {nvvm::permuteBytes(v, first, second, v.i32(0x5410)),
                            nvvm::permuteBytes(v, first, second, v.i32(0x7632))});
  Value row = at.scaleRows.front(), block = firstBlockOfWord(v, at);
  row = v.add(row, v.select(isSecond, v.like(row, 64), v.like(row, 0)));
  Value offset = scaleOffset(v, mx::ScaleLayoutKind::Tcgen05, row, block, {at.scaleRowCount, at.blocks});
  ifThen(v, v.less(block, at.blocks),
         [&] { nvvm::store(v, words, nvvm::offsetBytes(v, scales, offset), 8); });
}

void storeBlockPairs(const ValueBuilder &v, Value scales, Type scale, mx::ScaleLayoutKind layout,
                     const TilePosition &at, ArrayRef<Value> codes) {
  if (layout == mx::ScaleLayoutKind::Tcgen05) return storeWordPairs(v, scales, at, codes);
  for (int i : {0, 1}) {
    SmallVector<Value> column;
    for (size_t j = i; j < codes.size(); j += 2)
      column.push_back(codes[j]);
    TilePosition ofBlock = at;
    ofBlock.block = v.add(at.block, i);
    storeScales(v, scales, scale, layout, ofBlock, /*lanesPerBlock=*/1, column);
  }
}

} // namespace mxc
