// wgmma through the engine: operands in every layout of shared memory and in registers, against a plain
// matrix product of small integers; and its asynchrony.
#include "tests/unit/simulator/RunPtx.h"
#include "tests/unit/simulator/SmallNumbers.h"

#include <catch2/catch.hpp>

#include <random>

using namespace mxc::sim;

namespace {

struct Layout {
  int span = 16; // of the swizzle, 16: none
  bool isTransposed = false;
};

struct Case {
  int n, kOfStep, steps;
  const char *types, *suffix; // after the shape; after the operands
  Element a, b;
  char result; // 'f' f32, 'h' f16, 'i' s32
  Layout layoutA, layoutB;
  bool isAInRegisters = false, readsD = true;
  int signA = 1, signB = 1;
};

/// Where an element lies: canonical layouts (PTX ISA 9.7.15.5.1), the swizzle as an exchange of 16-byte
/// chunks in 128-byte lines.
struct Placed {
  Element element;
  Layout layout;
  int rows, k, base; // base: a multiple of 1024

  int groups() const { return k * int(bitsOf(element)) / 8 / 16; } // of 16 bytes along K
  int coreColumns() const { return layout.isTransposed ? k / 8 : groups(); }
  int atomBytes() const { return 8 * layout.span; }
  int leading() const {
    if (layout.span == 16) return 128;
    return layout.isTransposed ? atomBytes() * (k / 8) : 16;
  }
  int stride() const { return layout.span == 16 ? 128 * coreColumns() : atomBytes(); }
  int bytes() const { // whole atoms, to a multiple of 1024
    int atom = layout.isTransposed ? std::max(layout.span / 2, 8) : 8,
        wholeRows = (rows + atom - 1) / atom * atom;
    int ofRow = layout.isTransposed || layout.span == 16 ? k * int(bitsOf(element)) / 8 : layout.span;
    return (wholeRows * ofRow + 1023) & ~1023;
  }
  int stepBytes(int step) const { // to the descriptor of the next k
    if (layout.isTransposed) return step / 8 * (layout.span == 16 ? leading() : stride());
    return layout.span == 16 ? step * int(bitsOf(element)) / 128 * leading()
                             : step * int(bitsOf(element)) / 8;
  }

  int offset(int row, int column) const { // of the byte
    int span = layout.span, place;
    int along = column * int(bitsOf(element)) / 8, across = row * 2;
    if (span == 16)
      place = layout.isTransposed
                  ? row / 8 * stride() + column / 8 * leading() + column % 8 * 16 + row % 8 * 2
                  : row / 8 * stride() + along / 16 * leading() + row % 8 * 16 + along % 16;
    else
      place = layout.isTransposed
                  ? across / span * leading() + column / 8 * stride() + column % 8 * span + across % span
                  : row / 8 * stride() + row % 8 * span + along;
    int line = place / 128, chunk = place / 16 % 8 ^ (line & (span / 16 - 1));
    return base + line * 128 + chunk * 16 + place % 16;
  }

