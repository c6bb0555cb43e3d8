// tcgen05.cp in every shape and format, and tcgen05.shift, in kernels: which byte of shared memory comes to
// which cell of tensor memory (PTX ISA 9.7.16.9), written out once more.
#include "tests/unit/simulator/RunPtx.h"

#include <catch2/catch.hpp>

using namespace mxc::sim;

namespace {

constexpr uint32_t kRows = 128, kColumns = 8, kGroup = 128, kChunks = 16 * kGroup;

/// Fills shared memory with the input, clears 8 columns of tensor memory, does `operation` with %desc on %ta,
/// and writes all 128 x 8 cells.
std::string kernel(const std::string &operation) {
  std::string text =
      R"(
.reg .pred %p<4>; .reg .b32 %r<16>, %ta, %tw, %thread, %warp, %zero; .reg .b64 %rd<8>, %desc;
.shared .align 128 .b8 data[4096]; .shared .align 8 .b8 bar[8]; .shared .align 4 .b8 slot[4];
mov.u32 %thread, %tid.x; shr.u32 %warp, %thread, 5; setp.eq.u32 %p1, %warp, 0; setp.eq.u32 %p2, %thread, 0;
mov.u32 %r1, slot; mov.u32 %r2, bar; mov.u32 %zero, 0x55555555;
@%p1 tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r1], 32;
@%p2 mbarrier.init.shared::cta.b64 [%r2], 1;
mul.wide.u32 %rd1, %thread, 32; add.u64 %rd2, %in, %rd1; mov.u32 %r3, data; mad.lo.u32 %r3, %thread, 32, %r3;
ld.global.v4.b32 {%r4, %r5, %r6, %r7}, [%rd2]; st.shared.v4.b32 [%r3], {%r4, %r5, %r6, %r7};
ld.global.v4.b32 {%r4, %r5, %r6, %r7}, [%rd2+16]; st.shared.v4.b32 [%r3+16], {%r4, %r5, %r6, %r7};
fence.mbarrier_init.release.cluster; fence.proxy.async;
bar.sync 0;
tcgen05.fence::after_thread_sync;
ld.shared.b32 %ta, [slot]; shl.b32 %tw, %warp, 21; add.u32 %tw, %tw, %ta;
tcgen05.st.sync.aligned.32x32b.x8.b32 [%tw], {%zero, %zero, %zero, %zero, %zero, %zero, %zero, %zero};
tcgen05.wait::st.sync.aligned;
tcgen05.fence::before_thread_sync;
bar.sync 0;
tcgen05.fence::after_thread_sync;
@!%p2 bra wait;
mov.u32 %r4, data; shr.u32 %r4, %r4, 4; cvt.u64.u32 %desc, %r4; or.b64 %desc, %desc, )" +
      std::to_string(uint64_t(1) << 46 | uint64_t(kGroup / 16) << 32 | uint64_t(kChunks / 16) << 16) + ";\n" +
      operation + R"(
tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%r2];
wait: mbarrier.try_wait.parity.shared::cta.b64 %p3, [%r2], 0; @!%p3 bra wait;
tcgen05.fence::after_thread_sync;
tcgen05.ld.sync.aligned.32x32b.x8.b32 {%r4, %r5, %r6, %r7, %r8, %r9, %r10, %r11}, [%tw];
tcgen05.wait::ld.sync.aligned;
add.u64 %rd2, %out, %rd1; st.global.v4.b32 [%rd2], {%r4, %r5, %r6, %r7}; st.global.v4.b32 [%rd2+16], {%r8, %r9, %r10, %r11};
tcgen05.fence::before_thread_sync;
bar.sync 0;
@%p1 tcgen05.dealloc.cta_group::1.sync.aligned.b32 %ta, 32;
)";
  return kernelOf(text);
}

std::vector<std::byte> bytes() {
  std::vector<std::byte> data(4096);
  for (uint32_t i = 0; i < data.size(); ++i)
    data[i] = std::byte(i * 37 + i / 256 * 11 + 5);
  return data;
}

/// The cells, of lane after lane, under each schedule with strict checks.
std::vector<uint32_t> cellsAfter(const std::string &operation) {
  std::vector<uint32_t> first;
  for (Schedule schedule : {Schedule{Schedule::Kind::Eager, 0}, Schedule{Schedule::Kind::Lazy, 0},
                            Schedule{Schedule::Kind::Random, 4}}) {
    PtxRun how;
    how.block = {128, 1, 1}, how.checks = Checks::Strict, how.schedule = schedule;
    PtxOutcome outcome = runPtxBytes(kernel(operation), bytes(), kRows * kColumns * 4, how);
    INFO((outcome.fault ? outcome.fault->text() : ""));
    REQUIRE_FALSE(outcome.fault);
    std::vector<uint32_t> cells(kRows * kColumns);
    std::memcpy(cells.data(), outcome.output.data(), cells.size() * 4);
    if (first.empty()) first = cells;
    CHECK(cells == first);
  }
  return first;
}

/// 16 bytes of shared memory: cores of 8 rows of 16 bytes, the second 16 bytes of a row far away.
std::array<uint8_t, 16> chunk(uint32_t row, uint32_t half) {
  std::array<uint8_t, 16> result;
  std::vector<std::byte> data = bytes();
  std::memcpy(result.data(), &data[half * kChunks + row / 8 * kGroup + row % 8 * 16], 16);
  return result;
}

} // namespace

