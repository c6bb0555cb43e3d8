// Every kind of tile of mx.quantize and mx.dequantize, forced, with types, layouts and rules rotating.
#include "tests/end-to-end/CheckedRun.h"
#include "tests/end-to-end/KernelText.h"
#include "tests/unit/compiler/TileText.h"

#include <catch2/catch.hpp>

using namespace mxc;

static const char *const kTiles[] = {
    "rows_per_warp = 4",
    "rows_per_warp = 1",
    "warps = 1",
    "warps = 32",
    "order = rows",
    "lane_elements = 4",
    "lane_elements = 16",
    "lane_elements = 32",
    "rows_per_warp = 1, lane_elements = 4",
    "rows_per_warp = 1, lane_elements = 16",
    "rows_per_warp = 1, lane_elements = 32, order = rows",
    "variant = bulk",
    "variant = bulk, warps = 1",
    "variant = bulk, rows_per_warp = 1, order = rows",
    "variant = bulk, lane_elements = 4",
    "rows_per_warp = 1, access = element",
    "rows_per_warp = 4, access = element",
    "rows_per_warp = 4, lane_elements = 16, access = element, order = rows",
};

// Multiples of every lane_elements, and rows of whole 16 bytes, so that the forced tile is launched; then
// shapes for the general one.
static const Shape kWhole[] = {{1, 32}, {127, 64}, {128, 4096}, {300, 96}, {257, 2080}};
static const Shape kOdd[] = {{1, 1}, {127, 33}, {33, 1000}, {130, 4100}};

static std::string moduleText(int rotation) {
  static const char *const kRoundings[] = {"ceil", "floor", "even"};
  static const char *const kSpecials[] = {"propagate", "saturate", "nan_scale"};
  std::string module;
  for (const char *input : {"bf16", "f16", "f32"})
    for (const char *element : {"f8E4M3FN", "f8E5M2"})
      for (const char *layout : {"dense", "tcgen05"}) {
        QuantizeText text;
        text.input = input, text.element = element, text.layout = layout;
        text.rounding = kRoundings[rotation % 3], text.special = kSpecials[rotation / 3 % 3];
        text.name = "k" + std::to_string(rotation++);
        module += text.text();
      }
  return module;
}

TEST_CASE("quantize: forced tiles", "[small]") {
  std::vector<std::future<Module>> modules;
  int rotation = 0;
  for (const char *tile : kTiles)
    modules.push_back(compileInBackground(moduleText(rotation++), tile));
  for (size_t i = 0; i < std::size(kTiles); ++i) {
    Module module = modules[i].get();
    for (const KernelAbi &abi : module.abi().kernels) {
      Kernel kernel = module.kernel(abi.name);
      for (Shape shape : kWhole)
        CHECK(checkQuantize(kernel, shape, wholeTile(kTiles[i])) == "");
      for (Shape shape : kOdd)
        CHECK(checkQuantize(kernel, shape) == "");
    }
  }
}
