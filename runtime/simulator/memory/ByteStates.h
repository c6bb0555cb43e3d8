// What the states (ByteState) of a lane's bytes allow: words of states instead of loops over bytes.
#pragma once

#include "runtime/simulator/machine/SharedMemory.h"

#include <cstdint>
#include <cstring>

namespace mxc::sim {

/// A state in every byte of Word.
template <class Word> constexpr Word everyByte(uint8_t state) { return Word(Word(~Word(0)) / 255 * state); }

/// Whether `Count` words of states may be read: no byte awaits an asynchronous write, and at least one was
/// written; with `isStrict` every one. (Kernels do load vectors of which they use a part.)
template <class Word, uint32_t Count> bool mayRead(const uint8_t *states, bool isStrict) {
  Word any = 0, all = Word(~Word(0));
  for (uint32_t i = 0; i < Count; ++i) {
    Word word;
    std::memcpy(&word, states + i * sizeof(Word), sizeof(Word));
    any |= word, all &= word;
  }
  constexpr Word written = everyByte<Word>(kWritten);
  bool isWritten = isStrict ? (all & written) == written : (any & written) != 0;
  return isWritten && !(any & everyByte<Word>(kAsyncWrites));
}

/// Whether no pending asynchronous operation reads or writes the bytes.
template <class Word, uint32_t Count> bool mayWrite(const uint8_t *states) {
  Word any = 0;
  for (uint32_t i = 0; i < Count; ++i) {
    Word word;
    std::memcpy(&word, states + i * sizeof(Word), sizeof(Word));
    any |= word;
  }
  return !(any & everyByte<Word>(kAsyncWrites | kAsyncReads));
}

/// A plain write: an mbarrier that was there is none any more.
template <class Word, uint32_t Count> void markWrite(uint8_t *states) {
  for (uint32_t i = 0; i < Count; ++i) {
    Word word;
    std::memcpy(&word, states + i * sizeof(Word), sizeof(Word));
    word = Word((word & Word(~everyByte<Word>(kBarrier))) | everyByte<Word>(kWritten | kGenericDirty));
    std::memcpy(states + i * sizeof(Word), &word, sizeof(Word));
  }
}

// The same for the bytes of a run of lanes, a multiple of 8. Reads: only if all of them were written.
inline bool mayReadRun(const uint8_t *states, uint32_t bytes) {
  uint64_t any = 0, all = ~uint64_t(0);
  for (uint32_t i = 0; i < bytes; i += 8) {
    uint64_t word;
    std::memcpy(&word, states + i, 8);
    any |= word, all &= word;
  }
  constexpr uint64_t written = everyByte<uint64_t>(kWritten);
  return (all & written) == written && !(any & everyByte<uint64_t>(kAsyncWrites));
}
inline bool mayWriteRun(const uint8_t *states, uint32_t bytes) {
  uint64_t any = 0;
  for (uint32_t i = 0; i < bytes; i += 8) {
    uint64_t word;
    std::memcpy(&word, states + i, 8);
    any |= word;
  }
  return !(any & everyByte<uint64_t>(kAsyncWrites | kAsyncReads));
}
inline void markWriteRun(uint8_t *states, uint32_t bytes) {
  for (uint32_t i = 0; i < bytes; ++i)
    states[i] = uint8_t((states[i] & ~kBarrier) | kWritten | kGenericDirty);
}

/// f.template operator()<Word, Count>() for accesses of `bytes`: any power of two up to 32, else byte by
/// byte.
template <class F> auto withWords(uint32_t bytes, F f) {
  switch (bytes) {
  case 1:
    return f.template operator()<uint8_t, 1>();
  case 2:
    return f.template operator()<uint16_t, 1>();
  case 4:
    return f.template operator()<uint32_t, 1>();
  case 8:
    return f.template operator()<uint64_t, 1>();
  case 16:
    return f.template operator()<uint64_t, 2>();
  default:
    return f.template operator()<uint64_t, 4>();
  }
}

} // namespace mxc::sim
