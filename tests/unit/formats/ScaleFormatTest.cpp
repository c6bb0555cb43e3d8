#include "dialect/formats/ScaleFormat.h"

#include <catch2/catch.hpp>

#include <bit>
#include <cmath>

using namespace mxc;

static ConvertedScale powerOf(float value) {
  return convertScale(ScaleFormat::F32, std::bit_cast<uint32_t>(value), ScaleFormat::UE8M0);
}

TEST_CASE("every ue8m0 is an f32 and comes back") {
  for (uint32_t code = 0; code < 256; ++code) {
    const ConvertedScale number = convertScale(ScaleFormat::UE8M0, code, ScaleFormat::F32);
    CHECK(number.isExact);
    CHECK((code == 0xFF || std::bit_cast<float>(number.code) == std::ldexp(1.0f, int(code) - 127)));
    const ConvertedScale back = convertScale(ScaleFormat::F32, number.code, ScaleFormat::UE8M0);
    CHECK((back.isExact && back.code == code));
  }
  CHECK(convertScale(ScaleFormat::UE8M0, 0xFF, ScaleFormat::F32).code == 0x7FFFFFFF);
}

TEST_CASE("what is no power of two becomes the nearest one, and says so") {
  struct Case {
    float value;
    uint32_t code;
  };
  for (auto [value, code] : {Case{1.25f, 127},
                             {std::nextafter(1.5f, 1.0f), 127},
                             {1.5f, 128},
                             {1.75f, 128},
                             {3e-45f, 0},
                             {0.0f, 0},
                             {0x1.7ffffcp-127f, 0},
                             {0x1.8p-127f, 1},
                             {0x1p-130f, 0},
                             {0x1.fffffep127f, 254},
                             {-1.0f, 255},
                             {-0.0f, 255},
                             {INFINITY, 255},
                             {-INFINITY, 255}}) {
    INFO(value);
    CHECK(powerOf(value).code == code);
    CHECK_FALSE(powerOf(value).isExact);
  }
}

TEST_CASE("powers of two and NaN are kept") {
  for (int exponent = -127; exponent <= 127; ++exponent) {
    const ConvertedScale power = powerOf(std::ldexp(1.0f, exponent));
    CHECK((power.isExact && power.code == uint32_t(exponent + 127)));
  }
  CHECK((powerOf(NAN).isExact && powerOf(-NAN).isExact && powerOf(NAN).code == 0xFF));
}

TEST_CASE("scales of one format stay as they are; ue4m3 has no other") {
  CHECK(convertScale(ScaleFormat::F32, 0x7FC00001, ScaleFormat::F32).code == 0x7FC00001);
  CHECK(convertsScales(ScaleFormat::UE4M3, ScaleFormat::UE4M3));
  CHECK_FALSE(convertsScales(ScaleFormat::UE4M3, ScaleFormat::F32));
  CHECK_FALSE(convertsScales(ScaleFormat::UE8M0, ScaleFormat::UE4M3));
}