TEST_CASE("tcgen05.cp: rows to lanes by shape") {
  struct Case {
    std::string shape;
    uint32_t columns;
    int (*rowOf)(uint32_t lane); // -1: none comes there
  };
  for (const Case &c : {
           Case{"128x256b", 8, [](uint32_t lane) { return int(lane); }},
           Case{"128x128b", 4, [](uint32_t lane) { return int(lane); }},
           Case{"64x128b.warpx2::02_13", 4, [](uint32_t lane) { return int(lane % 64); }},
           Case{"64x128b.warpx2::01_23", 4, [](uint32_t lane) { return int(lane / 64 * 32 + lane % 32); }},
           Case{"32x128b.warpx4", 4, [](uint32_t lane) { return int(lane % 32); }},
           Case{"4x256b", 8, [](uint32_t lane) { return lane % 32 ? -1 : int(lane / 32); }},
       }) {
    std::vector<uint32_t> cells = cellsAfter("tcgen05.cp.cta_group::1." + c.shape + " [%ta], %desc;");
    for (uint32_t lane = 0; lane < kRows; ++lane)
      for (uint32_t column = 0; column < kColumns; ++column) {
        uint32_t expected = 0x55555555;
        if (int row = c.rowOf(lane); row >= 0 && column < c.columns)
          std::memcpy(&expected, chunk(uint32_t(row), column / 4).data() + column % 4 * 4, 4);
        INFO(c.shape << " lane " << lane << " column " << column);
        REQUIRE(cells[lane * kColumns + column] == expected);
      }
  }
}

TEST_CASE("tcgen05.cp expands elements of 6 and 4 bits to bytes") {
  for (uint32_t width : {6u, 4u}) {
    std::vector<uint32_t> cells = cellsAfter(std::string("tcgen05.cp.cta_group::1.128x256b.b8x16.") +
                                             (width == 6 ? "b6x16_p32" : "b4x16_p64") + " [%ta], %desc;");
    for (uint32_t lane = 0; lane < kRows; ++lane)
      for (uint32_t element = 0; element < 32; ++element) {
        std::array<uint8_t, 16> packed = chunk(lane, element / 16);
        uint32_t bits = 0;
        for (uint32_t i = 0; i < width; ++i) {
          uint32_t at = element % 16 * width + i;
          bits |= uint32_t(packed[at / 8] >> at % 8 & 1) << i;
        }
        uint32_t expected = width == 4 ? bits << 2 : bits; // four bits stand in the middle of theirs
        REQUIRE((cells[lane * kColumns + element / 4] >> element % 4 * 8 & 0xFF) == expected);
      }
  }
}

TEST_CASE("tcgen05.shift.down: rows of a warp's lanes take those of the next") {
  std::vector<uint32_t> whole = cellsAfter("tcgen05.cp.cta_group::1.128x256b [%ta], %desc;");
  std::vector<uint32_t> shifted = cellsAfter("tcgen05.cp.cta_group::1.128x256b [%ta], %desc;\n"
                                             "add.u32 %r5, %ta, 0x200000;\n"
                                             "tcgen05.shift.cta_group::1.down [%r5];");
  for (uint32_t lane = 0; lane < kRows; ++lane)
    for (uint32_t column = 0; column < kColumns; ++column) {
      uint32_t from = lane >= 32 && lane < 63 ? lane + 1 : lane;
      REQUIRE(shifted[lane * kColumns + column] == whole[from * kColumns + column]);
    }
}

TEST_CASE("tcgen05.ld.red gives the extreme of a lane's registers too") {
  struct Case {
    std::string words, bits[3];
    uint32_t expected;
  };
  const std::string nan = "0x7FC00000", one = "0x3F800000", minusTwo = "0xC0000000", zero = "0",
                    minusZero = "0x80000000";
  for (const Case &c : {
           Case{"min.f32", {one, minusTwo, zero}, 0xC0000000},
           Case{"max.f32", {minusZero, zero, minusTwo}, 0},
           Case{"max.abs.f32", {one, minusTwo, zero}, 0x40000000},
           Case{"min.f32", {nan, one, one}, 0x3F800000},
           Case{"min.NaN.f32", {nan, one, one}, 0x7FFFFFFF},
           Case{"max.u32", {one, minusTwo, zero}, 0xC0000000},
           Case{"max.s32", {one, minusTwo, zero}, 0x3F800000},
       }) {
    std::string ptx = kernel("");
    const std::string load =
        "tcgen05.ld.sync.aligned.32x32b.x8.b32 {%r4, %r5, %r6, %r7, %r8, %r9, %r10, %r11}, [%tw];";
    ptx.replace(ptx.find(load), load.size(),
                "mov.b32 %r4, " + c.bits[0] + "; mov.b32 %r5, " + c.bits[1] + "; mov.b32 %r6, " + c.bits[2] +
                    ";\ntcgen05.st.sync.aligned.32x32b.x4.b32 [%tw], {%r4, %r5, %r6, %r6};\n"
                    "tcgen05.wait::st.sync.aligned;\n"
                    "tcgen05.ld.red.sync.aligned.32x32b.x4." +
                    c.words +
                    " {%r5, %r6, %r7, %r8}, %r4, [%tw]; mov.b32 %r9, 0; mov.b32 %r10, 0; mov.b32 %r11, 0;");
    ptx.replace(ptx.find("sm_100a"), 7, "sm_103a");
    PtxRun how;
    how.block = {128, 1, 1}, how.checks = Checks::Strict, how.target = "sm_103a";
    PtxOutcome outcome = runPtxBytes(ptx, bytes(), kRows * kColumns * 4, how);
    INFO(c.words << (outcome.fault ? outcome.fault->text() : ""));
    REQUIRE_FALSE(outcome.fault);
    for (uint32_t lane = 0; lane < kRows; ++lane) {
      uint32_t found;
      std::memcpy(&found, &outcome.output[lane * kColumns * 4], 4);
      REQUIRE(found == c.expected);
    }
  }
}
