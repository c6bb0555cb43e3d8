// The ABI as the record's JSON.
#include "compiler/abi/AbiNames.h"

#include <nlohmann/json.hpp>

namespace mxc {
namespace {

using Json = nlohmann::json;

Json toJson(std::span<const ShapeExpression> expressions) {
  Json out = Json::array();
  for (const ShapeExpression &expression : expressions)
    out.push_back(expression.text());
  return out;
}

/// An expression, "?" for free, null for contiguous.
Json toJson(const AbiStride &stride) {
  if (stride.kind == AbiStride::Kind::Contiguous) return nullptr;
  return stride.kind == AbiStride::Kind::Free ? "?" : stride.value.text();
}

Json toJson(const AbiArgument &argument) {
  Json out = {{"name", argument.name},
              {"kind", nameIn(kArgumentKindNames, argument.kind)},
              {"type", argument.type},
              {"access", argument.accessName()},
              {"layout", nameIn(kLayoutNames, argument.layout)},
              {"role", nameIn(kRoleNames, argument.role)},
              {"shape", toJson(argument.shape)},
              {"alignment", argument.alignment}};
  if (!argument.of.empty()) out["of"] = argument.of;
  if (argument.number) out["number"] = argument.number;
  if (argument.groupRows) out["group_rows"] = argument.groupRows;
  if (argument.groupDimension) out["group_dimension"] = argument.groupDimension;
  for (const AbiStride &stride : argument.strides)
    out["strides"].push_back(toJson(stride));
  if (argument.kind == ArgumentKind::Workspace) {
    out["bytes"] = argument.bytes.text();
    out["zeroed"] = nameIn(kZeroingNames, argument.zeroing);
  }
  return out;
}

Json toJson(const TensorMapRecipe &map) {
  return {{"argument", map.argument},
          {"offset", map.offset.text()},
          {"type", nameIn(kMapTypeNames, map.type)},
          {"sizes", toJson(map.sizes)},
          {"strides", toJson(map.strides)},
          {"box", map.box},
          {"element_strides", map.elementStrides},
          {"swizzle", nameIn(kMapSwizzleNames, map.swizzle)},
          {"promotion", nameIn(kMapPromotionNames, map.promotion)},
          {"fill", nameIn(kMapFillNames, map.fill)}};
}

Json toJson(const AbiParameter &parameter) {
  Json out = {{"kind", nameIn(kParameterNames, parameter.kind)}, {"name", parameter.name}};
  if (parameter.kind == AbiParameter::Kind::Stride) out["dimension"] = parameter.dimension;
  if (parameter.kind == AbiParameter::Kind::TensorMap) out["tensor_map"] = toJson(parameter.tensorMap);
  return out;
}

Json toJson(const std::vector<AbiRegion> &regions) {
  Json out = Json::array();
  for (const AbiRegion &region : regions)
    out.push_back({{"name", region.name},
                   {"offset", region.offset},
                   {"size", region.size},
                   {"stages", region.stages},
                   {"pitch", region.pitch}});
  return out;
}

Json toJson(const AbiLaunch &launch) {
  Json out = {{"entry", launch.entry},       {"grid", toJson(launch.grid)},
              {"block", launch.block},       {"cluster", launch.cluster},
              {"parameters", Json::array()}, {"shared_bytes", launch.sharedBytes}};
  for (const AbiParameter &parameter : launch.parameters)
    out["parameters"].push_back(toJson(parameter));
  if (launch.tensorColumns) out["tensor_columns"] = launch.tensorColumns;
  if (!launch.sharedRegions.empty()) out["shared_regions"] = toJson(launch.sharedRegions);
  if (!launch.tensorRegions.empty()) out["tensor_regions"] = toJson(launch.tensorRegions);
  for (const AbiRole &role : launch.roles)
    out["roles"].push_back({{"name", role.name}, {"first_warp", role.firstWarp}, {"warps", role.warps}});
  return out;
}

Json toJson(const AbiVariant &variant) {
  Json out = {{"tile", variant.tile},
              {"when", variant.when.text()},
              {"alignments", Json::array()},
              {"launches", Json::array()}};
  for (const AbiAlignment &alignment : variant.alignments)
    out["alignments"].push_back({{"argument", alignment.argument}, {"bytes", alignment.bytes}});
  variant.forEachLaunch([&](const AbiLaunch &launch) { out["launches"].push_back(toJson(launch)); });
  return out;
}

Json toJson(const AbiWork &work) {
  Json out = {{"bytes_read", work.bytesRead.text()}, {"bytes_written", work.bytesWritten.text()}};
  if (!work.multiplyAdds.empty())
    out["multiply_adds"] = {{"kind", work.kind}, {"count", work.multiplyAdds.text()}};
  return out;
}

Json toJson(const KernelAbi &kernel) {
  Json out = {{"name", kernel.name},
              {"operation",
               {{"name", kernel.operation.name},
                {"attributes", kernel.operation.attributes},
                {"prologue", kernel.operation.hasPrologue}}},
              {"work", toJson(kernel.work)},
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