  uint64_t descriptor(int step, int kOfStep) const {
    uint64_t swizzle = layout.span == 128 ? 1 : layout.span == 64 ? 2 : layout.span == 32 ? 3 : 0;
    auto field = [](int value) { return uint64_t(value / 16 & 0x3FFF); };
    constexpr int kFirstAddress = 0x400;
    return field(kFirstAddress + base + step * stepBytes(kOfStep)) | field(leading()) << 16 |
           field(stride()) << 32 | swizzle << 62;
  }
};

using Matrix = std::vector<std::vector<int>>;

Matrix randomMatrix(std::mt19937 &random, int rows, int k, Element element) {
  Matrix matrix;
  for (int row = 0; row < rows; ++row) {
    matrix.emplace_back();
    for (int i = 0; i < k; ++i)
      matrix.back().push_back(smallNumber(element, uint32_t(random())));
  }
  return matrix;
}

void place(const Matrix &matrix, const Placed &placed, std::vector<uint8_t> &image) {
  for (int row = 0; row < placed.rows; ++row)
    for (int k = 0; k < placed.k; ++k) {
      uint32_t bits = bitsOfSmall(placed.element, matrix[size_t(row)][size_t(k)]),
               width = bitsOf(placed.element);
      size_t at = size_t(placed.offset(row, k));
      if (width == 1)
        image[at] |= uint8_t(bits << k % 8);
      else
        std::memcpy(&image[at], &bits, width / 8);
    }
}

std::string list(const std::string &prefix, int first, int count) {
  std::string text = "{";
  for (int i = first; i < first + count; ++i)
    text += (i > first ? ", " : "") + prefix + std::to_string(i);
  return text + "}";
}

struct Built {
  std::string ptx;
  std::vector<uint8_t> input;
  int registers;
  Matrix a, b;
};

Built build(const Case &c, const std::string &wait, uint32_t seed = 3) {
  std::mt19937 random(seed);
  int k = c.kOfStep * c.steps;
  Built built;
  built.a = randomMatrix(random, 64, k, c.a), built.b = randomMatrix(random, c.n, k, c.b);
  Placed a{c.a, c.layoutA, 64, k, 0};
  Placed b{c.b, c.layoutB, c.n, k, a.bytes()};
  int bytes = (a.bytes() + b.bytes() + 2047) / 2048 * 2048;
  built.input.resize(size_t(bytes));
  place(built.a, a, built.input), place(built.b, b, built.input);
  int perRegister = 32 / int(bitsOf(c.a)), aRegisters = 4 * c.steps;
  for (int thread = 0; thread < 128; ++thread)
    for (int i = 0; i < aRegisters; ++i) { // a0: row g, a1: row g + 8, a2: row g further in k, a3
      uint64_t word = 0;
      for (int e = 0; e < perRegister; ++e) {
        int row = thread / 32 * 16 + thread % 32 / 4 + i % 2 * 8;
        int column = i / 4 * c.kOfStep + i % 4 / 2 * c.kOfStep / 2 + thread % 4 * perRegister + e;
        word |= uint64_t(bitsOfSmall(c.a, built.a[size_t(row)][size_t(column)])) << (e * int(bitsOf(c.a)));
      }
      uint32_t low = uint32_t(word);
      const auto *from = reinterpret_cast<const uint8_t *>(&low);
      built.input.insert(built.input.end(), from, from + 4);
    }
  built.registers = c.n / (c.result == 'h' ? 4 : 2);
  std::string body = ".reg .b32 %t, %a<128>, %d<128>, %v<4>;\n.reg .b64 %x, %y, %z;\n.reg .pred %p, %q;\n";
  body +=
      ".shared .align 1024 .b8 image[" + std::to_string(bytes) + "];\n.reg .b32 %s;\nmov.u32 %t, %tid.x;\n";
  body += "mul.wide.u32 %x, %t, 16;\nadd.s64 %x, %in, %x;\nmov.u32 %s, image;\nmad.lo.u32 %s, %t, 16, %s;\n";
  for (int at = 0; at < bytes; at += 2048)
    body += "ld.global.v4.u32 {%v0, %v1, %v2, %v3}, [%x+" + std::to_string(at) + "];\nst.shared.v4.u32 [%s+" +
            std::to_string(at) + "], {%v0, %v1, %v2, %v3};\n";
  body += "mul.wide.u32 %y, %t, " + std::to_string(aRegisters * 4) + ";\nadd.s64 %y, %in, %y;\n";
  for (int i = 0; i < aRegisters; ++i)
    body += "ld.global.u32 %a" + std::to_string(i) + ", [%y+" + std::to_string(bytes + i * 4) + "];\n";
  for (int i = 0; i < built.registers; ++i) {
    uint32_t bits = accumulatorBits(c.result, i % 3);
    body += "mov.b32 %d" + std::to_string(i) + ", " +
            std::to_string(c.result == 'h' ? bits | bits << 16 : bits) + ";\n";
  }
  body +=
      "fence.proxy.async.shared::cta;\nbar.sync 0;\nsetp.ne.b32 %p, " + std::to_string(c.readsD) + ", 0;\n";
  body += "setp.ne.b32 %q, 1, 0;\nwgmma.fence.sync.aligned;\n";
  std::string destination = list("%d", 0, built.registers);
  for (int step = 0; step < c.steps; ++step) {
    body += "mov.b64 %y, " + std::to_string(int64_t(a.descriptor(step, c.kOfStep))) + ";\n";
    body += "mov.b64 %z, " + std::to_string(int64_t(b.descriptor(step, c.kOfStep))) + ";\n";
    body += "wgmma.mma_async.sync.aligned.m64n" + std::to_string(c.n) + "k" + std::to_string(c.kOfStep) +
            "." + c.types + " " + destination + ", " + (c.isAInRegisters ? list("%a", step * 4, 4) : "%y") +
            ", %z, " + (step ? "%q" : "%p") + c.suffix + ";\n";
  }
  body += "wgmma.commit_group.sync.aligned;\n" + wait;
  body += "mul.wide.u32 %x, %t, " + std::to_string(built.registers * 4) + ";\nadd.s64 %out, %out, %x;\n";
  for (int i = 0; i < built.registers; ++i)
    body += "st.global.u32 [%out+" + std::to_string(i * 4) + "], %d" + std::to_string(i) + ";\n";
  built.ptx = kernelOf(body, "sm_90a");
  return built;
}

const std::string kWait = "wgmma.wait_group.sync.aligned 0;\n";

PtxRun launch() {
  PtxRun how;
  how.target = "sm_90a", how.block = {128, 1, 1};
  return how;
}

void check(const Case &c, const PtxRun &how, const std::string &wait = kWait) {
  INFO(c.types << " n " << c.n << " spans " << c.layoutA.span << " " << c.layoutB.span);
  Built built = build(c, wait);
  std::vector<uint32_t> output = runPtx<uint32_t>(built.ptx, built.input, size_t(128 * built.registers), how);
  for (int row = 0; row < 64; ++row)
    for (int column = 0; column < c.n; ++column) {
      int thread = row / 16 * 32 + row % 8 * 4 + column % 8 / 2, half = row % 16 / 8;
      int register_ = c.result == 'h' ? column / 8 * 2 + half : column / 8 * 4 + half * 2 + column % 2;
      int sum = c.readsD ? register_ % 3 : 0;
      for (int k = 0; k < c.kOfStep * c.steps; ++k)
        sum += c.signA * c.signB * built.a[size_t(row)][size_t(k)] * built.b[size_t(column)][size_t(k)];
      uint32_t found = output[size_t(thread * built.registers + register_)];
      if (c.result == 'h') found = found >> 16 * (column % 2) & 0xFFFF;
      REQUIRE(found == accumulatorBits(c.result, sum));
    }
}

const Layout kPlain{}, k32{32}, k64{64}, k128{128}, kPlainT{16, true}, k32T{32, true}, k64T{64, true},
    k128T{128, true};
constexpr Element BF16 = Element::BF16, F16 = Element::F16;

} // namespace

