// The ABI's JSON: there and back, and hostile input named by its path.
#include "dialect/formats/Error.h"
#include "tests/unit/abi/MatmulSample.h"
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

/// Ranks 0 to 5, every enumerator, tensor maps of every rank.
static ModuleAbi everyKind() {
  ModuleAbi abi = sampleAbi();
  KernelAbi &kernel = abi.kernels[0];
  kernel.dimensions = {"M", "K", "G", "_a1"};
  AbiVariant &variant = kernel.variants[0];
  for (uint32_t rank = 0; rank <= 5; ++rank) {
    AbiArgument argument{"t" + std::to_string(rank), "f32"};
    argument.shape.assign(rank, "G");
    argument.isOutput = rank > 2, argument.isRead = rank == 4;
    argument.role = ArgumentRole(rank + 4), argument.number = rank;
    if (argument.role == ArgumentRole::Ends) argument.groupRows = 128, argument.groupDimension = 1;
    if (rank == 5)
      argument.strides = {{}, AbiStride::free(), AbiStride::fixed("K * 2"), {}, AbiStride::fixed("1")};
    kernel.arguments.push_back(argument);
    if (rank == 0) continue;
    variant.parameters.push_back({AbiParameter::Kind::Stride, argument.name, {}, rank - 1});
    TensorMapRecipe map{argument.name, "128 * SMs"};
    map.type = TensorMapType(rank * 3), map.swizzle = TensorMapSwizzle(rank + 1);
    map.promotion = TensorMapPromotion(rank - 1 & 3), map.fill = TensorMapFill(rank & 1);
    map.sizes.assign(rank, "G"), map.strides.assign(rank - 1, "stride0 * 4");
    map.box.assign(rank, 256), map.elementStrides.assign(rank, 8);
    variant.parameters.push_back({AbiParameter::Kind::TensorMap, argument.name, map});
  }
  for (const char *type : {"f32", "i32", "i64"}) {
    AbiArgument scalar{std::string("s_") + type, type};
    scalar.kind = ArgumentKind::Scalar;
    kernel.arguments.push_back(scalar);
    variant.parameters.push_back({AbiParameter::Kind::Scalar, scalar.name, {}});
  }
  AbiArgument workspace{"w", "u8"};
  workspace.kind = ArgumentKind::Workspace;
  workspace.bytes = "SMs * 128", workspace.alignment = 1024, workspace.zeroing = WorkspaceZeroing::Once;
  kernel.arguments.push_back(workspace);
  variant.parameters.push_back({AbiParameter::Kind::Pointer, "w", {}});
  AbiLaunch second = variant;
  second.entry = "second", second.grid[0] = "G", second.block[0] = 64;
  variant.following = {second};
  return abi;
}

TEST_CASE("ranks 0 to 5, scalars, workspaces and tensor maps go there and back") {
  const KernelAbi kernel = abiFromJson(abiToJson(everyKind())).kernels[0];
  const KernelAbi wanted = everyKind().kernels[0];
  for (size_t i = 3; i < 9; ++i) {
    CHECK(kernel.arguments[i].rank() == i - 3);
    CHECK(kernel.arguments[i].strides == wanted.arguments[i].strides);
    CHECK((kernel.arguments[i].role == wanted.arguments[i].role));
    CHECK(kernel.arguments[i].number == wanted.arguments[i].number);
    CHECK(kernel.arguments[i].groupRows == wanted.arguments[i].groupRows);
    CHECK(kernel.arguments[i].groupDimension == wanted.arguments[i].groupDimension);
  }
  CHECK((kernel.arguments[7].isOutput && kernel.arguments[7].isRead && kernel.arguments[7].isInput()));
  CHECK(kernel.arguments[11].kind == ArgumentKind::Scalar);
  const AbiArgument &workspace = kernel.arguments.back();
  CHECK((workspace.bytes.text() == "SMs * 128" && workspace.zeroing == WorkspaceZeroing::Once));
  for (size_t i = 5; i < 15; ++i)
    CHECK(kernel.variants[0].parameters[i].tensorMap == wanted.variants[0].parameters[i].tensorMap);
  REQUIRE(kernel.variants[0].following.size() == 1);
  CHECK(kernel.variants[0].following[0].entry == "second");
  CHECK(kernel.variants[0].following[0].grid[0].text() == "G");
}

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
  CHECK(kernel.arguments[0].strides == std::vector{AbiStride::free(), AbiStride()});
  CHECK(kernel.arguments[1].strides.empty());
  CHECK(kernel.arguments[1].isOutput);
  CHECK(kernel.arguments[2].layout == ArgumentLayout::ScaleTcgen05);
  CHECK(kernel.arguments[2].shape[1].text() == "ceildiv(K, 32)");
  CHECK((kernel.arguments[2].role == ArgumentRole::Scales && kernel.arguments[2].of == "q"));
  REQUIRE(kernel.variants.size() == 2);
  const AbiVariant &variant = kernel.variants[0];
  CHECK(variant.when.text() == "K % 128 == 0 && M > 64");
  CHECK(variant.alignments[0].argument == "x");
  CHECK(variant.alignments[0].bytes == 128);
  CHECK(variant.grid[1].text() == "K / 128");
  CHECK(variant.block[0] == 256);
  CHECK(variant.cluster[0] == 2);
  CHECK(variant.sharedBytes == 98304);
  CHECK(variant.sharedRegions == sampleAbi().kernels[0].variants[0].sharedRegions);
  CHECK(variant.tensorColumns == 512);
  CHECK(variant.tensorRegions == sampleAbi().kernels[0].variants[0].tensorRegions);
  CHECK(variant.tensorRegions[0].stageSize() == 256); // two stages, 232 apart
  CHECK(variant.roles == sampleAbi().kernels[0].variants[0].roles);
  REQUIRE(variant.parameters.size() == 5);
  CHECK(variant.parameters[0].tensorMap == sampleMap());
  CHECK(variant.parameters[3].kind == AbiParameter::Kind::Stride);
  CHECK(variant.parameters[4].name == "M");
}

