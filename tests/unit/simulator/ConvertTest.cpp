// cvt through the engine: which element goes where, register widths, what a chip lacks. The numbers
// themselves are FloatFormatsTest's.
#include "runtime/simulator/arithmetic/FloatFormats.h"
#include "tests/unit/simulator/RunPtx.h"

#include <catch2/catch.hpp>

using namespace mxc::sim;

namespace {

/// Lane l reads in[2l] and in[2l + 1] into %a and %b, and writes 32 bits %d to out[l].
std::string convertKernel(const std::string &body, const std::string &target) {
  return kernelOf(".reg .b32 %a, %b, %c, %d, %t; .reg .b16 %h, %g; .reg .b8 %y; .reg .b64 %p, %q, %w;\n"
                  "mov.u32 %t, %tid.x; mul.wide.u32 %p, %t, 8; add.u64 %q, %in, %p;\n"
                  "ld.global.v2.b32 {%a, %b}, [%q];\n" +
                      body + "\nmul.wide.u32 %p, %t, 4; add.u64 %q, %out, %p; st.global.b32 [%q], %d;",
                  target);
}

/// One pair of inputs through lane 0.
uint32_t converted(const std::string &body, uint32_t a, uint32_t b = 0,
                   const std::string &target = "sm_100a") {
  std::vector<uint32_t> in(64);
  in[0] = a, in[1] = b;
  PtxRun how;
  how.target = target;
  return runPtx<uint32_t>(convertKernel(body, target), in, 32, how)[0];
}

uint32_t bitsOf(float value) { return std::bit_cast<uint32_t>(value); }

/// The report of a kernel that must fault.
std::string refusal(const std::string &body, const std::string &target) {
  PtxRun how;
  how.target = target;
  PtxOutcome outcome = runPtxBytes(convertKernel(body, target), std::vector<std::byte>(256), 128, how);
  REQUIRE(outcome.fault);
  return outcome.fault->message;
}

} // namespace

TEST_CASE("the first source of a pair goes to the upper half") {
  uint32_t one = bitsOf(1), two = bitsOf(2);
  CHECK(converted("cvt.rn.satfinite.e4m3x2.f32 %h, %a, %b; cvt.u32.u16 %d, %h;", one, two) == 0x3840);
  CHECK(converted("cvt.rn.satfinite.e5m2x2.f32 %h, %a, %b; cvt.u32.u16 %d, %h;", one, two) == 0x3c40);
  CHECK(converted("cvt.rn.satfinite.e2m3x2.f32 %h, %a, %b; cvt.u32.u16 %d, %h;", one, two) == 0x0810);
  CHECK(converted("cvt.rn.satfinite.e3m2x2.f32 %h, %a, %b; cvt.u32.u16 %d, %h;", one, two) == 0x0c10);
  CHECK(converted("cvt.rn.satfinite.e2m1x2.f32 %y, %a, %b; cvt.u32.u8 %d, %y;", one, two) == 0x24);
  CHECK(converted("cvt.rp.satfinite.ue8m0x2.f32 %h, %a, %b; cvt.u32.u16 %d, %h;", one, two) == 0x7f80);
  CHECK(converted("cvt.rn.bf16x2.f32 %d, %a, %b;", one, two) == 0x3f804000);
  CHECK(converted("cvt.rn.f16x2.f32 %d, %a, %b;", one, two) == 0x3c004000);
  CHECK(converted("cvt.rz.ue8m0x2.f32 %h, 0f00000000, %b; cvt.u32.u16 %d, %h;", one, two) == 0x0080);
}

TEST_CASE("fp8, fp6 and fp4 pairs become bf16 pairs on Blackwell") {
  CHECK(converted("mov.b32 {%h, %g}, %a; cvt.rn.bf16x2.e4m3x2 %d, %h;", 0x38c0) == 0x3f80c000);
  CHECK(converted("mov.b32 {%h, %g}, %a; cvt.rn.bf16x2.e5m2x2 %d, %h;", 0x3c01) == 0x3f803780);
  CHECK(converted("mov.b32 {%h, %g}, %a; cvt.rn.bf16x2.e2m3x2 %d, %h;", 0x0810) == 0x3f804000);
  CHECK(converted("mov.b32 {%h, %g}, %a; cvt.rn.bf16x2.e3m2x2 %d, %h;", 0x0c10) == 0x3f804000);
  CHECK(converted("cvt.u8.u32 %y, %a; cvt.rn.bf16x2.e2m1x2 %d, %y;", 0x2c) == 0x3f80c000);
  CHECK(converted("cvt.u8.u32 %y, %a; cvt.rn.relu.bf16x2.e2m1x2 %d, %y;", 0x2c) == 0x3f800000);
  CHECK(converted("mov.b32 {%h, %g}, %a; cvt.rn.satfinite.bf16x2.e5m2x2 %d, %h;", 0x3c7c) == 0x3f807f7f);
  CHECK_THAT(refusal("cvt.rn.bf16x2.e4m3x2 %d, %h;", "sm_90a"), Catch::Contains("needs sm_100 "));
}

