// One tcgen05.mma of every kind, with elements and scales of every format and the options that kernels seldom
// use, against sums of the decoded values (PTX ISA 9.7.16.10). All of them are exact in the accumulator.
#include "tests/unit/simulator/RunPtx.h"

#include <catch2/catch.hpp>

#include <bit>
#include <cmath>
#include <functional>
#include <random>

using namespace mxc::sim;

namespace {

constexpr uint32_t kM = 128, kN = 64;
// Offsets in the input, in bytes: A and B (cores of 8 rows of 16 bytes, K further away), scales a row, D.
constexpr uint32_t kB = 4096, kScalesA = 6144, kScalesB = kScalesA + 4 * kM, kD = kScalesB + 4 * kN;

struct Format {
  uint32_t code, bits, exponentBits, bias; // code: in the instruction descriptor; exponentBits 0: integers
  bool isSigned = true;

  double value(uint32_t element) const {
    if (!exponentBits) return isSigned ? double(int8_t(element)) : double(element);
    uint32_t fractionBits = bits - 1 - exponentBits;
    int exponent = int(element >> fractionBits & ((1u << exponentBits) - 1));
    double fraction = std::ldexp(element & ((1u << fractionBits) - 1), -int(fractionBits));
    double magnitude =
        exponent ? std::ldexp(1 + fraction, exponent - int(bias)) : std::ldexp(fraction, 1 - int(bias));
    return element >> (bits - 1) & 1 ? -magnitude : magnitude;
  }
  /// Few enough bits, and near enough to each other, that no sum is rounded.
  bool isEasy(uint32_t element) const {
    double magnitude = std::abs(value(element));
    return !exponentBits || (magnitude <= 6 && magnitude * 8 == std::floor(magnitude * 8));
  }
};
const Format kF16{0, 16, 5, 15}, kTf32{2, 32, 8, 127}, kE4m3{0, 8, 4, 7}, kE5m2{1, 8, 5, 15},
    kE2m3{3, 6, 2, 1}, kE3m2{4, 6, 3, 3}, kE2m1{5, 4, 2, 1}, kE2m1Dense{1, 4, 2, 1}, kU8{0, 8, 0, 0, false},
    kS8{1, 8, 0, 0};

struct Case {
  std::string kind;
  Format a, b;
  uint32_t k;
  char d = 'f'; // 'f' f32, 'h' f16, 'i' s32
  uint32_t scales = 0;
  bool isScaleE4m3 = false;
  uint32_t descriptor = 0;            // more bits of it
  std::string group = "", after = ""; // ".ws"; options after the predicate
  bool isAInTensorMemory = false;
  std::string before = ""; // before the predicate
};

/// Where an element of 32 bytes of K lies: byte, bit.
std::pair<uint32_t, uint32_t> placeOf(const Format &format, uint32_t k, uint32_t steps) {
  if (steps == 32 && format.bits < 8)
    return {k / 16 * 16 + k % 16 * format.bits / 8, k % 16 * format.bits % 8};
  return {k * format.bits / 8, k * format.bits % 8};
}

struct Problem {
  const Case &c;
  std::vector<std::byte> input = std::vector<std::byte>(kD + 4 * kM * kN);
  std::vector<double> a, b, scaleA, scaleB, d;

  explicit Problem(const Case &c_) : c(c_), a(kM * c.k), b(kN * c.k), d(kM * kN) {
    std::mt19937 random(5);
    fill(random, c.a, 0, kM, a), fill(random, c.b, kB, kN, b);
    uint32_t blocks = std::max(1u, c.scales);
    scaleA.assign(kM * blocks, 1), scaleB.assign(kN * blocks, 1);
    if (c.scales) fillScales(random, kScalesA, scaleA), fillScales(random, kScalesB, scaleB);
    for (uint32_t i = 0; i < kM * kN; ++i) {
      int value = int(random() % 64) - 32;
      d[i] = value;
      uint32_t word = c.d == 'i'   ? uint32_t(value)
                      : c.d == 'h' ? std::bit_cast<uint16_t>(_Float16(value))
                                   : std::bit_cast<uint32_t>(float(value));
      std::memcpy(&input[kD + 4 * i], &word, 4);
    }
  }

