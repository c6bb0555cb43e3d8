#include "runtime/device/TensorView.h"
#include "runtime/device/ElementTypes.h"
#include "tests/unit/runtime/Failure.h"

using namespace mxc;
using Catch::Contains;

TEST_CASE("a tensor's extent in bytes", "[tensor-view]") {
  CHECK(extentBytes({0, "bf16", {3, 5}, {}}) == 30);
  CHECK(extentBytes({0, "bf16", {3, 5}, {8, 1}}) == 2 * (2 * 8 + 5));
  CHECK(extentBytes({0, "e4m3", {7}, {}}) == 7);
  CHECK(extentBytes({0, "e2m1", {3, 5}, {}}) == 8); // 60 bits, a last partial byte counts
  CHECK(extentBytes({0, "e3m2", {2, 4}, {}}) == 6);
  CHECK(extentBytes({0, "f32", {}, {}}) == 4);
  CHECK(extentBytes({0, "f32", {0, INT64_MAX, INT64_MAX}, {}}) == 0);
  CHECK(extentBytes({0, "f32", {1, 4}, {INT64_MAX, 1}}) == 16);
}

TEST_CASE("an ill-formed tensor has no extent", "[tensor-view]") {
  CHECK_THAT(invalidInput([] { extentBytes({0, "bf17", {1}, {}}); }),
             Contains("unknown element type 'bf17'"));
  CHECK_THAT(invalidInput([] { extentBytes({0, "", {1}, {}}); }), Contains("unknown element type"));
  CHECK_THAT(invalidInput([] { extentBytes({0, "f32", {2, -1}, {}}); }),
             Contains("negative size in shape [2, -1]"));
  CHECK_THAT(invalidInput([] { extentBytes({0, "f32", {2, 2}, {-2, 1}}); }), Contains("negative stride"));
  CHECK_THAT(invalidInput([] { extentBytes({0, "f32", {2, 2}, {2}}); }),
             Contains("strides [2] do not belong to"));
  CHECK_THAT(invalidInput([] { extentBytes({0, "f32", {int64_t(1) << 40, int64_t(1) << 40}, {}}); }),
             Contains("exceeds 2^63-1 bits"));
  CHECK_THAT(invalidInput([] { extentBytes({0, "f32", {3, 2}, {INT64_MAX / 2, 1}}); }),
             Contains("exceeds 2^63-1 bits"));
}

TEST_CASE("element types are found by either name", "[tensor-view]") {
  for (const ElementType &type : elementTypes()) {
    if (!type.name.empty()) CHECK(elementTypeNamed(type.name) == &type);
    // Unsigned scales have no name of their own in files.
    CHECK(elementTypeOfSafetensors(type.safetensors) ==
          (type.name == "ue4m3" ? elementTypeNamed("e4m3") : &type));
  }
  CHECK(elementTypeNamed("e4m3")->safetensors == "F8_E4M3");
  CHECK(elementTypeNamed("e2m1")->bits == 4);
  CHECK(elementTypeNamed("") == nullptr);
}
