// Rows that lie apart and addresses off by one element: the general variant takes what vectors cannot.
#include "tests/end-to-end/CheckedRun.h"
#include "tests/end-to-end/KernelText.h"

#include <catch2/catch.hpp>

using namespace mxc;

static std::string moduleText(const std::string &strides) {
  std::string module;
  for (const char *input : {"bf16", "f16", "f32"})
    for (const char *layout : {"dense", "tcgen05"}) {
      QuantizeText text;
      text.input = input, text.layout = layout, text.strides = strides;
      text.name = std::string(input) + "_" + layout;
      module += text.text();
    }
  return module;
}

TEST_CASE("quantize: addresses off by one element", "[small][simulated]") {
  Module module = compileForDevice(moduleText(""));
  for (const KernelAbi &abi : module.abi().kernels) {
    Kernel kernel = module.kernel(abi.name);
    for (Shape shape : {Shape{129, 2048}, Shape{1, 64}, Shape{300, 96}}) {
      CHECK(checkQuantize(kernel, shape, "access = vector") == "");
      CHECK(checkQuantize(kernel, shape, "access = element", {{"x", {0, 1}}}) == "");
      CHECK(checkQuantize(kernel, shape, "access = element", {{"q", {0, 1}}}) == "");
      CHECK(checkQuantize(kernel, shape, "access = element", {{"x", {0, 1}}, {"q", {0, 3}}}) == "");
    }
  }
}

TEST_CASE("quantize: strided rows", "[small]") {
  for (const char *tile :
       {"", "rows_per_warp = 4", "rows_per_warp = 1, lane_elements = 16", "variant = bulk"}) {
    Module module = compileForDevice(moduleText("?"), tile);
    for (const KernelAbi &abi : module.abi().kernels) {
      Kernel kernel = module.kernel(abi.name);
      INFO(tile);
      CHECK(checkQuantize(kernel, {129, 2048}, "access = vector", {{"x", {2064, 0}}, {"q", {4096, 0}}}) ==
            "");
      CHECK(checkQuantize(kernel, {129, 2048}, "access = element", {{"x", {2049, 0}}, {"q", {2048, 0}}}) ==
            "");
      CHECK(checkQuantize(kernel, {129, 2048}, "access = element", {{"x", {2048, 0}}, {"q", {2051, 0}}}) ==
            "");
      CHECK(checkQuantize(kernel, {129, 2048}, "access = element", {{"x", {2064, 1}}, {"q", {4096, 0}}}) ==
            "");
      CHECK(checkQuantize(kernel, {127, 33}, "access = element", {{"x", {40, 0}}, {"q", {35, 2}}}) == "");
      CHECK(checkQuantize(kernel, {1, 64}, "access = vector", {{"x", {67, 0}}, {"q", {67, 0}}}) ==
            ""); // one row has no stride
    }
  }
}

TEST_CASE("quantize: a row stride that the type fixes", "[small][simulated]") {
  Kernel kernel = compileForDevice(moduleText("4160")).kernel("bf16_tcgen05");
  CHECK(checkQuantize(kernel, {129, 4096}, "access = vector", {{"x", {4160, 0}}, {"q", {4160, 0}}}) == "");
}
