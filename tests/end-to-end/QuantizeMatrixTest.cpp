// Every type, rounding, special mode and layout of mx.quantize, on odd shapes, with the tiles that the target
// chooses.
#include "tests/end-to-end/CheckedRun.h"
#include "tests/end-to-end/KernelText.h"

#include <catch2/catch.hpp>

using namespace mxc;

static const Shape kShapes[] = {{1, 32}, {1, 1},  {127, 33}, {128, 4096}, {1000, 7168}, {300, 96},
                                {0, 64}, {64, 0}, {0, 0},    {129, 2056}, {33, 48}};

/// One module: all roundings and special modes.
static std::string moduleText(QuantizeText text) {
  std::string module;
  for (const char *rounding : {"ceil", "floor", "even"})
    for (const char *special : {"propagate", "saturate", "nan_scale"}) {
      text.rounding = rounding, text.special = special;
      text.name = std::string(rounding) + "_" + special;
      module += text.text();
    }
  return module;
}

TEST_CASE("quantize: input types x elements x layouts x roundings x special modes x shapes") {
  std::vector<std::future<Module>> modules;
  for (const char *input : {"bf16", "f16", "f32"})
    for (const char *element : {"f8E4M3FN", "f8E5M2"})
      for (const char *layout : {"dense", "tcgen05"}) {
        QuantizeText text;
        text.input = input, text.element = element, text.layout = layout;
        modules.push_back(compileInBackground(moduleText(text)));
      }
  for (std::future<Module> &future : modules) {
    Module module = future.get();
    for (const KernelAbi &abi : module.abi().kernels)
      for (Shape shape : affordable(kShapes)) {
        bool isBig = shape.rows * shape.columns > 2'000'000; // once a rounding: the reference takes its time
        if (isBig && abi.operation.attributes.at("special") != "propagate") continue;
        CHECK(checkQuantize(module.kernel(abi.name), shape) == "");
      }
  }
}

TEST_CASE("quantize: presets", "[small][simulated][chip]") {
  std::string module;
  for (const CompatPreset &preset : compatPresets()) {
    QuantizeText text;
    text.clauses = "compat = \"" + std::string(preset.name) + "\"";
    if (preset.scale == ScaleFormat::UE4M3) continue; // FourBitColumnsTest.cpp
    if (preset.scale == ScaleFormat::F32) text.block = "1x128", text.layout = "mn_major";
    text.name = preset.name;
    module += text.text();
  }
  QuantizeText ofZeros; // whose scale is not the byte that padding has
  ofZeros.clauses = "tiny = clamp special = unit_scale", ofZeros.name = "zeros";
  Module compiled = compileForDevice(module + ofZeros.text());
  for (const KernelAbi &abi : compiled.abi().kernels)
    for (Shape shape : affordable(kShapes))
      CHECK(checkQuantize(compiled.kernel(abi.name), shape) == "");
}

TEST_CASE("quantize: shapes that the types fix", "[small]") {
  for (Shape shape : {Shape{128, 4096}, Shape{5, 40}, Shape{300, 100}}) {
    QuantizeText text;
    text.shape = ::text(shape);
    CHECK(checkQuantize(compileForDevice(text.text()).kernel(), shape) == "");
  }
}
