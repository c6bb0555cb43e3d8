// Every compat preset against its peer's published algorithm, restated here from its description: own element
// encoder, own powers of two, the peer's own way to the maximum and to the scale.
#include "tests/unit/formats/PeerElement.h"
#include "tests/unit/formats/Samples.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

using namespace mxc;
using namespace mxc::test;

namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

struct Block {
  int byte = 0;
  std::vector<int> codes;
};

void convertAll(Block &block, const Element &element, std::span<const float> values, float multiplier) {
  for (float value : values)
    block.codes.push_back(convert(element, value * multiplier));
}

/// cvt.rp to ue8m0 of a non-negative f32: the smallest power of two that is not below it, from 2^-127.
int roundUpToE8m0(float x, int ofInf) {
  if (std::isnan(x)) return 0xFF;
  if (std::isinf(x)) return ofInf;
  int byte = 0;
  while (std::ldexp(1.0, byte - 127) < double(x))
    ++byte;
  return std::min(byte, 254);
}

float reciprocal(int byte) { return byte == 0xFF ? kNan : float(std::ldexp(1.0, 127 - byte)); }

// TransformerEngine (head of 2026-08): common/cast/mxfp8/quantize_mxfp8.cuh keeps fmaxf(amax, |x|) from 0,
// which drops NaN (specialized/quantize_mxfp8.cuh: max.xorsign.abs, alike); amax * fl32(1/largest);
// util/ptx_arch_spec.cuh float_to_e8m0 is cvt.rp.satfinite; util/ptx.cuh exp2f_rcp is 2^(127-byte), NaN for
// 255; cvt.rn.satfinite.
Block transformerEngine(const Element &element, std::span<const float> values) {
  float amax = 0;
  for (float value : values)
    amax = maxDroppingNan(amax, std::fabs(value));
  Block block{roundUpToE8m0(amax * (1.0f / element.largest), 0xFE), {}};
  convertAll(block, element, values, reciprocal(block.byte));
  return block;
}

// torchao: csrc/cuda/mx_kernels/mxfp8_quantize.cuh takes max.NaN, amax * fl32(1/largest), e8m0 NOSAT towards
// +Inf (Inf and NaN give 255), and the e8m0 254 - byte as the multiplier (255 wraps around to NaN).
Block torchao(const Element &element, std::span<const float> values) {
  float amax = 0;
  for (float value : values)
    amax = std::isnan(value) || std::isnan(amax) ? kNan : std::max(amax, std::fabs(value));
  Block block{roundUpToE8m0(amax * (1.0f / element.largest), 0xFF), {}};
  convertAll(block, element, values, reciprocal(block.byte));
  return block;
}

// Megatron-LM: core/inference/quantization/mxfp8_quantize.py. tl.max drops NaN unless all are NaN; the
// exponent field of bits(amax / largest) + 0x7FFFFF; multiplier 1 / scale, or 0 when the scale is 0. Division
// as IEEE (Triton's is within 2 ulp).
Block megatron(const Element &element, std::span<const float> values) {
  float amax = values.size() < 32 ? 0.0f : kNan; // a short block is padded with zeros
  for (float value : values)
    amax = maxDroppingNan(amax, std::fabs(value));
  const uint32_t scaleBits = (bitsOf(amax / element.largest) + 0x7FFFFF) & 0x7F800000;
  Block block{int(scaleBits >> 23), {}};
  convertAll(block, element, values, scaleBits == 0 ? 0.0f : 1.0f / floatOf(scaleBits));
  return block;
}

// cuBLASLt: manual, "1D block scaling" of D: the f32 amax / largest as exponent E and mantissa M; E + 1 when
// the number is normal with E < 254 and M > 0, or denormal with M > 0.5; Inf and NaN keep E = 255, which is
// ue8m0's NaN.
Block cublas(const Element &element, std::span<const float> values) {
  float amax = 0;
  for (float value : values)
    amax = std::isnan(value) || std::isnan(amax) ? kNan : std::max(amax, std::fabs(value));
  const uint32_t bits = bitsOf(amax / element.largest), exponent = bits >> 23 & 0xFF,
                 mantissa = bits & 0x7FFFFF;
  const bool up = exponent == 0 ? mantissa > 0x400000 : exponent < 254 && mantissa > 0;
  Block block{int(exponent + up), {}};
  convertAll(block, element, values, reciprocal(block.byte));
  return block;
}

struct Peer {
  const char *preset;
  Block (*quantize)(const Element &, std::span<const float>);
  Element element;
};
constexpr std::array kPeers = {Peer{"te", transformerEngine, kE4m3}, Peer{"te", transformerEngine, kE5m2},
                               Peer{"torchao", torchao, kE4m3},      Peer{"torchao", torchao, kE5m2},
                               Peer{"megatron", megatron, kE4m3},    Peer{"cublas", cublas, kE4m3}};

QuantizeRule ruleOf(const char *preset, ElementFormat element = ElementFormat::E4M3) {
  const CompatPreset p = compatPresetNamed(preset, ScaleFormat::UE8M0).value();
  return {mxFormatOf(element), p.rounding, p.special, p.tiny};
}

bool agrees(const Peer &peer, std::span<const float> values) {
  const Block expected = peer.quantize(peer.element, values);
  uint8_t codes[32];
  const int byte = int(quantizeBlock(values, ruleOf(peer.preset, peer.element.format), codes));
  return byte == expected.byte && std::equal(expected.codes.begin(), expected.codes.end(), codes);
}