TEST_CASE("writing what was read gives the same text") {
  ModuleAbi matmul{"0.1.0", 1, "sm_100a", {matmulAbi()}};
  for (const ModuleAbi &abi : {sampleAbi(), matmul, everyKind()})
    CHECK(abiToJson(abiFromJson(abiToJson(abi))) == abiToJson(abi));
  const std::string text = abiToJson(sampleAbi());
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
      {"/version", 2,
       "it carries version 2 of the ABI, and this mxc reads version 3 alone: compile the kernel again"},
      {"/version", "2", "version: expected an integer in 0..1048576, found \"2\""},
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
      {"/kernels/0/arguments/0/layout", "scale_dense", "layout: expected row_major for what is not scales"},
      {"/kernels/0/arguments/0/layout", "column_major", "layout: expected a layout out of row_major"},
      {"/kernels/0/dimensions/1", "SMs",
       "dimensions[1]: expected an identifier that expressions do not know"},
      {"/kernels/0/dimensions/1", "stride4", "expected an identifier that expressions do not know"},
      {"/kernels/0/dimensions/1", "min", "expected an identifier that expressions do not know"},
      {"/kernels/0/dimensions/1", "1K", "expected an identifier that expressions do not know"},
      {"/kernels/0/arguments/0/shape/0", "M +", "arguments[0].shape[0]: shape expression \"M +\""},
      {"/kernels/0/arguments/0/shape/1", "N", "shape[1]: shape expression \"N\": unknown dimension 'N'"},
      {"/kernels/0/arguments/0/shape/1", "SMs",
       "shape[1]: shape expression \"SMs\": unknown dimension 'SMs'"},
      {"/kernels/0/arguments/0/shape/1", "", "arguments[0].shape[1]: expected an expression, found \"\""},
      {"/kernels/0/arguments/0/shape", {"M", "M", "M", "M", "M", "M"}, "shape: expected 0 to 5 elements"},
      {"/kernels/0/arguments/0/strides", {"?"}, "strides: expected 2 elements"},
      {"/kernels/0/arguments/0/strides/0", 8192, "strides[0]: expected a string, found 8192"},
      {"/kernels/0/arguments/0/kind", "scalar", "arguments[0].type: expected a type out of f32 i32 i64"},
      {"/kernels/0/arguments/0/kind", "workspace", "arguments[0].shape: expected 0 elements"},
      {"/kernels/0/arguments/0/access", "both", "access: expected an access out of in out inout"},
      {"/kernels/0/arguments/0/role", "weights", "role: expected a role out of data codes"},
      {"/kernels/0/arguments/2/of", "z", "arguments[2].of: expected an argument out of x q s, found \"z\""},
      {"/kernels/0/arguments/2/role", "data", "layout: expected row_major for what is not scales"},
      {"/kernels/0/arguments/2/shape", {"M"}, "arguments[2].shape: expected rows and blocks of scales"},
      {"/kernels/0/arguments/0/alignment", 0, "alignment: expected an integer in 1..1048576, found 0"},
      {"/kernels/0/arguments/0/alignment", 24, "alignment: expected a power of two, found 24"},
      {"/kernels/0/variants", json::array(), "kernels[0].variants: expected 1 to 256 elements, found []"},
      {"/kernels/0/variants/0/launches/0/entry", "",
       "variants[0].launches[0].entry: expected a non-empty string"},
      {"/kernels/0/variants/0/when", "K ==", "variants[0].when: shape expression \"K ==\""},
      {"/kernels/0/variants/0/launches/0/grid", {"1", "1"}, "grid: expected 3 elements"},
      {"/kernels/0/variants/0/launches/0/grid/2", "stride0",
       "grid[2]: shape expression \"stride0\": unknown dimension"},
      {"/kernels/0/variants/0/launches/0/block", {256, 1}, "block: expected 3 elements"},
      {"/kernels/0/variants/0/launches/0/block/1", 0, "block[1]: expected an integer in 1..1024, found 0"},
      {"/kernels/0/variants/0/launches/0/block/0", 1025,
       "block[0]: expected an integer in 1..1024, found 1025"},
      {"/kernels/0/variants/0/launches/0/block/0", 256.5,
       "block[0]: expected an integer in 1..1024, found 256.5"},
      {"/kernels/0/variants/0/launches/0/block/0", 18446744073709551615u,
       "block[0]: expected an integer in 1..1024"},
      {"/kernels/0/variants/0/launches/0/block", {64, 32, 2}, "block: expected a product of at most 1024"},
      {"/kernels/0/variants/0/launches/0/cluster/0", 17,
       "cluster[0]: expected an integer in 1..16, found 17"},
      {"/kernels/0/variants/0/launches/0/shared_bytes", 1048577,
       "shared_bytes: expected an integer in 0..1048576"},
      {"/kernels/0/variants/0/launches/0/shared_bytes", -1,
       "shared_bytes: expected an integer in 0..1048576, found -1"},
      {"/kernels/0/variants/0/launches/0/shared_regions", json::array(),
       "shared_regions: expected 1 to 64 elements"},
      {"/kernels/0/variants/0/launches/0/shared_regions/0/name", "",
       "shared_regions[0].name: expected a non-empty string"},
      {"/kernels/0/variants/0/launches/0/shared_regions/0/offset", 98305,
       "offset: expected an integer in 0..98304"},
      {"/kernels/0/variants/0/launches/0/shared_regions/1/size", 16385,
       "size: expected an integer in 1..16384"},
      {"/kernels/0/variants/0/launches/0/shared_regions/0/stages", 0,
       "stages: expected an integer in 1..81920, found 0"},
      {"/kernels/0/variants/0/launches/0/shared_regions/0/pitch", 20480,
       "pitch: expected an integer in 1..20479"},
      {"/kernels/0/variants/0/launches/0/tensor_columns", 0,
       "tensor_columns: expected an integer in 1..65536, found 0"},
      {"/kernels/0/variants/0/launches/0/tensor_regions/0/size", 489, "size: expected an integer in 1..488"},
      {"/kernels/0/variants/0/launches/0/roles/0/first_warp", 32,
       "first_warp: expected an integer in 0..31, found 32"},
      {"/kernels/0/variants/0/launches/0/roles/1/warps", 0, "warps: expected an integer in 1..32, found 0"},
      {"/kernels/0/variants/0/launches", json::array(), "launches: expected 1 to 16 elements, found []"},
      {"/kernels/0/work/bytes_read", "N", "bytes_read: shape expression \"N\": unknown dimension 'N'"},
      {"/kernels/0/work/bytes_written", "SMs", "bytes_written: shape expression \"SMs\": unknown dimension"},
      {"/kernels/0/work/multiply_adds/kind", "", "multiply_adds.kind: expected a non-empty string"},
      {"/kernels/0/arguments/2/role", "ends", "arguments[2]: expected a member \"group_rows\""},
      {"/kernels/0/variants/0/alignments/0/argument", "y",
       "argument: expected an argument out of x q s, found \"y\""},
      {"/kernels/0/variants/0/launches/0/parameters/1/kind", "texture",
       "kind: expected a kind out of pointer"},
      {"/kernels/0/variants/0/launches/0/parameters/1/name", "M",
       "parameters[1].name: expected an argument out of x q s"},
      {"/kernels/0/variants/0/launches/0/parameters/4/name", "x",
       "parameters[4].name: expected a dimension out of M K"},
      {"/kernels/0/variants/0/launches/0/parameters/0/tensor_map/argument", "z",
       "tensor_map.argument: expected an argument"},
      {"/kernels/0/variants/0/launches/0/parameters/3/dimension", 2,
       "dimension: expected an integer in 0..1, found 2"},
      {"/kernels/0/variants/0/launches/0/parameters/1/kind", "scalar",
       "parameters[1].name: expected a scalar, found \"q\""},
      {"/kernels/0/variants/0/launches/0/parameters/0/tensor_map/sizes", json::array(),
       "sizes: expected 1 to 5 elements"},
      {"/kernels/0/variants/0/launches/0/parameters/0/tensor_map/sizes/0", "stride2",
       "unknown dimension 'stride2'"},
      {"/kernels/0/variants/0/launches/0/parameters/0/tensor_map/strides", json::array(),
       "strides: expected 1 elements"},
      {"/kernels/0/variants/0/launches/0/parameters/0/tensor_map/box",
       {64},
       "box: expected 2 elements, found [64]"},
      {"/kernels/0/variants/0/launches/0/parameters/0/tensor_map/box/0", 257,
       "box[0]: expected an integer in 1..256"},
      {"/kernels/0/variants/0/launches/0/parameters/0/tensor_map/element_strides/0", 9,
       "expected an integer in 1..8"},
      {"/kernels/0/variants/0/launches/0/parameters/0/tensor_map/type", "e4m3",
       "type: expected a type out of u8 u16"},
      {"/kernels/0/variants/0/launches/0/parameters/0/tensor_map/swizzle", "16b",
       "swizzle: expected a swizzle out of none"},
      {"/kernels/0/variants/0/launches/0/parameters/0/tensor_map/promotion", "512b",
       "expected a promotion out of none"},
      {"/kernels/0/variants/0/launches/0/parameters/0/tensor_map/fill", "ones",
       "expected a fill out of zeros nan"},
  }));
  CAPTURE(pointer);
  CHECK_THAT(errorWith(pointer, value), Contains(message));
}

