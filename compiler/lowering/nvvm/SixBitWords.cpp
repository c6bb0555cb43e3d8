#include "compiler/lowering/nvvm/SixBitWords.h"
#include "compiler/lowering/nvvm/Vectors.h"

using namespace mlir;

namespace mxc::nvvm {

static constexpr int kRunBytes = 3, kWordBytes = 4;

// 4 x 6 bits to 2 x 12, and to 24: what lies above a code is zero.
static Value runOfBytes(const ValueBuilder &v, Value bytes) {
  Value halves = v.bitOr(v.bitAnd(bytes, 0x003F003F), v.shru(v.bitAnd(bytes, 0x3F003F00), 2));
  return v.bitOr(v.bitAnd(halves, 0xFFF), v.shru(v.bitAnd(halves, 0x0FFF0000), 4));
}

Value bytesOfSixBits(const ValueBuilder &v, Value run) {
  Value halves = v.bitOr(v.bitAnd(run, 0xFFF), v.bitAnd(v.shl(run, 4), 0x0FFF0000));
  return v.bitOr(v.bitAnd(halves, 0x003F003F), v.bitAnd(v.shl(halves, 2), 0x3F003F00));
}

// Four bytes from the one numbered `first` on, of parts that have `partBytes` each; past the last part the
// highest byte of the one before. They lie in two parts at most.
static Value bytesFrom(const ValueBuilder &v, ArrayRef<Value> parts, int partBytes, int first) {
  const int part = first / partBytes, last = int(parts.size()) - 1;
  int64_t selector = 0;
  for (int i = 0; i < kWordBytes; ++i) {
    const int from = (first + i) / partBytes, byte = (first + i) % partBytes;
    const int64_t of = from > last ? kWordBytes - 1 : (from - part) * kWordBytes + byte;
    selector |= of << 4 * i;
  }
  return permuteBytes(v, parts[part], parts[std::min(part + 1, last)], v.i32(selector));
}

SmallVector<Value> wordsOfSixBits(const ValueBuilder &v, ArrayRef<Value> bytes, int count) {
  SmallVector<Value> runs, words;
  for (Value four : bytes)
    runs.push_back(runOfBytes(v, four)); // with a highest byte of zero
  for (int word = 0; word < count; ++word)
    words.push_back(bytesFrom(v, runs, kRunBytes, word * kWordBytes));
  return words;
}

SmallVector<Value> runsOfSixBits(const ValueBuilder &v, ValueRange words) {
  const SmallVector<Value> all(words);
  SmallVector<Value> runs;
  for (int first = 0; first + kRunBytes <= int(all.size()) * kWordBytes; first += kRunBytes)
    runs.push_back(bytesFrom(v, all, kWordBytes, first));
  return runs;
}

} // namespace mxc::nvvm