TEST_CASE("wgmma reads every layout of shared memory") {
  for (Layout a : {kPlain, k64, k128, kPlainT, k32T, k64T, k128T})
    for (Layout b : {kPlain, k64, k128, kPlainT, k32T, k64T, k128T}) {
      std::string suffix =
          ", 1, 1, " + std::to_string(a.isTransposed) + ", " + std::to_string(b.isTransposed);
      check({72, 16, 2, "f32.bf16.bf16", suffix.c_str(), BF16, BF16, 'f', a, b}, launch());
    }
  check({16, 16, 1, "f32.bf16.bf16", ", 1, 1, 0, 0", BF16, BF16, 'f', k32, k32}, launch());
}

TEST_CASE("wgmma of every type") {
  const Case cases[] = {
      {256, 16, 4, "f32.f16.f16", ", 1, -1, 0, 0", F16, F16, 'f', k128, k128, false, true, 1, -1},
      {8, 16, 1, "f16.f16.f16", ", 1, 1, 0, 1", F16, F16, 'h', k32, k128T},
      {64, 16, 2, "f16.f16.f16", ", 1, 1, 1", F16, F16, 'h', k64, k64T, true, false},
      {64, 16, 2, "f32.bf16.bf16", ", -1, 1, 0", BF16, BF16, 'f', k64, k64, true, true, -1, 1},
      {24, 8, 2, "f32.tf32.tf32", ", 1, 1", Element::TF32, Element::TF32, 'f', k64, k64},
      {24, 8, 2, "f32.tf32.tf32", ", 1, 1", Element::TF32, Element::TF32, 'f', k64, kPlain, true},
      {128, 32, 4, "f32.e4m3.e5m2", ", 1, 1", Element::E4M3, Element::E5M2, 'f', k128, k128, false, false},
      {32, 32, 1, "f16.e5m2.e5m2", ", 1, 1", Element::E5M2, Element::E5M2, 'h', k32, k32, true},
      {48, 32, 2, "s32.s8.u8", "", Element::S8, Element::U8, 'i', k64, k64},
      {16, 32, 2, "s32.u8.s8.satfinite", "", Element::U8, Element::S8, 'i', kPlain, k64, true},
      {32, 256, 2, "s32.b1.b1.and.popc", "", Element::B1, Element::B1, 'i', k64, k64},
      {32, 256, 1, "s32.b1.b1.and.popc", "", Element::B1, Element::B1, 'i', k32, k32, true},
  };
  for (const Case &c : cases)
    check(c, launch());
}

