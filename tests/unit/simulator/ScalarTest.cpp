// Scalar instructions through the engine. The expected numbers are an H200's, or follow from the manual for
// later chips.
#include "tests/unit/simulator/RunPtx.h"

#include <catch2/catch.hpp>

#include <bit>

namespace {

/// `body` makes %d of %a, %b, %c, all .b32; lane 0's result.
uint32_t result(const std::string &body, uint32_t a, uint32_t b = 0, uint32_t c = 0) {
  std::string kernel =
      ".reg .b32 %a, %b, %c, %d, %e; .reg .b64 %x, %y, %z; .reg .pred %p, %q; .reg .b16 %h, %k;\n"
      "ld.global.b32 %a, [%in]; ld.global.b32 %b, [%in+4]; ld.global.b32 %c, [%in+8];\n" +
      body + "\nst.global.b32 [%out], %d;";
  return runPtx<uint32_t>(kernelOf(kernel), std::vector<uint32_t>{a, b, c}, 1)[0];
}
uint32_t result(const std::string &opcode, std::initializer_list<uint32_t> sources) {
  std::vector<uint32_t> s(sources);
  std::string body = opcode + " %d, %a";
  if (s.size() > 1) body += ", %b";
  if (s.size() > 2) body += ", %c";
  s.resize(3);
  return result(body + ";", s[0], s[1], s[2]);
}
uint32_t bitsOf(float value) { return std::bit_cast<uint32_t>(value); }

} // namespace

TEST_CASE("shift counts clamp") {
  CHECK(result("shl.b32", {1, 32}) == 0);
  CHECK(result("shr.s32", {0x80000000, 40}) == 0xffffffff);
  CHECK(result("shf.l.wrap.b32", {0x80000000, 1, 33}) == 3);
  CHECK(result("shf.r.clamp.b32", {1, 0xabcd, 45}) == 0xabcd);
}

TEST_CASE("division by zero gives all ones") {
  CHECK(result("div.u32", {5, 0}) == 0xffffffff);
  CHECK(result("rem.s32", {5, 0}) == 0xffffffff);
  CHECK(result("div.s32", {0x80000000, 0xffffffff}) == 0x80000000);
  CHECK(result("rem.s32", {0x80000000, 0xffffffff}) == 0);
}

TEST_CASE("the carry of a subtraction says that nothing was borrowed") {
  CHECK(result("sub.cc.u32 %e, %a, %b; addc.u32 %d, 0, 0;", 5, 3) == 1);
  CHECK(result("sub.cc.u32 %e, %a, %b; subc.u32 %d, 0, 0;", 3, 5) == 0xffffffff);
  CHECK(result("add.cc.u32 %e, %a, %b; addc.u32 %d, 0, 0;", 0xffffffff, 1) == 1);
}

TEST_CASE("bit fields of 64 bits look at all of the position and length") {
  std::string make = "mov.b64 %x, {%a, %b}; ";
  CHECK(result(make + "bfe.u64 %y, %x, 256, 8; cvt.u32.u64 %d, %y;", 0xffff, 0) == 0);
  CHECK(result(make + "bfe.u64 %y, %x, 8, 256; cvt.u32.u64 %d, %y;", 0xab00, 0) == 0xab);
  CHECK(result("bfe.u32 %d, %a, 256, 8;", 0xffff) == 0xff);
}

TEST_CASE(".ftz looks at the result that bounds no exponent") {
  CHECK(result("mul.ftz.f32", {0x3f7fffff, 0x00800000}) == 0);
  CHECK(result("mul.f32", {0x3f7fffff, 0x00800000}) == 0x00800000);
  CHECK(result("mul.ftz.f32", {0x20000001, 0x1ffffffe}) == 0x00800000);
  CHECK(result("mul.rz.ftz.f32", {0x20000001, 0x1ffffffe}) == 0);
  CHECK(result("fma.rm.ftz.f32", {0x2f800000, 0x84000000, 0x00800000}) == 0);
  CHECK(result("fma.rp.ftz.f32", {0x2f800000, 0x84000000, 0x00800000}) == 0x00800000);
  CHECK(result("div.rn.ftz.f32", {0x00ffffff, 0x40000000}) == 0);
  CHECK(result("mul.ftz.f16x2", {0x04003bff, 0x3bff0400}) == 0);
  CHECK(result("mul.ftz.f16x2", {0x04013bfe, 0x3bfe0401}) == 0x04000400);
}

TEST_CASE("approximate functions are exact where the chip is") {
  for (int e : {-126, -1, 0, 5, 126}) {
    uint32_t power = uint32_t(e + 127) << 23, inverse = uint32_t(127 - e) << 23;
    CHECK(result("rcp.approx.ftz.f32", {power}) == inverse);
    CHECK(result("ex2.approx.ftz.f32", {bitsOf(float(e))}) == power);
  }
  CHECK(result("sqrt.approx.f32", {bitsOf(1522756.0f)}) == bitsOf(1234.0f));
  CHECK(result("sin.approx.f32", {0x4b800000}) == 0xbf800000);
  CHECK(result("cos.approx.f32", {0x4b800000}) == 0);
  CHECK(result("div.approx.f32", {0x7f000000, 0x7f400000}) == 0);
  CHECK(result("div.full.f32", {0x7f000000, 0x7f400000}) == 0x3f2aaaab);
}

