// Loads of a whole warp at once find what loads lane by lane find: values, and every fault. Those are the way
// where statistics are kept.
#include "tests/unit/simulator/RunPtx.h"

#include <catch2/catch.hpp>

#include <random>

using namespace mxc::sim;

namespace {

constexpr uint32_t kLaneBytes = 32, kArea = 2048, kNoHole = 1u << 30; // kArea: bytes that are loaded from

/// A load of that form from `area` + what each lane's word of the input says. After the 32 words stand the
/// area's bytes and the place of an element that nobody writes.
std::string loadKernel(bool isShared, uint32_t elementBytes, uint32_t count) {
  const std::string type = "b" + std::to_string(8 * elementBytes),
                    registers = elementBytes == 1 ? "b16" : type, space = isShared ? "shared" : "global";
  const std::string vector = count == 1 ? "" : ".v" + std::to_string(count);
  std::string operands, stores;
  for (uint32_t k = 0; k < count; ++k) {
    const std::string value = "%v" + std::to_string(k);
    operands += (k ? ", " : "") + value;
    stores += "st.global." + type + " [%to+" + std::to_string(k * elementBytes) + "], " + value + ";\n";
  }
  if (count > 1) operands = "{" + operands + "}";
  return kernelOf(".shared .align 16 .b8 s[" + std::to_string(kArea) +
                  "];\n.reg .b64 %to, %area, %at, %from, %place; .reg .b32 %lane, %i, %hole, %byte; "
                  ".reg .pred %p, %q; .reg ." +
                  registers + R"( %v<8>;
    mov.u32 %lane, %tid.x;
    mul.wide.u32 %to, %lane, 32; add.s64 %to, %out, %to;
    )" + (isShared ? "mov.u64 %area, s;" : "add.s64 %area, %out, 1024;") +
                  R"(
    ld.global.u32 %hole, [%in+2304];
    mov.u32 %i, %lane;
  FILL:
    sub.u32 %byte, %i, %hole; setp.ge.u32 %p, %byte, )" +
                  std::to_string(elementBytes * count) + R"(;
    cvt.u64.u32 %at, %i; add.s64 %from, %in, %at; add.s64 %at, %area, %at;
    ld.global.u8 %byte, [%from+256];
    @%p st.)" + space +
                  R"(.u8 [%at], %byte;
    add.u32 %i, %i, 32; setp.lt.u32 %q, %i, 2048; @%q bra FILL;
    bar.sync 0;
    mul.wide.u32 %at, %lane, 8; add.s64 %at, %in, %at; ld.global.u64 %place, [%at];
    add.s64 %place, %area, %place;
    ld.)" + space +
                  vector + "." + type + " " + operands + ", [%place];\n" + stores);
}

PtxOutcome outcomeOf(const std::string &ptx, const std::vector<int64_t> &places, uint32_t hole,
                     bool isCounted) {
  std::vector<std::byte> input(256 + kArea + 4);
  std::memcpy(input.data(), places.data(), 256);
  for (uint32_t i = 0; i < kArea; ++i)
    input[256 + i] = std::byte(i * 37 ^ i >> 5);
  std::memcpy(input.data() + 256 + kArea, &hole, 4);
  PtxRun how;
  how.isCounted = isCounted;
  return runPtxBytes(ptx, input, 32 * kLaneBytes + kArea, how);
}

/// Both ways agree. Returns the fault's kind, if there is one.
std::optional<FaultKind> kindOf(const std::string &ptx, const std::vector<int64_t> &places,
                                uint32_t hole = kNoHole) {
  PtxOutcome whole = outcomeOf(ptx, places, hole, false), lanewise = outcomeOf(ptx, places, hole, true);
  CHECK(whole.output == lanewise.output);
  REQUIRE(whole.fault.has_value() == lanewise.fault.has_value());
  if (!whole.fault) return std::nullopt;
  CHECK(whole.fault->kind == lanewise.fault->kind);
  CHECK(whole.fault->lane == lanewise.fault->lane);
  return whole.fault->kind;
}

} // namespace

TEST_CASE("loads of whole warps: values and faults are those of loads lane by lane") {
  const bool isShared = GENERATE(false, true);
  const auto [elementBytes, count] = GENERATE(
      table<uint32_t, uint32_t>({{1, 1}, {2, 1}, {2, 2}, {4, 1}, {4, 2}, {4, 4}, {8, 1}, {8, 2}, {8, 4}}));
  const std::string ptx = loadKernel(isShared, elementBytes, count);
  CAPTURE(isShared, elementBytes, count);
  const int64_t bytes = elementBytes * count;
  std::vector<int64_t> run(32), same(32, 3 * bytes), apart(32), shuffled(32);
  std::mt19937 random(1);
  for (int lane = 0; lane < 32; ++lane) {
    run[size_t(lane)] = (5 + lane) * bytes;
    apart[size_t(lane)] = (31 - lane) * bytes;
    shuffled[size_t(lane)] = int64_t(random() % (kArea / bytes)) * bytes;
  }
  for (const auto &places : {run, same, apart, shuffled}) {
    CHECK_FALSE(kindOf(ptx, places).has_value());
    for (size_t lane : {0, 13, 31}) {
      auto other = places;
      other[lane] = kArea - bytes; // the last that fits
      CHECK_FALSE(kindOf(ptx, other).has_value());
      other[lane] = int64_t(1) << 40;
      CHECK(kindOf(ptx, other).has_value() == !isShared); // 64-bit shared addresses lose their upper half
      other[lane] = int64_t(1) << 30;
      CHECK(kindOf(ptx, other) == FaultKind::OutOfBounds);
      other[lane] = -(int64_t(1) << 20);
      CHECK(kindOf(ptx, other) == FaultKind::OutOfBounds);
      other[lane] = kArea;
      if (!isShared) CHECK(kindOf(ptx, other) == FaultKind::OutOfBounds);
      if (bytes == 1) continue;
      other[lane] = 7 * bytes + bytes / 2;
      CHECK(kindOf(ptx, other) == FaultKind::Misaligned);
    }
    for (size_t lane : {0, 13, 31}) // what nobody wrote; of shared memory, where it is stored to `out`
      CHECK(kindOf(ptx, places, uint32_t(places[lane])) == FaultKind::Unwritten);
  }
}

TEST_CASE("loads of whole warps: bytes that an asynchronous copy has yet to write are a fault") {
  const std::string ptx = kernelOf(R"(
    .shared .align 16 .b8 s[512]; .reg .b64 %from; .reg .b32 %lane, %to, %at, %value;
    mov.u32 %lane, %tid.x; shl.b32 %at, %lane, 2; mul.wide.u32 %from, %lane, 16; add.s64 %from, %in, %from;
    mov.u32 %to, s; add.u32 %at, %to, %at; mad.lo.u32 %to, %lane, 16, %to;
    st.shared.v4.u32 [%to], {%lane, %lane, %lane, %lane};
    bar.warp.sync -1;
    cp.async.cg.shared.global [%to], [%from], 16;
    ld.shared.u32 %value, [%at];
    cp.async.wait_all;)");
  PtxRun how;
  how.isCounted = false, how.schedule.kind = Schedule::Kind::Lazy;
  PtxOutcome outcome = runPtxBytes(ptx, std::vector<std::byte>(512), 128, how);
  REQUIRE(outcome.fault);
  CHECK(outcome.fault->kind == FaultKind::Unfinished);
}