TEST_CASE("packed sources keep their positions") {
  CHECK(converted("cvt.rn.satfinite.e4m3x2.f16x2 %h, %a; cvt.u32.u16 %d, %h;", 0x3c004000) == 0x3840);
  CHECK(converted("cvt.rn.satfinite.e4m3x2.bf16x2 %h, %a; cvt.u32.u16 %d, %h;", 0x3f804000) == 0x3840);
  CHECK(converted("cvt.rn.satfinite.e2m1x2.bf16x2 %y, %a; cvt.u32.u8 %d, %y;", 0x3f80c000) == 0x2c);
  CHECK(converted("cvt.u16.u32 %h, %a; cvt.rn.f16x2.e4m3x2 %d, %h;", 0x3840) == 0x3c004000);
  CHECK(converted("cvt.u16.u32 %h, %a; cvt.rn.relu.f16x2.e5m2x2 %d, %h;", 0xbc40) == 0x00004000);
  CHECK(converted("cvt.u8.u32 %y, %a; cvt.rn.f16x2.e2m1x2 %d, %y;", 0x2c) == 0x3c00c000);
  CHECK(converted("cvt.u16.u32 %h, %a; cvt.rn.f16x2.e2m3x2 %d, %h;", 0x0830) == 0x3c00c000);
  CHECK(converted("cvt.u16.u32 %h, %a; cvt.rn.bf16x2.ue8m0x2 %d, %h;", 0x7fff) == 0x3f807fff);
  CHECK(converted("cvt.u16.u32 %h, %a; cvt.rn.bf16x2.ue8m0x2 %d, %h;", 0x0001) == 0x00400080);
  CHECK(converted("cvt.rp.ue8m0x2.bf16x2 %h, %a; cvt.u32.u16 %d, %h;", 0x3f817f80) == 0x80ff);
}

TEST_CASE("four elements round by their own random bits") {
  // 1.25 between 1 and 1.5 of e2m1: half of the discarded range; a byte of 0x80 and more carries. Bytes: a,
  // e, b, f.
  std::string four =
      "mov.b32 %c, %a; cvt.rs.satfinite.e2m1x4.f32 %h, {%c, %c, %c, %c}, %b; cvt.u32.u16 %d, %h;";
  uint32_t value = bitsOf(1.25f);
  CHECK(converted(four, value, 0) == 0x2222);
  CHECK(converted(four, value, 0x80000000) == 0x3222);
  CHECK(converted(four, value, 0x00008000) == 0x2322);
  CHECK(converted(four, value, 0x00800000) == 0x2232);
  CHECK(converted(four, value, 0x00000080) == 0x2223);
  std::string pair = "mov.b32 %c, %a; cvt.rs.bf16x2.f32 %d, %c, %c, %b;";
  CHECK(converted(pair, 0x3f808000, 0x80007fff) == 0x3f813f80);
  CHECK(converted("mov.b32 %c, %a; cvt.rs.f16x2.f32 %d, %c, %c, %b;", 0x3f801000, 0x10000fff) == 0x3c013c00);
  std::string eight = "mov.b32 %c, %a; cvt.rs.satfinite.e4m3x4.f32 %d, {%c, %c, %c, %c}, %b;";
  CHECK(converted(eight, 0x3f880000, 0x80000000) == 0x39393838);
}

TEST_CASE("registers may be wider than the type") {
  CHECK(converted("cvt.s32.s8 %d, %a;", 0x1234ff80) == 0xffffff80);
  CHECK(converted("cvt.u32.u8 %d, %a;", 0x1234ff80) == 0x80);
  CHECK(converted("cvt.s8.s32 %d, %a;", 0x180) == 0xffffff80);
  CHECK(converted("cvt.sat.u8.s32 %d, %a;", uint32_t(-5)) == 0);
  CHECK(converted("cvt.sat.u8.s32 %h, %a; cvt.u32.u16 %d, %h;", 300) == 255);
  CHECK(converted("cvt.s64.s32 %w, %a; shr.u64 %w, %w, 32; cvt.u32.u64 %d, %w;", 0x80000000) == 0xffffffff);
}