TEST_CASE("every member is needed but an argument's strides and operand, and a variant's regions") {
  const json sample = json::parse(abiToJson(sampleAbi()));
  const std::vector<const char *> objects = {
      "",
      "/kernels/0",
      "/kernels/0/operation",
      "/kernels/0/work",
      "/kernels/0/work/multiply_adds",
      "/kernels/0/arguments/0",
      "/kernels/0/variants/0",
      "/kernels/0/variants/0/launches/0",
      "/kernels/0/variants/0/alignments/0",
      "/kernels/0/variants/0/launches/0/parameters/0",
      "/kernels/0/variants/0/launches/0/parameters/0/tensor_map",
  };
  for (const char *object : objects)
    for (const auto &[key, value] : sample.at(json::json_pointer(object)).items()) {
      json without = sample;
      without.at(json::json_pointer(object)).erase(key);
      const std::string path = object + ("/" + key);
      const bool isOptional = path == "/kernels/0/arguments/0/strides" ||
                              path == "/kernels/0/work/multiply_adds" || path.ends_with("_regions") ||
                              path.ends_with("roles");
      const std::string wanted = isOptional                         ? "no error"
                                 : path.ends_with("tensor_columns") ? "tensor_regions[0]" // of no columns
                                                                    : "expected a member \"" + key + "\"";
      CHECK_THAT(errorOf(without.dump()), Contains(wanted));
    }
}