void check(const Peer &peer, const std::vector<float> &values) {
  if (agrees(peer, values)) return;
  std::vector<uint32_t> bits;
  for (float value : values)
    bits.push_back(bitsOf(value));
  CAPTURE(peer.preset, peer.element.largest, bits);
  CHECK(false);
}

} // namespace

TEST_CASE("there is a peer for every preset") {
  std::set<std::string_view> presets, peers;
  for (const CompatPreset &preset : compatPresets())
    if (preset.scale == ScaleFormat::UE8M0) presets.insert(preset.name);
  for (const Peer &peer : kPeers)
    peers.insert(peer.preset);
  CHECK(peers == presets);
  CHECK_FALSE(compatPresetNamed("flashinfer", ScaleFormat::UE8M0));
}

TEST_CASE("presets are bit-exact for every bf16 and f16 alone in a block") {
  for (const Peer &peer : kPeers)
    for (FloatType type : {FloatType::BF16, FloatType::F16})
      for (float value : everyValue(type))
        check(peer, {value});
}

TEST_CASE("presets are bit-exact for every bf16 and f16 beside smaller, zero and special elements") {
  for (const Peer &peer : kPeers)
    for (FloatType type : {FloatType::BF16, FloatType::F16})
      for (float value : everyValue(type)) {
        uint16_t smaller; // in the input type, somewhere in the binades below
        storeFloat(type, &smaller, 0, std::isfinite(value) ? value * -0.2937f : 1.5f);
        check(peer, {value, loadFloat(type, &smaller, 0), -0.0f});
        check(peer, {0.8125f, value, kNan});
      }
}

TEST_CASE("presets are bit-exact for f32 around every boundary, but for these bits") {
  // The peers divide or multiply in f32 first: one value above largest * 2^-127 the subnormal ratio is
  // rounded down to 2^-127, where the exact rule takes byte 1. semantics/scales.md stays exact in integers.
  for (const Peer &peer : kPeers) {
    std::set<uint32_t> expected, found;
    if (peer.preset != std::string_view("megatron"))
      expected.insert(peer.element.format == ElementFormat::E5M2 ? 0x07E00001 : 0x04600001);
    for (uint32_t bits : boundaryBits(peer.element.format))
      if (const float value = floatOf(bits); !agrees(peer, std::array{value, value * -0.2937f}))
        found.insert(bits);
    CAPTURE(peer.preset, peer.element.largest);
    CHECK(found == expected);
  }
}

TEST_CASE("presets are bit-exact for random f32 bits and heavy-tailed blocks") {
  std::mt19937 random(5);
  for (const Peer &peer : kPeers) {
    for (int i = 0; i < 100'000; ++i)
      check(peer, {floatOf(uint32_t(random()))});
    for (uint32_t seed = 0; seed < 2000; ++seed)
      check(peer, heavyTailed(32, seed));
  }
}

TEST_CASE("presets are bit-exact for blocks of zeros, NaN and Inf") {
  for (const Peer &peer : kPeers) {
    for (float value : {0.0f, -0.0f, kNan, -kNan, kInf, -kInf}) {
      check(peer, std::vector<float>(32, value));
      std::vector<float> one = heavyTailed(32, 9);
      one[17] = value;
      check(peer, one);
    }
    check(peer, {kInf, kNan, 1.0f, -kInf, -0.0f});
  }
}

TEST_CASE("the presets differ where the peers do") {
  const float special[] = {1.0f, kInf};
  uint8_t codes[2];
  CHECK(quantizeBlock(special, ruleOf("te"), codes) == 0xFE);
  CHECK(quantizeBlock(special, ruleOf("torchao"), codes) == 0xFF);
  CHECK(codes[0] == 0x7F);
  CHECK(quantizeBlock(special, ruleOf("megatron"), codes) == 0xFF);
  CHECK(codes[0] == 0x00);
}

// torchao's other modes, prototype/mx_formats/mx_tensor.py: the exponent of amax (EVEN: after adding half a
// place of the element's mantissa to its bits) less emax, clamped, 255 where amax is then Inf or NaN.
TEST_CASE("torchao's FLOOR and EVEN are its preset with that rounding") {
  for (Rounding rounding : {Rounding::Floor, Rounding::Even})
    for (ElementFormat element : kElements)
      for (float value : everyValue(FloatType::BF16)) {
        const QuantizeRule rule{mxFormatOf(element), rounding, Special::Propagate, TinyBlock::Exact};
        uint32_t amax = bitsOf(value) & 0x7FFFFFFF;
        if (rounding == Rounding::Even && !std::isnan(value))
          amax = (amax + (1u << (23 - info(element).mantissaBits - 1))) & 0xFF800000;
        int expected = std::clamp(int(amax >> 23 & 0xFF) - 127 - info(element).emax, -127, 128) + 127;
        if (amax >= 0x7F800000) expected = 255;
        // A finite maximum that EVEN rounds up to 2^128 is Inf for torchao; semantics/scales.md goes on with
        // its exponent.
        if (amax == 0x7F800000 && std::isfinite(value)) expected = 255 - info(element).emax;
        REQUIRE(int(blockScale(bitsOf(value) & 0x7FFFFFFF, rule).code) == expected);
      }
}