TEST_CASE("what tensor copies fill with is zero to fma.oob") {
  CHECK(result("fma.rn.oob.f16x2", {0x7ff73c00, 0x3c00fff7, 0x3c003c00}) == 0);
  CHECK(result("fma.rn.oob.bf16x2", {0x3c003c00, 0x3c003c00, 0x7ff7fff7}) == 0x7fff7fff);
}

TEST_CASE("min and max") {
  uint32_t nan = 0x7fc00001, one = bitsOf(1), two = bitsOf(2), minusThree = bitsOf(-3);
  CHECK(result("max.f32", {nan, one}) == one);
  CHECK(result("max.NaN.f32", {nan, one}) == 0x7fffffff);
  CHECK(result("max.f32", {0x80000000, 0}) == 0);
  CHECK(result("min.f32", {0, 0x80000000}) == 0x80000000);
  CHECK(result("max.xorsign.abs.f32", {one, minusThree}) == minusThree);
  CHECK(result("max.NaN.abs.f32", {one, minusThree, two}) == bitsOf(3));
  CHECK(result("max.NaN.abs.f32", {one, minusThree, nan}) == 0x7fffffff);
  CHECK(result("max.bf16x2", {0x3f80bf80, 0x40007fc1}) == 0x4000bf80);
}

TEST_CASE("f32x2 and 16-bit sources of f32 arithmetic, which Hopper lacks") {
  std::string pairs = "mov.b64 %x, {%a, %b}; mov.b64 %y, {%c, %c}; ";
  uint32_t one = bitsOf(1), two = bitsOf(2), three = bitsOf(3);
  CHECK(result(pairs + "fma.rn.f32x2 %z, %x, %y, %x; mov.b64 {%d, _}, %z;", one, two, three) == bitsOf(4));
  CHECK(result(pairs + "fma.rn.f32x2 %z, %x, %y, %x; mov.b64 {_, %d}, %z;", one, two, three) == bitsOf(8));
  CHECK(result(pairs + "add.rz.ftz.f32x2 %z, %x, %y; mov.b64 {_, %d}, %z;", one, two, three) == bitsOf(5));
  std::string half = "mov.b32 {%h, %k}, %a; ";
  CHECK(result(half + "add.f32.bf16 %d, %h, %c;", 0x3f80, 0, two) == three);
  CHECK(result(half + "sub.f32.f16 %d, %h, %c;", 0x3c00, 0, three) == bitsOf(-2));
  CHECK(result(half + "fma.rn.f32.f16 %d, %h, %k, %c;", 0x40003c00, 0, three) == bitsOf(5));

  PtxRun hopper;
  hopper.target = "sm_90a";
  std::string kernel = kernelOf(".reg .b64 %x; mov.b64 %x, 0; add.rn.f32x2 %x, %x, %x;", "sm_90a");
  PtxOutcome outcome = runPtxBytes(kernel, {}, 4, hopper);
  REQUIRE(outcome.fault);
  CHECK(outcome.fault->text().find("needs sm_100") != std::string::npos);
}

TEST_CASE("addresses between windows") {
  std::string shared = ".shared .align 8 .b8 s[64]; .reg .b32 %s, %r; .reg .b64 %g; ";
  std::string generic = shared + "mov.b32 %s, s; cvt.u64.u32 %g, %s; cvta.shared.u64 %g, %g; ";
  CHECK(result(generic + "cvta.to.shared.u64 %x, %g; cvt.u32.u64 %r, %x; sub.u32 %d, %r, %s;", 0) == 0);
  CHECK(
      result(
          generic +
              "isspacep.shared %p, %g; isspacep.global %q, %g; selp.u32 %d, 1, 0, %p; @%q add.u32 %d, %d, 2;",
          0) == 1);
  CHECK(result(generic + "isspacep.global %p, %in; selp.u32 %d, 1, 0, %p;", 0) == 1);
  CHECK(result(shared + "mov.b32 %s, s; mapa.shared::cluster.u32 %r, %s, %a; sub.u32 %d, %r, %s;", 3) ==
        3u << 24);
  CHECK(
      result(shared +
                 "mov.b32 %s, s; mapa.shared::cluster.u32 %r, %s, %a; getctarank.shared::cluster.u32 %d, %r;",
             2) == 2);
}

TEST_CASE("moves of vectors read before they write") {
  CHECK(result("mov.v2.b32 {%a, %b}, {%b, %a}; mov.b32 %d, %a;", 1, 2) == 2);
  CHECK(result("mov.b32 {%h, %k}, %a; mov.b32 %d, {%k, %h};", 0x12345678) == 0x56781234);
}
