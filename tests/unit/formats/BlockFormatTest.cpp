// The tables of scale formats and block formats.
#include "dialect/formats/BlockFormat.h"

#include <catch2/catch.hpp>

#include <cmath>

using namespace mxc;

TEST_CASE("scale formats: every code of ue8m0 and ue4m3 has its value") {
  for (int code = 0; code < 255; ++code)
    REQUIRE(double(scaleValue(ScaleFormat::UE8M0, uint8_t(code))) == std::ldexp(1.0, code - 127));
  CHECK(std::isnan(scaleValue(ScaleFormat::UE8M0, 0xFF)));
  for (int code = 0; code < 127; ++code) {
    const double value = code < 8 ? std::ldexp(code, -9) : std::ldexp(8 + code % 8, code / 8 - 10);
    REQUIRE(double(scaleValue(ScaleFormat::UE4M3, uint8_t(code))) == value);
  }
  CHECK(std::isnan(scaleValue(ScaleFormat::UE4M3, 0x7F)));
}

TEST_CASE("scale formats: names and texts") {
  CHECK(scaleFormatNamed("ue8m0") == ScaleFormat::UE8M0);
  CHECK(scaleFormatNamed("ue4m3") == ScaleFormat::UE4M3);
  CHECK_FALSE(scaleFormatNamed("e4m3"));
  CHECK(scaleText(ScaleFormat::UE8M0, 0) == "0x00 (2^-127)");
  CHECK(scaleText(ScaleFormat::UE8M0, 0xFF) == "0xff (NaN)");
  CHECK(scaleText(ScaleFormat::UE4M3, 0x3C) == "0x3c (1.5)");
}

TEST_CASE("block formats: the types name them, and they say how many scales a row has") {
  CHECK(blockFormatOf(ElementFormat::E4M3, ScaleFormat::UE8M0) == BlockFormat::MXFP8_E4M3);
  CHECK(blockFormatOf(ElementFormat::E2M1, ScaleFormat::UE8M0) == BlockFormat::MXFP4);
  CHECK(blockFormatOf(ElementFormat::E2M1, ScaleFormat::UE4M3) == BlockFormat::NVFP4);
  CHECK_FALSE(blockFormatOf(ElementFormat::E4M3, ScaleFormat::UE4M3));
  for (const BlockFormatInfo &format : blockFormats())
    CHECK(blockFormatNamed(format.name) == format.format);
  CHECK_FALSE(blockFormatNamed("mxfp8"));
  CHECK(info(BlockFormat::MXFP4).blocks(33) == 2);
  CHECK(info(BlockFormat::NVFP4).blocks(33) == 3);
  CHECK(info(BlockFormat::NVFP4).blocks(INT64_MAX) == int64_t(1) << 59);
}
