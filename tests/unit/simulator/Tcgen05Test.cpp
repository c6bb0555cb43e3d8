// tcgen05 in kernels: moves, allocation, a whole MXFP8 tile of one CTA and of a pair, and what the checks
// catch in them.
#include "tests/unit/simulator/RunPtx.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <random>
#include <sstream>

using namespace mxc::sim;

namespace {

const Schedule kEager{Schedule::Kind::Eager, 0}, kLazy{Schedule::Kind::Lazy, 0},
    kRandom{Schedule::Kind::Random, 5};

/// Warp 0 of 128 threads allocates; all see the address in %ta, their own lanes in %tw. `body` stands
/// between.
std::string withTensorMemory(const std::string &body, uint32_t columns = 64) {
  std::ostringstream text;
  text << R"(
.reg .pred %p<8>; .reg .b32 %r<80>, %ta, %tw, %thread, %warp, %slot; .reg .b64 %rd<8>;
.shared .align 16 .b8 static_slot[16];
mov.u32 %thread, %tid.x; shr.u32 %warp, %thread, 5; mov.u32 %slot, static_slot;
setp.eq.u32 %p1, %warp, 0;
@!%p1 bra allocated;
tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%slot], )"
       << columns << R"(;
tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;
allocated:
tcgen05.fence::before_thread_sync;
bar.sync 0;
tcgen05.fence::after_thread_sync;
ld.shared.b32 %ta, [%slot];
shl.b32 %tw, %warp, 21; add.u32 %tw, %tw, %ta;
mul.wide.u32 %rd1, %thread, 4; add.u64 %rd2, %out, %rd1; add.u64 %rd3, %in, %rd1;
)" << body
       << R"(
tcgen05.fence::before_thread_sync;
bar.sync 0;
tcgen05.fence::after_thread_sync;
@%p1 tcgen05.dealloc.cta_group::1.sync.aligned.b32 %ta, )"
       << columns << ";\n";
  return kernelOf(text.str());
}

PtxRun of128(Checks checks, Schedule schedule) {
  PtxRun how;
  how.block = {128, 1, 1}, how.checks = checks, how.schedule = schedule;
  return how;
}

std::vector<std::byte> bytesOf(const std::vector<uint32_t> &words) {
  std::vector<std::byte> bytes(words.size() * 4);
  std::memcpy(bytes.data(), words.data(), bytes.size());
  return bytes;
}

PtxOutcome runWords(const std::string &ptx, const PtxRun &how) {
  std::vector<uint32_t> words(1024);
  for (uint32_t i = 0; i < words.size(); ++i)
    words[i] = i * 0x10001 + 7;
  return runPtxBytes(ptx, bytesOf(words), 4096, how);
}

const char *const kRoundTrip = R"(
ld.global.b32 %r1, [%rd3]; ld.global.b32 %r2, [%rd3+512];
tcgen05.st.sync.aligned.32x32b.x2.b32 [%tw], {%r1, %r2};
tcgen05.wait::st.sync.aligned;
tcgen05.ld.sync.aligned.32x32b.x2.b32 {%r3, %r4}, [%tw];
tcgen05.wait::ld.sync.aligned;
st.global.b32 [%rd2], %r4; st.global.b32 [%rd2+512], %r3;
)";

} // namespace

TEST_CASE("tcgen05.st and ld give back what was stored") {
  for (Checks checks : {Checks::Off, Checks::Standard, Checks::Strict})
    for (Schedule schedule : {kEager, kLazy, kRandom}) {
      PtxOutcome outcome = runWords(withTensorMemory(kRoundTrip), of128(checks, schedule));
      INFO((outcome.fault ? outcome.fault->text() : ""));
      REQUIRE_FALSE(outcome.fault);
      std::vector<uint32_t> out(256);
      std::memcpy(out.data(), outcome.output.data(), 1024);
      for (uint32_t t = 0; t < 128; ++t) {
        REQUIRE(out[t] == (128 + t) * 0x10001 + 7);
        REQUIRE(out[128 + t] == t * 0x10001 + 7);
      }
    }
}

