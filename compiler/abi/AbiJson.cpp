// The JSON of the ABI record, both ways. Reading trusts nothing: images come from anywhere.
#include "compiler/abi/CompiledKernel.h"
#include "compiler/abi/ShapeExpression.h"
#include "dialect/formats/ElementFormat.h"
#include "dialect/formats/Error.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <bit>

namespace mxc {
namespace {

using Json = nlohmann::json;

constexpr int kMaxDepth = 32; // a record needs 8

constexpr std::array<std::string_view, 3> kLayoutNames = {"row_major", "scale_dense", "scale_tcgen05"};
constexpr std::array<std::string_view, 4> kParameterNames = {"pointer", "row_stride", "dimension",
                                                             "tensor_map"};

/// A JSON value and the path that leads to it: "kernels[0].variants[1].block[2]".
class Member {
public:
  Member(const Json &json, std::string path) : json(json), path(std::move(path)) {}

  [[noreturn]] void fail(const std::string &expected) const {
    std::string found = json.dump(-1, ' ', true, Json::error_handler_t::replace);
    if (found.size() > 60) found = found.substr(0, 60) + "...";
    throw Error(ErrorKind::InvalidInput,
                "kernel ABI: " + path + ": expected " + expected + ", found " + found);
  }

  std::optional<Member> find(const char *key) const {
    if (!json.is_object()) fail("an object");
    const auto found = json.find(key);
    if (found == json.end()) return std::nullopt;
    return Member(*found, path == "root" ? key : path + "." + key);
  }

  Member operator[](const char *key) const {
    std::optional<Member> member = find(key);
    if (!member) fail(std::string("a member \"") + key + "\"");
    return *member;
  }

  std::vector<Member> elements() const {
    if (!json.is_array()) fail("an array");
    std::vector<Member> members;
    for (size_t i = 0; i < json.size(); ++i)
      members.emplace_back(json[i], path + "[" + std::to_string(i) + "]");
    return members;
  }

  std::map<std::string, std::string> stringMap() const {
    if (!json.is_object()) fail("an object of strings");
    std::map<std::string, std::string> map;
    for (const auto &[key, value] : json.items())
      map[key] = Member(value, path + "." + key).string();
    return map;
  }

  const std::string &string() const {
    if (!json.is_string()) fail("a string");
    return json.get_ref<const std::string &>();
  }

  const std::string &nonEmpty() const {
    if (!json.is_string() || string().empty()) fail("a non-empty string");
    return string();
  }

  bool boolean() const {
    if (!json.is_boolean()) fail("true or false");
    return json.get<bool>();
  }

  int64_t integer(int64_t least, int64_t most) const {
    const bool fits = json.is_number_integer() &&
                      !(json.is_number_unsigned() && json.get<uint64_t>() > INT64_MAX) &&
                      json.get<int64_t>() >= least && json.get<int64_t>() <= most;
    if (!fits) fail("an integer in " + std::to_string(least) + ".." + std::to_string(most));
    return json.get<int64_t>();
  }

  int64_t powerOfTwo(int64_t most) const {
    const int64_t value = integer(1, most);
    if (!std::has_single_bit(uint64_t(value))) fail("a power of two");
    return value;
  }

  /// The index in `names` of this string.
  template <typename Names> size_t oneOf(const Names &names, const std::string &what) const {
    const auto found = std::find(names.begin(), names.end(), string());
    if (found == names.end()) {
      std::string expected = what + " out of";
      for (const auto &name : names)
        expected.append(" ").append(name);
      fail(expected);
    }
    return size_t(found - names.begin());
  }

  const std::string &expression(std::span<const std::string> dimensions) const {
    try {
      checkShape(string(), dimensions);
    } catch (const Error &error) {
      throw Error(ErrorKind::InvalidInput, "kernel ABI: " + path + ": " + error.what());
    }
    return string();
  }