TEST_CASE("numbers become integers by the written rounding, clamped") {
  CHECK(converted("cvt.rni.s32.f32 %d, %a;", bitsOf(2.5f)) == 2);
  CHECK(converted("cvt.rpi.s32.f32 %d, %a;", bitsOf(-2.5f)) == uint32_t(-2));
  CHECK(converted("cvt.rzi.s32.f32 %d, %a;", bitsOf(-3e9f)) == 0x80000000);
  CHECK(converted("cvt.rzi.s32.f32 %d, %a;", bitsOf(3e9f)) == 0x7fffffff);
  CHECK(converted("cvt.rzi.s32.f32 %d, %a;", 0x7fc00000) == 0);
  CHECK(converted("cvt.rzi.u32.f32 %d, %a;", bitsOf(-1)) == 0);
  CHECK(converted("cvt.rzi.s64.f32 %w, %a; shr.u64 %w, %w, 32; cvt.u32.u64 %d, %w;", 0x7fc00000) ==
        0x80000000);
  CHECK(converted("cvt.rmi.ftz.s32.f32 %d, %a;", 0x80000001) == 0);
  CHECK(converted("cvt.rmi.s32.f32 %d, %a;", 0x80000001) == 0xffffffff);
  CHECK(converted("cvt.sat.f32.f32 %d, %a;", bitsOf(-0.0f)) == 0);
}

TEST_CASE("integers pack with saturation") {
  CHECK(converted("cvt.pack.sat.s16.s32 %d, %a, %b;", 70000, uint32_t(-70000)) == 0x7fff8000);
  CHECK(converted("cvt.pack.sat.u8.s32.b32 %d, %a, %b, 0x11223344;", 300, uint32_t(-1)) == 0x3344ff00);
  CHECK(converted("cvt.pack.sat.s4.s32.b32 %d, %a, %b, 0x12;", 9, uint32_t(-9)) == 0x1278);
}

TEST_CASE("every f16 and bf16 through the packed instruction is the exact rounding") {
  for (bool isBf16 : {false, true}) {
    const FloatFormat &format = isBf16 ? kBf16 : kF16;
    std::string name = isBf16 ? "bf16x2" : "f16x2";
    std::string body = "cvt.rn.satfinite.e4m3x2." + name + " %h, %a; cvt.rn.satfinite.e5m2x2." + name +
                       " %g, %a; mov.b32 %d, {%h, %g};";
    std::vector<uint32_t> in(65536);
    for (uint32_t i = 0; i < 32768; ++i)
      in[2 * i] = (2 * i + 1) << 16 | 2 * i;
    PtxRun how;
    how.grid = {64, 1, 1}, how.block = {512, 1, 1};
    std::string kernel = convertKernel("" + body, "sm_100a");
    std::string tid = "mov.u32 %t, %tid.x;";
    kernel.replace(kernel.find(tid), tid.size(),
                   ".reg .b32 %z; mov.u32 %t, %ctaid.x; mov.u32 %z, %tid.x; "
                   "mad.lo.u32 %t, %t, 512, %z;");
    std::vector<uint32_t> out = runPtx<uint32_t>(kernel, in, 32768, how);
    for (uint32_t i = 0; i < 65536; ++i) {
      double value = decode(format, i);
      uint32_t pair = out[i / 2] >> (i % 2 * 8);
      REQUIRE((pair & 0xff) == encode(kE4m3, value, {Rounding::NearestEven, true}));
      REQUIRE((pair >> 16 & 0xff) == encode(kE5m2, value, {Rounding::NearestEven, true}));
    }
  }
}

TEST_CASE("what PTX or the chip lacks is refused") {
  CHECK(refusal("cvt.rn.satfinite.e2m1x2.f32 %y, %a, %b; mov.b32 %d, 0;", "sm_90a").find("needs sm_100 ") !=
        std::string::npos);
  CHECK(refusal("cvt.rp.satfinite.ue8m0x2.f32 %h, %a, %b; mov.b32 %d, 0;", "sm_90a").find("needs sm_100 ") !=
        std::string::npos);
  CHECK(refusal("cvt.rs.bf16x2.f32 %d, %a, %b, %a;", "sm_90a").find("needs sm_100f") != std::string::npos);
  CHECK(refusal("cvt.rn.e4m3x2.f32 %h, %a, %b; mov.b32 %d, 0;", "sm_90a").find("satfinite") !=
        std::string::npos);
  CHECK(refusal("cvt.f32.s32 %d, %a;", "sm_90a").find("rounding") != std::string::npos);
  CHECK(refusal("cvt.rn.s32.u32 %d, %a;", "sm_90a").find("rounded") != std::string::npos);
  CHECK(refusal("cvt.rn.satfinite.s2f6x2.f32 %h, %a, %b; mov.b32 %d, 0;", "sm_100a") != "");
}