TEST_CASE("tcgen05 pack and unpack: halves of two columns") {
  std::string ptx = withTensorMemory(R"(
ld.global.b32 %r1, [%rd3];
tcgen05.st.sync.aligned.32x32b.x1.unpack::16b.b32 [%tw], {%r1};
tcgen05.wait::st.sync.aligned;
tcgen05.ld.sync.aligned.32x32b.x2.b32 {%r3, %r4}, [%tw];
tcgen05.ld.sync.aligned.32x32b.x1.pack::16b.b32 {%r5}, [%tw];
tcgen05.wait::ld.sync.aligned;
shl.b32 %r4, %r4, 16; or.b32 %r3, %r3, %r4;
st.global.b32 [%rd2], %r3; st.global.b32 [%rd2+512], %r5;
)");
  PtxOutcome outcome = runWords(ptx, of128(Checks::Strict, kLazy));
  INFO((outcome.fault ? outcome.fault->text() : ""));
  REQUIRE_FALSE(outcome.fault);
  std::vector<uint32_t> out(256);
  std::memcpy(out.data(), outcome.output.data(), 1024);
  for (uint32_t t = 0; t < 128; ++t) {
    REQUIRE(out[t] == t * 0x10001 + 7);
    REQUIRE(out[128 + t] == t * 0x10001 + 7);
  }
}

TEST_CASE("tcgen05 moves and allocation: what is caught") {
  struct Case {
    const char *name, *body;
    FaultKind kind;
    Checks checks;
    Schedule schedule;
  };
  const std::string store = "tcgen05.st.sync.aligned.32x32b.x1.b32 [%tw], {%thread};\n";
  std::string loadTail =
      "tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r3}, [%tw];\ntcgen05.wait::ld.sync.aligned;\n";
  std::string noStoreWait = store + loadTail;
  std::string noLoadWait =
      store + "tcgen05.wait::st.sync.aligned;\ntcgen05.ld.sync.aligned.32x32b.x1.b32 {%r3}, [%tw];\n" +
      store + "tcgen05.wait::st.sync.aligned;\n";
  std::string loadAtTheEnd =
      store + "tcgen05.wait::st.sync.aligned;\ntcgen05.ld.sync.aligned.32x32b.x1.b32 {%r3}, [%tw];\n";
  std::string otherLanes = "xor.b32 %tw, %tw, 0x200000;\n" + store;
  std::string outside = "add.u32 %tw, %tw, 64;\n" + store;
  for (const Case &c : {
           Case{"no wait::st", noStoreWait.c_str(), FaultKind::Unfinished, Checks::Standard, kLazy},
           Case{"no wait::ld", noLoadWait.c_str(), FaultKind::Unfinished, Checks::Strict, kEager},
           Case{"no wait::ld before dealloc", loadAtTheEnd.c_str(), FaultKind::Unfinished, Checks::Strict,
                kEager},
           Case{"unwritten", loadTail.c_str(), FaultKind::Unwritten, Checks::Strict, kEager},
           Case{"another warp's lanes", otherLanes.c_str(), FaultKind::TensorMemory, Checks::Standard,
                kEager},
           Case{"outside of the allocation", outside.c_str(), FaultKind::TensorMemory, Checks::Off, kEager},
       }) {
    PtxOutcome outcome = runWords(withTensorMemory(c.body), of128(c.checks, c.schedule));
    INFO(c.name << (outcome.fault ? outcome.fault->text() : ": no fault"));
    REQUIRE(outcome.fault);
    CHECK(outcome.fault->kind == c.kind);
  }
  for (const std::string &noWait : {noLoadWait, loadAtTheEnd})
    CHECK_FALSE(runWords(withTensorMemory(noWait), of128(Checks::Standard, kEager)).fault);
  PtxOutcome leaked =
      runWords(withTensorMemory("setp.ne.u32 %p1, %thread, %thread;\n"), of128(Checks::Standard, kEager));
  REQUIRE(leaked.fault);
  CHECK(leaked.fault->kind == FaultKind::TensorMemory);
}

namespace {

constexpr uint32_t kN = 128, kK = 256, kBlocks = kK / 32;

/// M x 128 x 256 by one CTA (M = 128) or a pair (M = 256).
struct Tile {
  uint32_t ctas, m;
  std::vector<uint8_t> a, b, sa, sb;

  explicit Tile(uint32_t ctas)
      : ctas(ctas), m(128 * ctas), a(m * kK), b(kN * kK), sa(m * kBlocks), sb(kN * kBlocks) {
    std::mt19937 random(11);
    for (auto *matrix : {&a, &b})
      for (uint8_t &byte : *matrix)
        do
          byte = uint8_t(random());
        while ((byte & 0x7F) == 0x7F);
    for (auto *scales : {&sa, &sb})
      for (uint8_t &byte : *scales)
        byte = uint8_t(124 + random() % 6);
  }