  void fill(std::mt19937 &random, const Format &format, uint32_t start, uint32_t rows,
            std::vector<double> &values) {
    for (uint32_t row = 0; row < rows; ++row)
      for (uint32_t k = 0; k < c.k; ++k) {
        uint32_t element;
        do
          element = format.bits == 32 ? std::bit_cast<uint32_t>(float(int(random() % 97) - 48) / 8)
                                      : uint32_t(random()) & ((1u << format.bits) - 1);
        while (!format.isEasy(element));
        values[row * c.k + k] = format.value(element);
        auto [byte, bit] = placeOf(format, k, c.k);
        uint32_t at = start + row / 8 * 256 + row % 8 * 16 + byte / 16 * 128 + byte % 16;
        for (uint32_t i = 0; i < format.bits; i += 8) // an element of 6 bits may lie in two bytes
          input[at + i / 8] |= std::byte(element >> i << bit);
        if (bit + format.bits > 8 && format.bits < 8) input[at + 1] |= std::byte(element >> (8 - bit));
      }
  }

  void fillScales(std::mt19937 &random, uint32_t start, std::vector<double> &scales) {
    for (size_t i = 0; i < scales.size(); ++i) {
      uint32_t power = uint32_t(random() % 3);
      scales[i] = std::ldexp(1, int(power));
      uint32_t byte = c.isScaleE4m3 ? (power + 7) << 3 : power + 127;
      input[start + i / c.scales * 4 + i % c.scales] = std::byte(byte);
    }
  }

  double product(uint32_t row, uint32_t column) const {
    double sum = 0;
    for (uint32_t k = 0; k < c.k; ++k) {
      uint32_t block = c.scales ? k / (c.k / c.scales) : 0, blocks = std::max(1u, c.scales);
      sum += a[row * c.k + k] * b[column * c.k + k] * scaleA[row * blocks + block] *
             scaleB[column * blocks + block];
    }
    return sum;
  }
};

std::string kernel(const Case &c) {
  bool isScaled = c.scales != 0;
  uint32_t idesc = c.descriptor | c.a.code << 7 | c.b.code << 10 | kN / 8 << 17;
  if (isScaled)
    idesc |= 1u << 27 | uint32_t(!c.isScaleE4m3) << 23;
  else
    idesc |= (c.d == 'i' ? 2u : c.d == 'f') << 4 | kM / 16 << 24;
  std::string a = c.isAInTensorMemory ? "[%r9]" : "%rd5", scales = isScaled ? "[%r10], [%r11], " : "";
  std::string layout = std::to_string(uint64_t(1) << 46 | uint64_t(16) << 32 | uint64_t(8) << 16);
  return kernelOf(R"(
.reg .pred %p<4>; .reg .b32 %r<16>, %ta, %tw, %thread, %warp, %v<8>; .reg .b64 %rd<8>;
.shared .align 128 .b8 data[6144]; .shared .align 8 .b8 bar[8]; .shared .align 4 .b8 slot[4];
mov.u32 %thread, %tid.x; shr.u32 %warp, %thread, 5; setp.eq.u32 %p1, %warp, 0; setp.eq.u32 %p2, %thread, 0;
mov.u32 %r1, slot; mov.u32 %r2, bar; mov.u32 %r3, data; and.b32 %r15, %thread, 31;
@%p1 tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r1], 128;
@%p2 mbarrier.init.shared::cta.b64 [%r2], 1;
mov.u32 %r4, 0;
copy: mad.lo.u32 %r5, %r4, 2048, 0; mad.lo.u32 %r5, %thread, 16, %r5; cvt.u64.u32 %rd1, %r5; add.u64 %rd2, %in, %rd1;
add.u32 %r6, %r3, %r5; ld.global.v4.b32 {%v0, %v1, %v2, %v3}, [%rd2]; st.shared.v4.b32 [%r6], {%v0, %v1, %v2, %v3};
add.u32 %r4, %r4, 1; setp.lt.u32 %p3, %r4, 3; @%p3 bra copy;
fence.mbarrier_init.release.cluster; fence.proxy.async;
bar.sync 0;
tcgen05.fence::after_thread_sync;
ld.shared.b32 %ta, [slot]; shl.b32 %tw, %warp, 21; add.u32 %tw, %tw, %ta;
mul.wide.u32 %rd1, %thread, 256; add.u64 %rd2, %in, %rd1; add.u64 %rd3, %out, %rd1;
mov.u32 %r4, 0; mov.u32 %r5, %tw;
fill: ld.global.b32 %v0, [%rd2+)" +
                  std::to_string(kD) + R"(]; tcgen05.st.sync.aligned.32x32b.x1.b32 [%r5], {%v0};
add.u64 %rd2, %rd2, 4; add.u32 %r5, %r5, 1; add.u32 %r4, %r4, 1; setp.lt.u32 %p3, %r4, 64; @%p3 bra fill;
mul.wide.u32 %rd1, %r15, 4; add.u64 %rd2, %in, %rd1; mov.u32 %r4, 0; add.u32 %r5, %tw, 64;
scale: ld.global.b32 %v0, [%rd2+)" +
                  std::to_string(kScalesA) + R"(]; tcgen05.st.sync.aligned.32x32b.x1.b32 [%r5], {%v0};
add.u64 %rd2, %rd2, 128; add.u32 %r5, %r5, 1; add.u32 %r4, %r4, 1; setp.lt.u32 %p3, %r4, 6; @%p3 bra scale;
shr.u32 %r5, %thread, 3; mul.wide.u32 %rd1, %r5, 256; and.b32 %r6, %thread, 7; mul.wide.u32 %rd4, %r6, 16;
add.u64 %rd1, %rd1, %rd4; add.u64 %rd2, %in, %rd1; // A once more, in tensor memory
ld.global.v4.b32 {%v0, %v1, %v2, %v3}, [%rd2]; ld.global.v4.b32 {%v4, %v5, %v6, %v7}, [%rd2+128];
tcgen05.st.sync.aligned.32x32b.x8.b32 [%tw+72], {%v0, %v1, %v2, %v3, %v4, %v5, %v6, %v7};
tcgen05.wait::st.sync.aligned;
tcgen05.fence::before_thread_sync;
bar.sync 0;
tcgen05.fence::after_thread_sync;
@!%p2 bra wait;
shr.u32 %r4, %r3, 4; cvt.u64.u32 %rd5, %r4; or.b64 %rd5, %rd5, )" +
                  layout + R"(; add.u64 %rd6, %rd5, 256;
add.u32 %r9, %ta, 72; add.u32 %r10, %ta, 64; add.u32 %r11, %ta, 68; mov.u32 %r8, )" +
                  std::to_string(idesc) + R"(;
