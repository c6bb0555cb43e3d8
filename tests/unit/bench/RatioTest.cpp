// A ratio is given where clocks kept still and times hardly scatter, and nowhere else.
#include "tests/unit/bench/SampleCase.h"

#include <catch2/catch.hpp>

using namespace mxc;
using namespace mxc::bench;

TEST_CASE("bench: ratios are of rates, to the fastest streaming kernel's", "[bench]") {
  Case result = sampleCase();
  setRatios(result);
  CHECK(*result.rows[0].ratio == Approx((3e6 / 1.001) / (2.9e6 / 0.901)));
  CHECK(*result.rows[1].ratio == Approx((3e6 / 2.001) / (2.9e6 / 0.901)));
  CHECK(*result.rows[2].ratio == 1);
  CHECK(result.rows[0].remark.empty());
}

TEST_CASE("bench: no ratio of whose clocks moved, nor to such", "[bench]") {
  Case result = sampleCase();
  result.rows[0].clocks.add({1900, 3201, 0});
  setRatios(result);
  CHECK(!result.rows[0].ratio);
  CHECK(result.rows[0].remark == "no ratio: its clocks moved by 4.0 %");
  CHECK((result.rows[1].ratio && result.rows[1].remark.empty()));
  result = sampleCase();
  result.rows[2].clocks.add({1900, 3201, 0});
  setRatios(result);
  CHECK(!result.rows[0].ratio);
  CHECK(result.rows[0].remark == "no ratio: the ceiling's clocks moved by 4.0 %");
}

TEST_CASE("bench: contenders each have the clock that their power leaves them", "[bench]") {
  Case result = sampleCase();
  result.rows[0].clocks = {};
  for (unsigned megahertz : {1500, 1515, 1530}) // 1980 of the others
    result.rows[0].clocks.add({megahertz, 3201, 4});
  setRatios(result);
  CHECK(result.rows[0].ratio);
}

TEST_CASE("bench: no ratio of times that scatter, nor to such", "[bench]") {
  Case result = sampleCase();
  result.rows[0].timing.micros = {1, 1.1, 1.2};
  result.rows[0].remark = "WRONG";
  setRatios(result);
  CHECK(!result.rows[0].ratio);
  CHECK(result.rows[0].remark == "WRONG; no ratio: its times scatter by 9.1 %");
  CHECK(result.rows[1].ratio);
  result.rows[2].timing.micros = {0.8, 0.9, 1.0};
  result.rows[1] = sampleCase().rows[1];
  setRatios(result);
  CHECK(!result.rows[1].ratio);
  CHECK(result.rows[1].remark == "no ratio: the ceiling's times scatter by 11.1 %");
}

/// The sample as a product beside the tensor cores.
static Case sampleProduct() {
  Case result = sampleCase();
  result.rows[0].operations = result.rows[1].operations = 2e9;
  result.rows.push_back({.name = "tensor cores, wgmma",
                         .tile = "",
                         .isTensorCeiling = true,
                         .operations = 8e9,
                         .timing = {{3.0, 3.001, 3.002}}});
  result.rows.back().clocks.add({1485, 3201, 4});
  return result;
}

TEST_CASE("bench: a product's second ratio is to the tensor cores' rate", "[bench]") {
  Case result = sampleProduct();
  setRatios(result);
  CHECK(*result.rows[0].ratio == Approx((3e6 / 1.001) / (2.9e6 / 0.901)));
  CHECK(*result.rows[0].tensorRatio == Approx((2e9 / 1.001) / (8e9 / 3.001)));
  CHECK((*result.rows[2].ratio == 1 && !result.rows[2].tensorRatio));
  CHECK((!result.rows[3].ratio && *result.rows[3].tensorRatio == 1));
  const std::string text = caseText(result);
  CHECK_THAT(text, Catch::Contains("GB/s  TFLOP/s of ceiling  of tensor   spread"));
  CHECK_THAT(text, Catch::Contains("     2997     1998      0.931      0.750   0.10 %"));
  CHECK_THAT(text, Catch::Contains("        -     2666          -      1.000   0.03 %  1485 MHz"));
}

TEST_CASE("bench: no ratio to tensor cores whose times scatter", "[bench]") {
  Case result = sampleProduct();
  result.rows[3].timing.micros = {2, 3, 4};
  setRatios(result);
  CHECK(result.rows[0].ratio);
  CHECK_FALSE(result.rows[0].tensorRatio);
  CHECK(result.rows[0].remark == "no ratio: the tensor cores' times scatter by 33.3 %");
  result = sampleProduct();
  result.rows[0].clocks.add({1900, 3201, 0});
  setRatios(result);
  CHECK(result.rows[0].remark == "no ratio: its clocks moved by 4.0 %"); // said once
  result = sampleProduct();
  result.rows[3].clocks.add({1545, 3201, 4});
  setRatios(result);
  CHECK((result.rows[0].ratio && !result.rows[0].tensorRatio));
  CHECK(result.rows[0].remark == "no ratio: the tensor cores' clocks moved by 3.9 %");
}

TEST_CASE("bench: what is faster than its ceiling is said to be", "[bench]") {
  Case result = sampleProduct();
  result.rows[0].timing.micros = {0.8, 0.801, 0.802};
  result.rows[1].operations = 9e9;
  setRatios(result);
  CHECK(*result.rows[0].ratio > 1);
  CHECK(result.rows[0].remark == "faster than the streaming kernels");
  CHECK(*result.rows[1].tensorRatio > 1);
  CHECK(result.rows[1].remark == "faster than the kernel that only multiplies");
  CHECK((result.rows[2].remark.empty() && result.rows[3].remark.empty()));
  result = sampleCase();
  result.rows[0].bytes = 4e6;
  setRatios(result);
  CHECK(result.rows[0].remark == "above 1 by bytes that the ceiling does not move");
}