  uint32_t rowsOfB() const { return kN / ctas; }
  uint32_t bStart() const { return 2 * 128 * 128; }
  uint32_t scaleStart() const { return bStart() + 2 * rowsOfB() * 128; }
  uint32_t imageBytes() const {
    return scaleStart() + 4 * 512;
  } // scales: A, B of the first 128 of K, then of the second

  /// What a CTA's shared memory is to hold, from a multiple of 1024 on: tiles of 128 bytes of K, swizzled.
  std::vector<uint8_t> image(uint32_t rank) const {
    std::vector<uint8_t> bytes(imageBytes());
    auto place = [&](uint32_t start, uint32_t rows, uint32_t row, uint32_t col, uint8_t byte) {
      uint32_t linear = start + col / 128 * rows * 128 + row * 128 + col % 128;
      bytes[linear ^ (linear >> 7 & 7) << 4] = byte;
    };
    auto placeScale = [&](uint32_t operand, uint32_t row, uint32_t kb, uint8_t byte) {
      bytes[scaleStart() + (kb / 4 * 2 + operand) * 512 + row % 32 * 16 + row / 32 * 4 + kb % 4] = byte;
    };
    for (uint32_t col = 0; col < kK; ++col) {
      for (uint32_t row = 0; row < 128; ++row)
        place(0, 128, row, col, a[(rank * 128 + row) * kK + col]);
      for (uint32_t row = 0; row < rowsOfB(); ++row)
        place(bStart(), rowsOfB(), row, col, b[(rank * rowsOfB() + row) * kK + col]);
    }
    for (uint32_t kb = 0; kb < kBlocks; ++kb)
      for (uint32_t row = 0; row < 128; ++row) {
        placeScale(0, row, kb, sa[(rank * 128 + row) * kBlocks + kb]);
        placeScale(1, row, kb, sb[row * kBlocks + kb]);
      }
    return bytes;
  }

  std::vector<std::byte> input() const {
    std::vector<std::byte> bytes;
    for (uint32_t rank = 0; rank < ctas; ++rank)
      for (uint8_t byte : image(rank))
        bytes.push_back(std::byte(byte));
    return bytes;
  }

  /// The kernel: generic copies in place of TMA, cp of the scales, eight mma, one commit, an epilogue by four
  /// warps. Columns 0 to 127 are D, 128 to 143 the scales.
  std::string kernel() const {
    std::string group = ".cta_group::" + std::to_string(ctas);
    uint32_t barrier = imageBytes(), slot = imageBytes() + 8;
    std::ostringstream text;
    text << R"(
.reg .pred %p<8>; .reg .b32 %r<40>, %ta, %tw, %thread, %warp, %base, %rank, %idesc, %i; .reg .b64 %rd<16>, %desc, %src;
.reg .b32 %v<32>; .reg .b16 %mask;
mov.u32 %thread, %tid.x; shr.u32 %warp, %thread, 5; mov.u32 %base, smem; mov.u32 %rank, %cluster_ctarank;
setp.eq.u32 %p1, %warp, 0; setp.eq.u32 %p2, %thread, 0;
mul.wide.u32 %src, %rank, )"
         << imageBytes() << R"(; add.u64 %src, %src, %in;
@!%p1 bra allocated;
add.u32 %r1, %base, )"
         << slot << ";\ntcgen05.alloc" << group << ".sync.aligned.shared::cta.b32 [%r1], 256;\n"
         << "tcgen05.relinquish_alloc_permit" << group << R"(.sync.aligned;
allocated:
@%p2 mbarrier.init.shared::cta.b64 [%base+)"
         << barrier << R"(], 1;
fence.mbarrier_init.release.cluster;
mov.u32 %i, %thread;
copy:
mul.wide.u32 %rd1, %i, 16; add.u64 %rd2, %src, %rd1; shl.b32 %r2, %i, 4; add.u32 %r2, %r2, %base;
ld.global.v4.b32 {%r4, %r5, %r6, %r7}, [%rd2];
st.shared.v4.b32 [%r2], {%r4, %r5, %r6, %r7};
add.u32 %i, %i, 128; setp.lt.u32 %p3, %i, )"
         << imageBytes() / 16 << R"(;