TEST_CASE("wgmma completes when it likes, and no later than wait_group") {
  const Case c{64, 16, 4, "f32.bf16.bf16", ", 1, 1, 0, 0", BF16, BF16, 'f', k128, k128};
  for (Schedule schedule :
       {Schedule{Schedule::Kind::Lazy, 0}, {Schedule::Kind::Random, 1}, {Schedule::Kind::Random, 2}})
    for (Checks checks : {Checks::Off, Checks::Standard, Checks::Strict}) {
      PtxRun how = launch();
      how.schedule = schedule, how.checks = checks;
      check(c, how);
    }
  PtxRun how = launch();
  how.schedule.kind = Schedule::Kind::Lazy, how.checks = Checks::Strict;
  Built built = build(c, "");
  std::vector<std::byte> input(built.input.size());
  std::memcpy(input.data(), built.input.data(), input.size());
  PtxOutcome outcome = runPtxBytes(built.ptx, input, 128 * 32 * 4, how);
  REQUIRE(outcome.fault);
  CHECK(outcome.fault->kind == FaultKind::Unfinished);
  CHECK(outcome.fault->instruction.find("st.global") != std::string::npos);
}

TEST_CASE("a warp that waited may overwrite what its warpgroup multiplied") {
  const Case c{64, 16, 4, "f32.bf16.bf16", ", 1, 1, 0, 0", BF16, BF16, 'f', k128, k128};
  const std::string overwrite = R"(
setp.ne.u32 %p, %t, 0; @%p bra kept;
mov.u32 %v0, 0; mov.u32 %s, image; add.u32 %v1, %s, 16384;
zero: st.shared.v4.u32 [%s], {%v0, %v0, %v0, %v0}; add.u32 %s, %s, 16;
setp.lt.u32 %p, %s, %v1; @%p bra zero;
kept:
)";
  for (Schedule schedule :
       {Schedule{Schedule::Kind::Eager, 0}, {Schedule::Kind::Lazy, 0}, {Schedule::Kind::Random, 1}}) {
    PtxRun how = launch();
    how.schedule = schedule;
    check(c, how, kWait + overwrite);
  }
}

TEST_CASE("wgmma counts, and refuses what it must") {
  const Case c{64, 16, 4, "f32.bf16.bf16", ", 1, 1, 0, 0", BF16, BF16, 'f', k128, k128};
  Built built = build(c, kWait);
  std::vector<std::byte> input(built.input.size());
  std::memcpy(input.data(), built.input.data(), input.size());
  CHECK(runPtxBytes(built.ptx, input, 128 * 32 * 4, launch()).statistics.tensorOperations == 64 * 64 * 64);
  PtxRun alone = launch();
  alone.block = {32, 1, 1};
  PtxOutcome outcome = runPtxBytes(built.ptx, input, 128 * 32 * 4, alone);
  REQUIRE(outcome.fault);
  CHECK(outcome.fault->message.find("warpgroup") != std::string::npos);
  auto refusal = [](const std::string &shape) {
    PtxOutcome refused =
        runPtxBytes(kernelOf(".reg .b32 %d<4>;\n.reg .b64 %x;\nwgmma.mma_async.sync.aligned." + shape +
                                 " {%d0, %d1, %d2, %d3}, %x, %x, 1, 1, 1;\n",
                             "sm_90a"),
                    {}, 4, launch());
    REQUIRE(refused.fault);
    return refused.fault->message;
  };
  CHECK(refusal("m64n8k16.f32.e4m3.e4m3").find("no shape") != std::string::npos);
  CHECK(refusal("m64n12k32.f32.e4m3.e4m3").find("no shape") != std::string::npos);
  CHECK(refusal("m64n8k8.f16.tf32.tf32").find("do not go together") != std::string::npos);
}
