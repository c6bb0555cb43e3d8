// The ABI's JSON: there and back, and hostile input named by its path.
#include "dialect/formats/Error.h"
#include "tests/unit/abi/Samples.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace mxc;
using namespace mxc::test;
using Catch::Matchers::Contains;
using nlohmann::json;

namespace {

std::string errorOf(const std::string &text) {
  try {
    abiFromJson(text);
  } catch (const Error &error) {
    CHECK(error.kind() == ErrorKind::InvalidInput);
    return error.what();
  }
  return "no error";
}

/// The error after the sample's member at `pointer` is replaced.
std::string errorWith(const char *pointer, const json &value) {
  json sample = json::parse(abiToJson(sampleAbi()));
  sample.at(json::json_pointer(pointer)) = value;
  return errorOf(sample.dump());
}

} // namespace

TEST_CASE("every member goes there and back") {
  const ModuleAbi back = abiFromJson(abiToJson(sampleAbi()));
  CHECK(back.compilerVersion == "0.1.0");
  CHECK(back.numericsVersion == 1);
  CHECK(back.target == "sm_90a");
  REQUIRE(back.kernels.size() == 1);
  const KernelAbi &kernel = back.kernels[0];
  CHECK(kernel.operation.name == "quantize");
  CHECK(kernel.operation.attributes.at("rounding") == "ceil");
  CHECK(kernel.operation.hasPrologue);
  CHECK(kernel.dimensions == std::vector<std::string>{"M", "K"});
  REQUIRE(kernel.arguments.size() == 3);
  CHECK(kernel.arguments[0].rowStride == "");
  CHECK(kernel.arguments[1].rowStride == std::nullopt);
  CHECK(kernel.arguments[1].isOutput);
  CHECK(kernel.arguments[2].layout == ArgumentLayout::ScaleTcgen05);
  CHECK(kernel.arguments[2].columns == "ceildiv(K, 32)");
  REQUIRE(kernel.variants.size() == 2);
  const AbiVariant &variant = kernel.variants[0];
  CHECK(variant.when == "K % 128 == 0 && M > 64");
  CHECK(variant.alignments[0].argument == "x");
  CHECK(variant.alignments[0].bytes == 128);
  CHECK(variant.grid[1] == "K / 128");
  CHECK(variant.block[0] == 256);
  CHECK(variant.cluster[0] == 2);
  CHECK(variant.sharedBytes == 98304);
  REQUIRE(variant.parameters.size() == 5);
  CHECK(variant.parameters[0].tensorMap == TensorMapRecipe{"x", {64, 32}, 128});
  CHECK(variant.parameters[3].kind == AbiParameter::Kind::RowStride);
  CHECK(variant.parameters[4].name == "M");
}

TEST_CASE("writing what was read gives the same text") {
  const std::string text = abiToJson(sampleAbi());
  CHECK(abiToJson(abiFromJson(text)) == text);
  CHECK(abiToJson(abiFromJson(abiToJson(sampleAbi(), 2))) == text);
  CHECK(text.find('\n') == text.npos);
}

TEST_CASE("text that is not JSON, or not this JSON") {
  CHECK_THAT(errorOf(""), Contains("not JSON"));
  CHECK_THAT(errorOf("{\"version\": 1"), Contains("not JSON"));
  CHECK_THAT(errorOf("\xff\xfe"), Contains("not JSON"));
  CHECK(errorOf("[]") == "kernel ABI: root: expected an object, found []");
  CHECK(errorOf("{}") == "kernel ABI: root: expected a member \"version\", found {}");
  for (const char *opening : {"[", "{\"a\":", "{\"kernels\":["}) {
    std::string deep;
    for (int i = 0; i < 1'000'000; ++i)
      deep += opening;
    CHECK(errorOf(deep) == "kernel ABI: JSON nested too deeply");
  }
}

