// Scales of tensors in the senses of both conventions, and the bound of a conversion.
#include "runtime/checkpoint/CheckpointFormat.h"
#include "runtime/checkpoint/ConversionCheck.h"
#include "tests/unit/runtime/Failure.h"

#include <cmath>
#include <limits>

using namespace mxc;
using Catch::Contains;

static const Convention &compressedTensors() { return *conventionNamed("compressed-tensors"); }
static const Convention &modelOpt() { return *conventionNamed("modelopt"); }

TEST_CASE("tensor scales: ModelOpt's multiplies, compressed-tensors' divides") {
  const TensorScaleValue factor = tensorScaleFor(3.25f, BlockFormat::NVFP4, modelOpt());
  CHECK(factor.stored == 3.25f / 2688);
  CHECK(factor.multiplier == factor.stored);
  const TensorScaleValue divisor = tensorScaleFor(3.25f, BlockFormat::NVFP4, compressedTensors());
  CHECK(divisor.stored == 2688 / 3.25f);
  CHECK(divisor.multiplier == 1 / divisor.stored);
}

TEST_CASE("tensor scales: what is stored says to a reader what quantized") {
  for (const Convention &convention : conventions())
    for (float largest : {0.0f, 1e-45f, 1e-30f, 1e-10f, 0.37f, 1.0f, 2688.0f, 1e20f, 1e27f}) {
      const TensorScaleValue scale = tensorScaleFor(largest, BlockFormat::NVFP4, convention);
      CHECK(storedTensorScale(scale.stored, convention).multiplier == scale.multiplier);
      CHECK(scale.multiplier >= 0x1p-80f);
      CHECK(scale.multiplier <= 0x1p80f);
    }
  CHECK(tensorScaleFor(0, BlockFormat::NVFP4, compressedTensors()).stored == 1);
  CHECK_THAT(invalidInput([] { tensorScaleFor(1e37f, BlockFormat::NVFP4, modelOpt()); }),
             Contains("2688 * 2^80"));
}

TEST_CASE("tensor scales: those of files that mean nothing") {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN(),
                  kInfinity = std::numeric_limits<float>::infinity();
  for (const Convention &convention : conventions())
    for (float stored : {kNan, kInfinity, -1.0f})
      CHECK_THAT(invalidInput([&] { storedTensorScale(stored, convention); }),
                 Contains("that is a number, found"));
  CHECK_THAT(invalidInput([&] { storedTensorScale(0, compressedTensors()); }),
             Contains("expected a divisor"));
  CHECK(storedTensorScale(0, modelOpt()).multiplier == 0); // of a tensor of zeros
}

TEST_CASE("types in files: bytes for packed elements and powers of two") {
  CHECK(codesType(BlockFormat::NVFP4) == "U8");
  CHECK(scalesType(BlockFormat::NVFP4) == "F8_E4M3");
  CHECK(codesType(BlockFormat::MXFP8_E4M3) == "F8_E4M3");
  CHECK(scalesType(BlockFormat::MXFP4) == "U8");
  CHECK(codesOfElements(BlockFormat::MXFP4, 64) == 32);
  CHECK(elementsOfCodes(BlockFormat::MXFP4, 32) == 64);
}

TEST_CASE("bounds: each value between two codes reads back within its bound, and half a step is needed") {
  for (const CheckpointFormat &format : checkpointFormats()) {
    const ElementFormat element = info(format.format).element;
    double needed = 0;
    for (int i = -4000; i <= 4000; ++i) {
      const float x = info(element).maxFinite * float(i) / 4000;
      const double error = std::abs(double(decode(element, encode(element, x))) - x);
      const double bound = quantizationBound(x, 1, 0, format.format);
      CHECK(error <= bound);
      if (bound > 0) needed = std::max(needed, error / bound);
    }
    CHECK(needed > 0.9);
  }
}
