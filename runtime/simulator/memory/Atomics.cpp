#include "runtime/simulator/memory/Atomics.h"

#include "runtime/simulator/arithmetic/FloatFormats.h"

#include <algorithm>
#include <atomic>
#include <cstring>

namespace mxc::sim {

namespace {

__extension__ typedef unsigned __int128 Integer128;

template <class T> T loaded(const std::byte *at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

template <class T> void stored(std::byte *at, T value) { std::memcpy(at, &value, sizeof value); }

// Compare and swap on the host: true if *at was `expected`, else `expected` becomes what it was.
template <class T> bool swapIfEqual(std::byte *at, T &expected, T wanted) {
  return std::atomic_ref<T>(*reinterpret_cast<T *>(at)).compare_exchange_strong(expected, wanted);
}
// std::atomic_ref would take a lock, which plain 16-byte stores do not take.
#ifdef __x86_64__
__attribute__((target("cx16"),
               noinline)) // inlined into a caller without cx16 it would be a call of libatomic
#endif
bool swapIfEqual(std::byte *at, Integer128 &expected, Integer128 wanted) {
  Integer128 found = __sync_val_compare_and_swap(reinterpret_cast<Integer128 *>(at), expected, wanted);
  bool isDone = found == expected;
  expected = found;
  return isDone;
}

/// What *at may be, while other threads swap it: swapIfEqual knows.
template <class T> T guessed(std::byte *at) {
  if constexpr (sizeof(T) > sizeof(uint64_t))
    return T();
  else
    return std::atomic_ref<T>(*reinterpret_cast<T *>(at)).load(std::memory_order_relaxed);
}

// Operations: of(before, operand, place).
struct Add {
  template <class T> static T of(T a, T b, AtomicPlace) { return a + b; }
};
struct Minimum {
  template <class T> static T of(T a, T b, AtomicPlace) { return std::min(a, b); }
};
struct Maximum {
  template <class T> static T of(T a, T b, AtomicPlace) { return std::max(a, b); }
};
struct Increment { // wraps to 0 at the operand
  template <class T> static T of(T a, T b, AtomicPlace) { return a >= b ? 0 : a + 1; }
};
struct Decrement { // wraps to the operand at 0
  template <class T> static T of(T a, T b, AtomicPlace) { return a == 0 || a > b ? b : a - 1; }
};
struct And {
  template <class T> static T of(T a, T b, AtomicPlace) { return a & b; }
};
struct Or {
  template <class T> static T of(T a, T b, AtomicPlace) { return a | b; }
};
struct Xor {
  template <class T> static T of(T a, T b, AtomicPlace) { return a ^ b; }
};
struct Exchange {
  template <class T> static T of(T, T b, AtomicPlace) { return b; }
};

constexpr uint32_t kSign32 = 0x80000000, kNan32 = 0x7fffffff;
constexpr uint64_t kQuiet64 = uint64_t(1) << 51, kDefaultNan64 = 0xfff8000000000000;

/// Subnormal inputs and results become zeros of their sign in global memory, and stay in shared memory and in
/// bulk reductions (H200).
struct AddF32 {
  static uint32_t flushed(uint32_t bits, AtomicPlace place) {
    return place == AtomicPlace::Global && (bits & 0x7f800000) == 0 ? bits & kSign32 : bits;
  }
  static uint32_t of(uint32_t a, uint32_t b, AtomicPlace place) {
    float sum = std::bit_cast<float>(flushed(a, place)) + std::bit_cast<float>(flushed(b, place));
    return sum != sum ? kNan32 : flushed(std::bit_cast<uint32_t>(sum), place);
  }
};

/// A NaN operand is the result, else a NaN that was there; shared memory, where the chip loops over a plain
/// addition, also makes it quiet (H200; infinities of both signs as in a plain addition). That in a bulk
/// reduction it is the one that was there, of two, is a guess.
struct AddF64 {
  static uint64_t of(uint64_t a, uint64_t b, AtomicPlace place) {
    double x = std::bit_cast<double>(a), y = std::bit_cast<double>(b), sum = x + y;
    if (sum == sum) return std::bit_cast<uint64_t>(sum);
    if (x == x && y == y) return kDefaultNan64;
    bool isOperand = place == AtomicPlace::Bulk ? x == x : y != y;
    uint64_t nan = isOperand ? b : a;
    return place == AtomicPlace::Shared ? nan | kQuiet64 : nan;
  }
};

/// The f64 sum of two 16-bit floats has more than twice their precision: rounding it again is innocuous.
template <FloatFormat Format> struct AddHalf {
  static uint16_t of(uint16_t a, uint16_t b, AtomicPlace) {
    return uint16_t(encode(Format, decode(Format, a) + decode(Format, b), {}));
  }
};

/// A NaN loses against a number, two give the canonical one; -0 is below +0.
template <FloatFormat Format, bool IsMaximum> struct ExtremeHalf {
  static uint16_t of(uint16_t a, uint16_t b, AtomicPlace) {
    if (Format.isNan(a)) return Format.isNan(b) ? uint16_t(Format.nan()) : b;
    if (Format.isNan(b)) return a;
    auto ordered = [](uint16_t bits) { return bits & 0x8000 ? 0x7fff - bits : bits; };
    return (ordered(a) > ordered(b)) == IsMaximum ? a : b;
  }
};

/// Two halves in one word.
template <class Half> struct Packed {
  static uint32_t of(uint32_t a, uint32_t b, AtomicPlace place) {
    return uint32_t(Half::of(uint16_t(a >> 16), uint16_t(b >> 16), place)) << 16 |
           Half::of(uint16_t(a), uint16_t(b), place);
  }
};

template <class T, class Operation>
void update(std::byte *at, const std::byte *operand, std::byte *old, AtomicPlace place) {
  const bool isShared = place == AtomicPlace::Shared; // one host thread's
  T before = isShared ? loaded<T>(at) : guessed<T>(at), value = loaded<T>(operand);
  if (isShared)
    stored(at, T(Operation::of(before, value, place)));
  else
    while (!swapIfEqual(at, before, T(Operation::of(before, value, place)))) {
    }
  stored(old, before);
}

template <class T>
void compareAndSwap(std::byte *at, const std::byte *compare, const std::byte *operand, std::byte *old,
                    AtomicPlace place) {
  T expected = loaded<T>(compare), value = loaded<T>(operand);
  if (place == AtomicPlace::Global) {
    swapIfEqual(at, expected, value);
    return stored(old, expected);
  }
  T before = loaded<T>(at);
  if (before == expected) stored(at, value);
  stored(old, before);
}

struct Entry {
  std::string_view operation, type;
  AtomicUpdate update;
};

constexpr Entry kEntries[] = {
    {"add", "u32", update<uint32_t, Add>},
    {"add", "s32", update<uint32_t, Add>},
    {"add", "u64", update<uint64_t, Add>},
    {"add", "s64", update<uint64_t, Add>},
    {"add", "f32", update<uint32_t, AddF32>},
    {"add", "f64", update<uint64_t, AddF64>},
    {"add", "f16", update<uint16_t, AddHalf<kF16>>},
    {"add", "bf16", update<uint16_t, AddHalf<kBf16>>},
    {"add", "f16x2", update<uint32_t, Packed<AddHalf<kF16>>>},
    {"add", "bf16x2", update<uint32_t, Packed<AddHalf<kBf16>>>},
    {"min", "u32", update<uint32_t, Minimum>},
    {"min", "s32", update<int32_t, Minimum>},
    {"min", "u64", update<uint64_t, Minimum>},
    {"min", "s64", update<int64_t, Minimum>},
    {"min", "f16", update<uint16_t, ExtremeHalf<kF16, false>>},
    {"min", "bf16", update<uint16_t, ExtremeHalf<kBf16, false>>},
    {"min", "f16x2", update<uint32_t, Packed<ExtremeHalf<kF16, false>>>},
    {"min", "bf16x2", update<uint32_t, Packed<ExtremeHalf<kBf16, false>>>},
    {"max", "u32", update<uint32_t, Maximum>},
    {"max", "s32", update<int32_t, Maximum>},
    {"max", "u64", update<uint64_t, Maximum>},
    {"max", "s64", update<int64_t, Maximum>},
    {"max", "f16", update<uint16_t, ExtremeHalf<kF16, true>>},
    {"max", "bf16", update<uint16_t, ExtremeHalf<kBf16, true>>},
    {"max", "f16x2", update<uint32_t, Packed<ExtremeHalf<kF16, true>>>},
    {"max", "bf16x2", update<uint32_t, Packed<ExtremeHalf<kBf16, true>>>},
    {"inc", "u32", update<uint32_t, Increment>},
    {"dec", "u32", update<uint32_t, Decrement>},
    {"and", "b32", update<uint32_t, And>},
    {"and", "b64", update<uint64_t, And>},
    {"or", "b32", update<uint32_t, Or>},
    {"or", "b64", update<uint64_t, Or>},
    {"xor", "b32", update<uint32_t, Xor>},
    {"xor", "b64", update<uint64_t, Xor>},
    {"exch", "b32", update<uint32_t, Exchange>},
    {"exch", "b64", update<uint64_t, Exchange>},
    {"exch", "b128", update<Integer128, Exchange>},
};

} // namespace

AtomicUpdate atomicUpdate(std::string_view operation, ptx::Type type) {
  for (const Entry &entry : kEntries)
    if (entry.operation == operation && ptx::typeNamed(entry.type) == type) return entry.update;
  return nullptr;
}

AtomicCompare atomicCompare(uint32_t bits) {
  switch (bits) {
  case 16:
    return compareAndSwap<uint16_t>;
  case 32:
    return compareAndSwap<uint32_t>;
  case 64:
    return compareAndSwap<uint64_t>;
  case 128:
    return compareAndSwap<Integer128>;
  default:
    return nullptr;
  }
}

} // namespace mxc::sim
