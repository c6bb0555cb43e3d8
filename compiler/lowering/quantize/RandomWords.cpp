#include "compiler/lowering/quantize/RandomWords.h"
#include "compiler/lowering/nvvm/Memory.h"
#include "dialect/MxOps.h"

using namespace mlir;

namespace mxc {

RandomNumbers::RandomNumbers(EntryFunction &entry, const KernelSignature &signature, Value random)
    : v_(entry.values()) {
  Value source = entry.pointer(signature.argument(random).name);
  seed_ = nvvm::load(v_, v_.b.getI64Type(), source, 8);
  offset_ = nvvm::load(v_, v_.b.getI64Type(), nvvm::offsetBytes(v_, source, v_.i64(8)), 8);
}

SmallVector<Value> RandomNumbers::ofRun(Value run, Value row) const {
  auto words = mx::RandomWordsOp::create(v_.b, v_.loc, seed_, offset_, run, row);
  return SmallVector<Value>(words.getResults());
}

SmallVector<Value> RandomNumbers::ofColumnRun(Value run, Value row) const {
  return ofRun(v_.bitOr(run, v_.i32(int32_t(kColumnRuns))), row);
}

RandomWords::RandomWords(EntryFunction &entry, const RandomNumbers &numbers, const TilePosition &at,
                         int elements, int parts)
    : v_(entry.values()), numbers_(numbers), at_(at), elements_(elements / parts), parts_(size_t(parts)) {
  column_ = v_.toI32(at.column), run_ = v_.divu(column_, kRandomColumns);
}

SmallVector<Value> RandomWords::of(size_t index) const {
  const int first = int(index % parts_) * elements_;
  Value row = v_.toI32(at_.rows[index / parts_]);
  SmallVector<Value> words;
  for (int column = first; column < first + elements_; column += kRandomColumns)
    llvm::append_range(words, numbers_.ofRun(v_.add(run_, column / kRandomColumns), row));
  // The words of a run that the lane's part of it takes.
  for (size_t half = words.size() / 2; half >= size_t(elements_) / kRandomOfWord; half /= 2) {
    Value isLater =
        v_.cmp(ValueBuilder::Predicate::ne, v_.bitAnd(column_, int64_t(half) * kRandomOfWord), v_.i32(0));
    for (size_t i = 0; i < half; ++i)
      words[i] = v_.select(isLater, words[half + i], words[i]);
    words.resize(half);
  }
  return words;
}

} // namespace mxc