  /// Three sizes, each in 1..most, and their product as well.
  void sizes(uint32_t (&out)[3], int64_t most) const {
    const std::vector<Member> members = elements();
    if (members.size() != 3) fail("3 integers");
    for (size_t i = 0; i < 3; ++i)
      out[i] = uint32_t(members[i].integer(1, most));
    if (int64_t(out[0]) * out[1] * out[2] > most) fail("a product of at most " + std::to_string(most));
  }

private:
  const Json &json;
  std::string path;
};

std::vector<std::string> tensorTypes() {
  std::vector<std::string> types = {"bf16", "f16", "f32", "ue8m0"};
#define MXC_ELEMENT_FORMAT(Name, name, ...) types.push_back(name);
#include "dialect/formats/ElementFormats.def"
  return types;
}

AbiArgument readArgument(const Member &in, std::span<const std::string> dimensions) {
  AbiArgument argument;
  argument.name = in["name"].nonEmpty();
  static const std::vector<std::string> types = tensorTypes();
  argument.type = types[in["type"].oneOf(types, "a type")];
  argument.isOutput = in["output"].boolean();
  argument.layout = ArgumentLayout(in["layout"].oneOf(kLayoutNames, "a layout"));
  if (argument.layout != ArgumentLayout::RowMajor && argument.type != "ue8m0")
    in["layout"].fail("row_major for type " + argument.type);
  argument.rows = in["rows"].expression(dimensions);
  argument.columns = in["columns"].expression(dimensions);
  if (const std::optional<Member> stride = in.find("row_stride"))
    argument.rowStride = stride->string().empty() ? "" : stride->expression(dimensions);
  argument.alignment = in["alignment"].powerOfTwo(1 << 20);
  return argument;
}

TensorMapRecipe readTensorMap(const Member &in, std::span<const std::string> arguments) {
  TensorMapRecipe recipe;
  recipe.argument = arguments[in["argument"].oneOf(arguments, "an argument")];
  // cuTensorMapEncodeTiled: up to 5 dimensions, boxes of up to 256.
  for (const Member &extent : in["box"].elements())
    recipe.box.push_back(uint32_t(extent.integer(1, 256)));
  if (recipe.box.empty() || recipe.box.size() > 5) in["box"].fail("1 to 5 extents");
  recipe.swizzleBytes = int(in["swizzle_bytes"].integer(0, 128));
  if (recipe.swizzleBytes != 0 &&
      (recipe.swizzleBytes < 32 || !std::has_single_bit(unsigned(recipe.swizzleBytes))))
    in["swizzle_bytes"].fail("0, 32, 64 or 128");
  return recipe;
}

AbiParameter readParameter(const Member &in, std::span<const std::string> arguments,
                           std::span<const std::string> dimensions) {
  AbiParameter parameter{};
  parameter.kind = AbiParameter::Kind(in["kind"].oneOf(kParameterNames, "a kind"));
  if (parameter.kind == AbiParameter::Kind::Dimension)
    parameter.name = dimensions[in["name"].oneOf(dimensions, "a dimension")];
  else
    parameter.name = arguments[in["name"].oneOf(arguments, "an argument")];
  if (parameter.kind == AbiParameter::Kind::TensorMap)
    parameter.tensorMap = readTensorMap(in["tensor_map"], arguments);
  return parameter;
}

AbiVariant readVariant(const Member &in, std::span<const std::string> arguments,
                       std::span<const std::string> dimensions) {
  AbiVariant variant;
  variant.entry = in["entry"].nonEmpty();
  variant.tile = in["tile"].string();
  const Member when = in["when"];
  variant.when = when.string().empty() ? "" : when.expression(dimensions);
  for (const Member &alignment : in["alignments"].elements())
    variant.alignments.push_back({arguments[alignment["argument"].oneOf(arguments, "an argument")],
                                  alignment["bytes"].powerOfTwo(1 << 20)});
  const std::vector<Member> grid = in["grid"].elements();
  if (grid.size() != 3) in["grid"].fail("3 expressions");
  for (size_t i = 0; i < 3; ++i)
    variant.grid[i] = grid[i].expression(dimensions);
  in["block"].sizes(variant.block, 1024);
  in["cluster"].sizes(variant.cluster, 16);
  variant.sharedBytes = uint32_t(in["shared_bytes"].integer(0, 1 << 20));
  for (const Member &parameter : in["parameters"].elements())
    variant.parameters.push_back(readParameter(parameter, arguments, dimensions));
  return variant;
}

KernelAbi readKernel(const Member &in) {
  KernelAbi kernel;
  kernel.name = in["name"].nonEmpty();
  const Member operation = in["operation"];
  kernel.operation = {operation["name"].nonEmpty(), operation["attributes"].stringMap(),
                      operation["prologue"].boolean()};
  for (const Member &dimension : in["dimensions"].elements()) {
    if (std::find(kernel.dimensions.begin(), kernel.dimensions.end(), dimension.nonEmpty()) !=
        kernel.dimensions.end())
      dimension.fail("a name that is not taken");
    kernel.dimensions.push_back(dimension.string());
  }
  std::vector<std::string> names;
  for (const Member &member : in["arguments"].elements()) {
    kernel.arguments.push_back(readArgument(member, kernel.dimensions));
    if (std::find(names.begin(), names.end(), kernel.arguments.back().name) != names.end())
      member["name"].fail("a name that is not taken");
    names.push_back(kernel.arguments.back().name);
  }
  for (const Member &variant : in["variants"].elements())
    kernel.variants.push_back(readVariant(variant, names, kernel.dimensions));
  if (kernel.variants.empty()) in["variants"].fail("at least one variant");
  return kernel;
}

Json toJson(const AbiArgument &argument) {
  Json out = {{"name", argument.name},          {"type", argument.type},
              {"output", argument.isOutput},    {"layout", kLayoutNames[size_t(argument.layout)]},
              {"rows", argument.rows},          {"columns", argument.columns},
              {"alignment", argument.alignment}};
  if (argument.rowStride) out["row_stride"] = *argument.rowStride;
  return out;
}

Json toJson(const AbiParameter &parameter) {
  Json out = {{"kind", kParameterNames[size_t(parameter.kind)]}, {"name", parameter.name}};
  if (parameter.kind == AbiParameter::Kind::TensorMap)
    out["tensor_map"] = {{"argument", parameter.tensorMap.argument},
                         {"box", parameter.tensorMap.box},
                         {"swizzle_bytes", parameter.tensorMap.swizzleBytes}};
  return out;
}

Json toJson(const AbiVariant &variant) {
  Json out = {
      {"entry", variant.entry},      {"tile", variant.tile},        {"when", variant.when},
      {"grid", variant.grid},        {"block", variant.block},      {"cluster", variant.cluster},
      {"alignments", Json::array()}, {"parameters", Json::array()}, {"shared_bytes", variant.sharedBytes}};
  for (const AbiAlignment &alignment : variant.alignments)
    out["alignments"].push_back({{"argument", alignment.argument}, {"bytes", alignment.bytes}});
  for (const AbiParameter &parameter : variant.parameters)
    out["parameters"].push_back(toJson(parameter));
  return out;
}

Json toJson(const KernelAbi &kernel) {
  Json out = {{"name", kernel.name},
              {"operation",
               {{"name", kernel.operation.name},
                {"attributes", kernel.operation.attributes},
                {"prologue", kernel.operation.hasPrologue}}},
              {"dimensions", kernel.dimensions},
              {"arguments", Json::array()},
              {"variants", Json::array()}};
  for (const AbiArgument &argument : kernel.arguments)
    out["arguments"].push_back(toJson(argument));
  for (const AbiVariant &variant : kernel.variants)
    out["variants"].push_back(toJson(variant));
  return out;
}

} // namespace

ModuleAbi abiFromJson(std::string_view text) {
  // Printing a value is recursive: hostile nesting must not overflow the stack.
  const auto limitDepth = [](int depth, Json::parse_event_t, Json &) {
    if (depth > kMaxDepth) throw Error(ErrorKind::InvalidInput, "kernel ABI: JSON nested too deeply");
    return true;
  };
  Json json;
  try {
    json = Json::parse(text, limitDepth);
  } catch (const Json::exception &error) {
    throw Error(ErrorKind::InvalidInput, std::string("kernel ABI: not JSON: ") + error.what());
  }
  const Member root(json, "root");
  ModuleAbi abi;
  root["version"].integer(ModuleAbi::kVersion, ModuleAbi::kVersion);
  abi.compilerVersion = root["compiler_version"].string();
  abi.numericsVersion = int(root["numerics_version"].integer(0, 1 << 20));
  abi.target = root["target"].nonEmpty();
  for (const Member &kernel : root["kernels"].elements())
    abi.kernels.push_back(readKernel(kernel));
  return abi;
}

std::string abiToJson(const ModuleAbi &abi, int indent) {
  Json out = {{"version", ModuleAbi::kVersion},
              {"compiler_version", abi.compilerVersion},
              {"numerics_version", abi.numericsVersion},
              {"target", abi.target},
              {"kernels", Json::array()}};
  for (const KernelAbi &kernel : abi.kernels)
    out["kernels"].push_back(toJson(kernel));
  return out.dump(indent, ' ', false, Json::error_handler_t::replace);
}

} // namespace mxc