mov.u32 %r12, 0; mov.u32 %r13, 0x0000F00F;
tcgen05.mma)" + c.group +
                  ".cta_group::1." + c.kind + " [%ta], " + a + ", %rd6, %r8, " + scales + c.before + "1" +
                  c.after + R"(;
tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%r2];
wait: mbarrier.try_wait.parity.shared::cta.b64 %p3, [%r2], 0; @!%p3 bra wait;
tcgen05.fence::after_thread_sync;
mov.u32 %r4, 0; mov.u32 %r5, %tw;
write: tcgen05.ld.sync.aligned.32x32b.x1.b32 {%v0}, [%r5]; tcgen05.wait::ld.sync.aligned; st.global.b32 [%rd3], %v0;
add.u64 %rd3, %rd3, 4; add.u32 %r5, %r5, 1; add.u32 %r4, %r4, 1; setp.lt.u32 %p3, %r4, 64; @%p3 bra write;
tcgen05.fence::before_thread_sync;
bar.sync 0;
@%p1 tcgen05.dealloc.cta_group::1.sync.aligned.b32 %ta, 128;
)");
}

using Expected = std::function<double(const Problem &, uint32_t row, uint32_t column)>;

double plain(const Problem &problem, uint32_t row, uint32_t column) {
  return problem.product(row, column) + problem.d[row * kN + column];
}