TEST_CASE("records of hostile sizes are refused at once") {
  const auto repeated = [](const char *pointer, size_t count, auto make) {
    json sample = json::parse(abiToJson(sampleAbi()));
    json &array = sample.at(json::json_pointer(pointer));
    const json first = array[0];
    array = json::array();
    for (size_t i = 0; i < count; ++i)
      array.push_back(make(first, std::to_string(i)));
    return errorOf(sample.dump());
  };
  const auto named = [](json object, const std::string &number) {
    object["name"] = "n" + number;
    return object;
  };
  const auto same = [](json object, const std::string &) { return object; };
  CHECK(repeated("/kernels/0/dimensions", 100'000, [](json, const std::string &n) { return "d" + n; }) ==
        "kernel ABI: kernels[0].dimensions: expected 0 to 64 elements, found 100000 of them");
  CHECK_THAT(repeated("/kernels/0/arguments", 65, named), Contains("arguments: expected 0 to 64 elements"));
  CHECK_THAT(repeated("/kernels/0/variants", 257, same), Contains("variants: expected 1 to 256 elements"));
  CHECK_THAT(repeated("/kernels/0/variants/0/launches/0/parameters", 257, same),
             Contains("parameters: expected 0 to 256"));
  CHECK_THAT(repeated("/kernels/0/variants/0/alignments", 65, same),
             Contains("alignments: expected 0 to 64"));
  const std::string deep = std::string(100'000, '(') + "M", wide = [] {
    std::string sum = "M";
    for (int i = 0; i < 100'000; ++i)
      sum += "+M";
    return sum;
  }();
  for (const std::string &text : {deep, wide})
    CHECK_THAT(errorWith("/kernels/0/variants/0/launches/0/grid/0", text),
               Contains("grid[0]: shape expression"));
}

TEST_CASE("what was found is quoted in part when it is long") {
  CHECK(errorWith("/kernels/0/variants/0/launches/0/block/0", std::string(10'000, 'x')).size() < 200);
}