TEST_CASE("a wrong member is named with what was expected and found") {
  const auto [pointer, value, message] = GENERATE(table<const char *, json, const char *>({
      {"/version", 2, "version: expected an integer in 1..1, found 2"},
      {"/target", "", "target: expected a non-empty string, found \"\""},
      {"/kernels", 7, "kernels: expected an array, found 7"},
      {"/numerics_version", -1, "numerics_version: expected an integer in 0.."},
      {"/kernels/0/name", nullptr, "kernels[0].name: expected a non-empty string, found null"},
      {"/kernels/0/operation/attributes",
       {{"rounding", 1}},
       "attributes.rounding: expected a string, found 1"},
      {"/kernels/0/operation/prologue", "yes", "operation.prologue: expected true or false"},
      {"/kernels/0/dimensions/1", "M", "dimensions[1]: expected a name that is not taken, found \"M\""},
      {"/kernels/0/arguments/1/name", "x", "arguments[1].name: expected a name that is not taken"},
      {"/kernels/0/arguments/0/type", "f8E4M3FN", "arguments[0].type: expected a type out of bf16"},
      {"/kernels/0/arguments/0/layout", "scale_dense", "layout: expected row_major for type bf16"},
      {"/kernels/0/arguments/0/layout", "column_major", "layout: expected a layout out of row_major"},
      {"/kernels/0/arguments/0/rows", "M +", "arguments[0].rows: shape expression \"M +\""},
      {"/kernels/0/arguments/0/columns", "N",
       "arguments[0].columns: shape expression \"N\": unknown dimension 'N'"},
      {"/kernels/0/arguments/0/row_stride", 8192, "row_stride: expected a string, found 8192"},
      {"/kernels/0/arguments/0/alignment", 0, "alignment: expected an integer in 1..1048576, found 0"},
      {"/kernels/0/arguments/0/alignment", 24, "alignment: expected a power of two, found 24"},
      {"/kernels/0/variants", json::array(), "kernels[0].variants: expected at least one variant, found []"},
      {"/kernels/0/variants/0/entry", "", "variants[0].entry: expected a non-empty string"},
      {"/kernels/0/variants/0/when", "K ==", "variants[0].when: shape expression \"K ==\""},
      {"/kernels/0/variants/0/grid", {"1", "1"}, "grid: expected 3 expressions"},
      {"/kernels/0/variants/0/grid/2", "", "grid[2]: shape expression \"\""},
      {"/kernels/0/variants/0/block", {256, 1}, "block: expected 3 integers"},
      {"/kernels/0/variants/0/block/1", 0, "block[1]: expected an integer in 1..1024, found 0"},
      {"/kernels/0/variants/0/block/0", 1025, "block[0]: expected an integer in 1..1024, found 1025"},
      {"/kernels/0/variants/0/block/0", 256.5, "block[0]: expected an integer in 1..1024, found 256.5"},
      {"/kernels/0/variants/0/block/0", 18446744073709551615u, "block[0]: expected an integer in 1..1024"},
      {"/kernels/0/variants/0/block", {64, 32, 2}, "block: expected a product of at most 1024"},
      {"/kernels/0/variants/0/cluster/0", 17, "cluster[0]: expected an integer in 1..16, found 17"},
      {"/kernels/0/variants/0/shared_bytes", 1048577, "shared_bytes: expected an integer in 0..1048576"},
      {"/kernels/0/variants/0/shared_bytes", -1, "shared_bytes: expected an integer in 0..1048576, found -1"},
      {"/kernels/0/variants/0/alignments/0/argument", "y",
       "argument: expected an argument out of x q s, found \"y\""},
      {"/kernels/0/variants/0/parameters/1/kind", "texture", "kind: expected a kind out of pointer"},
      {"/kernels/0/variants/0/parameters/1/name", "M",
       "parameters[1].name: expected an argument out of x q s"},
      {"/kernels/0/variants/0/parameters/4/name", "x", "parameters[4].name: expected a dimension out of M K"},
      {"/kernels/0/variants/0/parameters/0/tensor_map/argument", "z",
       "tensor_map.argument: expected an argument"},
      {"/kernels/0/variants/0/parameters/0/tensor_map/box", json::array(),
       "box: expected 1 to 5 extents, found []"},
      {"/kernels/0/variants/0/parameters/0/tensor_map/box/0", 257, "box[0]: expected an integer in 1..256"},
      {"/kernels/0/variants/0/parameters/0/tensor_map/swizzle_bytes", 16,
       "expected 0, 32, 64 or 128, found 16"},
  }));
  CAPTURE(pointer);
  CHECK_THAT(errorWith(pointer, value), Contains(message));
}

TEST_CASE("every member but row_stride is needed") {
  const json sample = json::parse(abiToJson(sampleAbi()));
  const std::vector<const char *> objects = {
      "",
      "/kernels/0",
      "/kernels/0/operation",
      "/kernels/0/arguments/0",
      "/kernels/0/variants/0",
      "/kernels/0/variants/0/alignments/0",
      "/kernels/0/variants/0/parameters/0",
      "/kernels/0/variants/0/parameters/0/tensor_map",
  };
  for (const char *object : objects)
    for (const auto &[key, value] : sample.at(json::json_pointer(object)).items()) {
      json without = sample;
      without.at(json::json_pointer(object)).erase(key);
      const std::string wanted = key == "row_stride" ? "no error" : "expected a member \"" + key + "\"";
      CHECK_THAT(errorOf(without.dump()), Contains(wanted));
    }
}

TEST_CASE("what was found is quoted in part when it is long") {
  CHECK(errorWith("/kernels/0/variants/0/block/0", std::string(10'000, 'x')).size() < 200);
}
