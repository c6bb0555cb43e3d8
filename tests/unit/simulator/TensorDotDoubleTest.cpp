// --tensor=f64: sums of products in f64, rounded once.
#include "RunPtx.h"

#include "runtime/simulator/arithmetic/TensorDot.h"

#include <catch2/catch.hpp>

#include <bit>
#include <cmath>
#include <random>

using namespace mxc::sim;

namespace {

uint32_t bitsOf(float value) { return std::bit_cast<uint32_t>(value); }

/// 1 x 1 x K of f16 ones and the like.
uint32_t dot(DotModel model, Element element, const std::vector<uint32_t> &as,
             const std::vector<uint32_t> &bs, float c, int scale = 127) {
  DotOperand a, b;
  a.reset(model, element, 1, int(as.size())), b.reset(model, element, 1, int(bs.size()));
  for (size_t k = 0; k < as.size(); ++k)
    a.set(0, int(k), as[k]), b.set(0, int(k), bs[k]);
  a.setScale(0, 0, int(as.size()), ScaleType::UE8M0, uint8_t(scale));
  uint32_t bits[8] = {bitsOf(c)};
  accumulate(model, a, b, bits, 8);
  return bits[0];
}

DotModel inDouble(mxc::TargetName chip, TensorUnit unit, Element element) {
  DotModel model = dotModelOf(chip, unit, element, element, Accumulator::F32);
  model.isDouble = true;
  return model;
}

} // namespace

TEST_CASE("f64 sums keep what the chip's alignment cuts") {
  constexpr uint32_t kOne = 0x3C00, kTiny = 0x0001; // 1 and 2^-24 in f16
  DotModel chip = dotModelOf("sm_100a", TensorUnit::Tcgen05, Element::F16, Element::F16, Accumulator::F32);
  DotModel exact = inDouble("sm_100a", TensorUnit::Tcgen05, Element::F16);
  std::vector<uint32_t> as(16, kTiny), bs(16, kOne);
  as[0] = kOne;
  // 1 + 15 * 2^-24: cut toward zero to 2^-23 by the chip, to nearest by f64.
  CHECK(dot(chip, Element::F16, as, bs, 0) == bitsOf(1 + 7 * 0x1p-23f));
  CHECK(dot(exact, Element::F16, as, bs, 0) == bitsOf(1 + 8 * 0x1p-23f));
  CHECK(dot(exact, Element::F16, as, bs, -1) == bitsOf(15 * 0x1p-24f));
  CHECK(dot(exact, Element::F16, std::vector<uint32_t>(16, 0x8000), bs, -0.0f) == 0);
}

TEST_CASE("f64 sums of random e4m3 with scales") {
  std::mt19937 random(3);
  DotModel model = inDouble("sm_100a", TensorUnit::Tcgen05, Element::E4M3);
  auto valueOf = [](uint32_t bits) {
    int field = int(bits >> 3 & 15), fraction = int(bits & 7);
    double value = field ? std::ldexp(8 + fraction, field - 10) : std::ldexp(fraction, -9);
    return bits & 0x80 ? -value : value;
  };
  for (int trial = 0; trial < 1000; ++trial) {
    std::vector<uint32_t> as, bs;
    float c = std::ldexp(float(random() % 1000) - 500, int(random() % 20) - 10);
    int scale = 120 + int(random() % 14);
    double sum = c; // exact: all terms lie within 53 bits
    for (int k = 0; k < 32; ++k) {
      as.push_back(random() % 0x7F | (random() & 0x80)), bs.push_back(random() % 0x7F | (random() & 0x80));
      sum += std::ldexp(valueOf(as.back()) * valueOf(bs.back()), scale - 127);
    }
    REQUIRE(dot(model, Element::E4M3, as, bs, c, scale) == bitsOf(float(sum)));
  }
}

TEST_CASE("f64 sums: infinities, NaN, a NaN scale") {
  DotModel model = inDouble("sm_90a", TensorUnit::MmaSync, Element::F16);
  std::vector<uint32_t> ones(16, 0x3C00), infinite = ones, mixed = ones;
  infinite[3] = 0x7C00, mixed[3] = 0x7C00, mixed[4] = 0xFC00;
  CHECK(dot(model, Element::F16, infinite, ones, 0) == 0x7F800000);
  CHECK(dot(model, Element::F16, infinite, ones, -INFINITY) == 0x7FFFFFFF);
  CHECK(dot(model, Element::F16, mixed, ones, 0) == 0x7FFFFFFF);
  CHECK(dot(model, Element::F16, ones, ones, 0, 255) == 0x7FFFFFFF);
}

TEST_CASE("a launch chooses its tensor arithmetic") {
  // The first element of each row of A is 1, the others 2^-24; B is 1.
  std::string body = R"(
.reg .b32 %a<4>, %b<2>, %t, %first;
.reg .f32 %d<4>;
.reg .b64 %at;
.reg .pred %p;
mov.u32 %t, %tid.x;
and.b32 %first, %t, 3;
setp.eq.u32 %p, %first, 0;
mov.b32 %a1, 0x00010001;
selp.b32 %a0, 0x00013C00, %a1, %p;
mov.b32 %b0, 0x3C003C00;
mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%d0,%d1,%d2,%d3}, {%a0,%a0,%a1,%a1}, {%b0,%b0}, {0f00000000,0f00000000,0f00000000,0f00000000};
mad.wide.u32 %at, %t, 4, %out;
st.global.f32 [%at], %d0;)";
  PtxRun how;
  how.target = "sm_90a";
  std::string ptx = kernelOf(body, "sm_90a");
  CHECK(runPtx<uint32_t>(ptx, std::vector<uint32_t>{0}, 32, how)[0] == bitsOf(1 + 7 * 0x1p-23f));
  how.tensorArithmetic = TensorArithmetic::Double;
  CHECK(runPtx<uint32_t>(ptx, std::vector<uint32_t>{0}, 32, how)[0] == bitsOf(1 + 8 * 0x1p-23f));
}