@%p3 bra copy;
fence.proxy.async;
tcgen05.fence::before_thread_sync;
barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;
tcgen05.fence::after_thread_sync; // of the allocation
ld.shared.b32 %ta, [%base+)"
         << slot << R"(];
and.b32 %r3, %rank, 1; setp.eq.u32 %p4, %r3, 0; and.pred %p4, %p4, %p2;
@!%p4 bra issued;
)";
    for (uint32_t half = 0; half < 2; ++half)
      for (uint32_t operand = 0; operand < 2; ++operand)
        text << "add.u32 %r8, %base, " << scaleStart() + (half * 2 + operand) * 512
             << "; and.b32 %r8, %r8, 0x3FFFF; shr.u32 %r8, %r8, 4;\n"
             << "cvt.u64.u32 %desc, %r8; or.b64 %desc, %desc, 0x0000400800000000;\n"
             << "add.u32 %r9, %ta, " << 128 + half * 8 + operand * 4 << ";\n"
             << "tcgen05.cp" << group << ".32x128b.warpx4 [%r9], %desc;\n";
    for (uint32_t kb = 0; kb < kBlocks; ++kb) {
      uint32_t idesc = (1u << 23) + (kN >> 3 << 17) + (m >> 7 << 27) + (kb % 4 << 29) + (kb % 4 << 4);
      auto descriptor = [&](const char *name, uint32_t start) {
        text << "add.u32 %r8, %base, " << start
             << "; and.b32 %r8, %r8, 0x3FFFF; shr.u32 %r8, %r8, 4;\ncvt.u64.u32 " << name << ", %r8; or.b64 "
             << name << ", " << name << ", 0x4000404000010000;\n";
      };
      descriptor("%rd3", kb / 4 * 128 * 128 + kb % 4 * 32);
      descriptor("%rd4", bStart() + kb / 4 * rowsOfB() * 128 + kb % 4 * 32);
      text << "mov.u32 %idesc, " << idesc << "; add.u32 %r9, %ta, " << 128 + kb / 4 * 8
           << "; add.u32 %r10, %r9, 4; setp.ne.u32 %p5, " << kb << ", 0;\n"
           << "tcgen05.mma" << group << ".kind::mxf8f6f4.block_scale"
           << (kb % 2 ? ".block32" : ".scale_vec::1X") << " [%ta], %rd3, %rd4, %idesc, [%r9], [%r10], %p5;\n";
    }
    text << "add.u32 %r8, %base, " << barrier << ";\nmov.b16 %mask, 3;\ntcgen05.commit" << group
         << ".mbarrier::arrive::one.shared::cluster"
         << (ctas == 2 ? ".multicast::cluster.b64 [%r8], %mask" : ".b64 [%r8]") << R"(;
issued:
wait:
mbarrier.try_wait.parity.shared::cta.b64 %p6, [%base+)"
         << barrier << R"(], 0;
@!%p6 bra wait;
tcgen05.fence::after_thread_sync; // of the result
shl.b32 %tw, %warp, 21; add.u32 %tw, %tw, %ta;
mad.lo.u32 %r11, %rank, 128, %thread; mul.wide.u32 %rd5, %r11, 512; add.u64 %rd5, %rd5, %out;
)";
    for (uint32_t column = 0; column < kN; column += 32) {
      text << "tcgen05.ld.sync.aligned.32x32b.x32.b32 {";
      for (int i = 0; i < 32; ++i)
        text << (i ? ", " : "") << "%v" << i;
      text << "}, [%tw+" << column << "];\ntcgen05.wait::ld.sync.aligned;\n";
      for (int i = 0; i < 32; i += 4)
        text << "st.global.v4.b32 [%rd5+" << (column + uint32_t(i)) * 4 << "], {%v" << i << ", %v" << i + 1
             << ", %v" << i + 2 << ", %v" << i + 3 << "};\n";
    }
    text << R"(