void check(const Case &c, const Expected &expected = plain) {
  INFO(c.kind << c.group << " " << c.a.code << " x " << c.b.code << " to " << c.d << c.after);
  Problem problem(c);
  PtxRun how;
  how.block = {128, 1, 1}, how.checks = Checks::Strict, how.schedule.kind = Schedule::Kind::Lazy;
  PtxOutcome outcome = runPtxBytes(kernel(c), problem.input, 4 * kM * kN, how);
  INFO((outcome.fault ? outcome.fault->text() : ""));
  REQUIRE_FALSE(outcome.fault);
  for (uint32_t row = 0; row < kM; ++row)
    for (uint32_t column = 0; column < kN; ++column) {
      uint32_t word;
      std::memcpy(&word, &outcome.output[(row * kN + column) * 4], 4);
      double found = c.d == 'i'   ? double(int32_t(word))
                     : c.d == 'h' ? double(std::bit_cast<_Float16>(uint16_t(word)))
                                  : double(std::bit_cast<float>(word));
      double right = expected(problem, row, column);
      if (c.d == 'h') right = double(_Float16(right));
      INFO("row " << row << " column " << column);
      REQUIRE(found == right);
    }
}

} // namespace

TEST_CASE("tcgen05.mma: kinds, elements and accumulators") {
  check({"kind::f16", kF16, kF16, 16});
  check({"kind::f16", kF16, kF16, 16, 'h'});
  check({"kind::tf32", kTf32, kTf32, 8});
  for (const Format &a : {kE4m3, kE5m2, kE2m3, kE3m2, kE2m1})
    for (const Format &b : {kE4m3, kE5m2, kE2m3, kE3m2, kE2m1}) {
      check({"kind::f8f6f4", a, b, 32});
      check({"kind::f8f6f4", a, b, 32, 'h'});
      check({"kind::mxf8f6f4.block_scale", a, b, 32, 'f', 1});
    }
  for (const Format &a : {kU8, kS8})
    for (const Format &b : {kU8, kS8})
      check({"kind::i8", a, b, 32, 'i'});
}

TEST_CASE("tcgen05.mma: four bits with two and four scales") {
  check({"kind::mxf4.block_scale.scale_vec::2X", kE2m1Dense, kE2m1Dense, 64, 'f', 2});
  check({"kind::mxf4.block_scale.block32", kE2m1Dense, kE2m1Dense, 64, 'f', 2});
  check({"kind::mxf4nvf4.block_scale.scale_vec::2X", kE2m1Dense, kE2m1Dense, 64, 'f', 2});
  check({"kind::mxf4nvf4.block_scale.scale_vec::4X", kE2m1Dense, kE2m1Dense, 64, 'f', 4, true});
  check({"kind::mxf4nvf4.block_scale.block16", kE2m1Dense, kE2m1Dense, 64, 'f', 4, true});
}

TEST_CASE("tcgen05.mma: negation, scaled D, lanes that are left alone, shifted rows, .ws") {
  Case negated{"kind::tf32", kTf32, kTf32, 8};
  negated.descriptor = 1u << 13;
  check(negated, [](const Problem &p, uint32_t row, uint32_t column) {
    return p.d[row * kN + column] - p.product(row, column);
  });
  Case scaled{"kind::f16", kF16, kF16, 16};
  scaled.after = ", 3";
  check(scaled, [](const Problem &p, uint32_t row, uint32_t column) {
    return p.d[row * kN + column] / 8 + p.product(row, column);
  });
  Case masked{"kind::f16", kF16, kF16, 16};
  masked.before = "{%r12, %r13, %r12, %r13}, "; // of lanes 32 to 63 and 96 to 127 those of 0xF00F
  check(masked, [](const Problem &p, uint32_t row, uint32_t column) {
    bool isLeft = row / 32 % 2 == 1 && (0xF00Fu >> row % 32 & 1);
    return isLeft ? p.d[row * kN + column] : plain(p, row, column);
  });
  Case shifted{"kind::f16.ashift", kF16, kF16, 16};
  shifted.isAInTensorMemory = true;
  check(shifted, [](const Problem &p, uint32_t row, uint32_t column) {
    return p.product(std::min(row + 1, kM - 1), column) + p.d[row * kN + column];
  });
  Case stationary{"kind::f8f6f4", kE4m3, kE5m2, 32};
  stationary.group = ".ws";
  check(stationary);
  stationary.isAInTensorMemory = true;
  check(stationary);
}