tcgen05.fence::before_thread_sync;
barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;
tcgen05.fence::after_thread_sync; // of the epilogue
@%p1 tcgen05.dealloc)"
         << group << ".sync.aligned.b32 %ta, 256;\n";
    std::string ptx = kernelOf(text.str());
    return ptx.replace(ptx.find(".visible"), 0, ".extern .shared .align 1024 .b8 smem[];\n");
  }

  PtxOutcome run(const std::string &ptx, Checks checks, Schedule schedule) const {
    PtxRun how = of128(checks, schedule);
    how.grid = how.cluster = {ctas, 1, 1};
    how.dynamicSharedBytes = imageBytes() + 16;
    return runPtxBytes(ptx, input(), size_t(m) * kN * 4, how);
  }

  bool isRight(const PtxOutcome &outcome) const {
    for (uint32_t row = 0; row < m; ++row)
      for (uint32_t col = 0; col < kN; ++col) {
        double sum = 0, magnitude = 0;
        for (uint32_t i = 0; i < kK; ++i) {
          int exponent = sa[row * kBlocks + i / 32] + sb[col * kBlocks + i / 32] - 254;
          double term = std::ldexp(valueOf(a[row * kK + i]) * valueOf(b[col * kK + i]), exponent);
          sum += term, magnitude += std::abs(term);
        }
        float found;
        std::memcpy(&found, &outcome.output[(row * kN + col) * 4], 4);
        if (!(std::abs(found - sum) <= magnitude * std::ldexp(1, -20))) return false;
      }
    return true;
  }

  static double valueOf(uint8_t bits) {
    int exponent = bits >> 3 & 15, fraction = bits & 7;
    double magnitude = exponent ? std::ldexp(8 + fraction, exponent - 10) : std::ldexp(fraction, -9);
    return bits & 0x80 ? -magnitude : magnitude;
  }
};

} // namespace

TEST_CASE("an MXFP8 tile of one CTA and of a pair") {
  Tile tile(GENERATE(1u, 2u));
  std::vector<std::byte> first;
  for (Checks checks : {Checks::Off, Checks::Standard, Checks::Strict})
    for (Schedule schedule : {kEager, kLazy, kRandom, Schedule{Schedule::Kind::Random, 6}}) {
      PtxOutcome outcome = tile.run(tile.kernel(), checks, schedule);
      INFO((outcome.fault ? outcome.fault->text() : ""));
      REQUIRE_FALSE(outcome.fault);
      if (first.empty()) {
        CHECK(tile.isRight(outcome));
        first = outcome.output;
      }
      CHECK(outcome.output == first);
      CHECK(outcome.statistics.tensorOperations == uint64_t(tile.m) * kN * kK);
    }
}

// Each instruction that orders something is taken out in turn, with what it stands on the same lines for.
TEST_CASE("an MXFP8 tile without one of its waits, fences, commits") {
  Tile tile(GENERATE(1u, 2u));
  const std::string whole = tile.kernel();
  struct Removal {
    std::string what;
    FaultKind kind;
    bool isOfPairs = false; // one CTA's warps have another fence before they touch tensor memory
  };
  for (const Removal &removal :
       {Removal{"fence.proxy.async;", FaultKind::ProxyOrder}, Removal{"tcgen05.commit", FaultKind::Deadlock},
        Removal{"mbarrier.try_wait", FaultKind::Unfinished},
        Removal{"tcgen05.wait::ld", FaultKind::Unfinished},
        Removal{"tcgen05.fence::after_thread_sync; // of the allocation", FaultKind::Race, true},
        Removal{"tcgen05.fence::after_thread_sync; // of the result", FaultKind::Race},
        Removal{"barrier.cluster.arrive", FaultKind::Unwritten},
        Removal{"@%p1 tcgen05.dealloc", FaultKind::TensorMemory}}) {
    if (removal.isOfPairs && tile.ctas == 1) continue;
    std::string ptx = whole;
    bool isBarrier = removal.what.starts_with("barrier");
    for (size_t at = ptx.find(removal.what); at != std::string::npos;
         at = isBarrier ? std::string::npos : ptx.find(removal.what, at)) {
      ptx.erase(at, ptx.find('\n', at) - at);
      if (removal.what == "mbarrier.try_wait") ptx.erase(ptx.find("@!%p6 bra wait;"), 15);
    }
    PtxOutcome outcome = tile.run(ptx, Checks::Strict, kLazy);
    INFO(removal.what << ": " << (outcome.fault ? outcome.fault->text() : "no fault"));
    REQUIRE(outcome.fault);
    bool isEarly = removal.what == "mbarrier.try_wait" &&
                   outcome.fault->kind == FaultKind::Unwritten; // before the first mma
    CHECK((isEarly || outcome.fault->kind == removal.kind));
  }
}
