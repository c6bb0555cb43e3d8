#include "tools/mxc/RecordText.h"

#include "compiler/abi/AbiNames.h"

#include <algorithm>

namespace mxc {

using Row = std::vector<std::string>;

static std::string joined(const std::vector<std::string> &parts, const char *between = ", ") {
  std::string text;
  for (const std::string &part : parts)
    text += (text.empty() ? "" : between) + part;
  return text;
}

/// Columns as wide as their widest cell.
static std::string table(const std::vector<Row> &rows, const std::string &indent) {
  std::vector<size_t> widths;
  for (const Row &row : rows)
    for (size_t i = 0; i < row.size(); ++i) {
      if (widths.size() <= i) widths.push_back(0);
      widths[i] = std::max(widths[i], row[i].size());
    }
  std::string text;
  for (const Row &row : rows) {
    std::string line = indent;
    for (size_t i = 0; i < row.size(); ++i)
      line += row[i] + std::string(widths[i] - row[i].size() + 2, ' ');
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

static std::vector<std::string> texts(std::span<const ShapeExpression> expressions) {
  std::vector<std::string> result;
  for (const ShapeExpression &expression : expressions)
    result.push_back(expression.text());
  return result;
}

static std::string strideText(const AbiArgument &argument) {
  if (argument.kind == ArgumentKind::Scalar) return "by value";
  if (argument.kind == ArgumentKind::Workspace) {
    switch (argument.zeroing) {
    case WorkspaceZeroing::No:
      return "workspace";
    case WorkspaceZeroing::Once:
      return "workspace, zeroed once";
    case WorkspaceZeroing::EachLaunch:
      return "workspace, zeroed before each launch";
    }
  }
  if (const std::optional<ScaleLayout> scales = scaleLayoutOf(argument.layout)) {
    const std::string text = std::string(name(*scales)) + " scales";
    return info(*scales).storage == ScaleStorage::Tiles ? text + ", whole 512-byte tiles" : text;
  }
  std::vector<std::string> strides;
  for (size_t i = 0; i < argument.strides.size(); ++i) {
    const AbiStride &stride = argument.strides[i];
    if (stride.kind == AbiStride::Kind::Contiguous) continue;
    const std::string what = i + 2 == argument.rank() ? "row stride " : "stride " + std::to_string(i) + " ";
    strides.push_back(what +
                      (stride.kind == AbiStride::Kind::Free ? "given at launch" : stride.value.text()));
  }
  return strides.empty() ? "contiguous rows" : joined(strides);
}

static std::string shapeCell(const AbiArgument &argument) {
  if (argument.kind == ArgumentKind::Scalar) return "";
  if (argument.kind == ArgumentKind::Workspace) return argument.bytes.text() + " bytes";
  return "[" + joined(texts(argument.shape)) + "]";
}

/// "scales of q", "ends of x, groups begin at multiples of 128"; "" of plain values.
static std::string roleText(const AbiArgument &argument) {
  if (argument.role == ArgumentRole::Data) return "";
  std::string text(nameIn(kRoleNames, argument.role));
  if (!argument.of.empty()) text += " of " + argument.of;
  if (argument.groupRows > 1) text += ", groups begin at multiples of " + std::to_string(argument.groupRows);
  return text;
}

static Row argumentRow(const AbiArgument &argument) {
  return {std::string(argument.accessName()),
          argument.name,
          argument.type,
          shapeCell(argument),
          strideText(argument),
          argument.kind == ArgumentKind::Scalar ? "" : "aligned to " + std::to_string(argument.alignment),
          roleText(argument)};
}

static std::string extents(const uint32_t (&sizes)[3]) {
  return "(" + std::to_string(sizes[0]) + ", " + std::to_string(sizes[1]) + ", " + std::to_string(sizes[2]) +
         ")";
}

static std::string numbers(const std::vector<uint32_t> &values) {
  std::vector<std::string> result;
  for (uint32_t value : values)
    result.push_back(std::to_string(value));
  return joined(result, " x ");
}

/// What is as it mostly is (no offset, steps of 1, no swizzle, zeros outside, 256 bytes promoted) is left
/// out.
static std::string mapText(const TensorMapRecipe &map) {
  std::string text = "tensor map of " + map.argument;
  if (!map.offset.empty()) text += " + " + map.offset.text() + " bytes";
  text += " (" + std::string(nameIn(kMapTypeNames, map.type)) + " " + joined(texts(map.sizes), " x ");
  if (!map.strides.empty()) text += ", strides " + joined(texts(map.strides), " x ") + " bytes";
  text += ", box " + numbers(map.box);
  if (map.elementStrides != std::vector<uint32_t>(map.sizes.size(), 1))
    text += ", element strides " + numbers(map.elementStrides);
  if (map.swizzle != TensorMapSwizzle::None)
    text += ", swizzle " + std::string(nameIn(kMapSwizzleNames, map.swizzle));
  if (map.promotion != TensorMapPromotion::B256)
    text += ", promotion " + std::string(nameIn(kMapPromotionNames, map.promotion));
  if (map.fill != TensorMapFill::Zeros) text += ", nan outside";
  return text + ")";
}

static std::string parameterText(const AbiParameter &parameter, const KernelAbi &kernel) {
  switch (parameter.kind) {
  case AbiParameter::Kind::Pointer:
    return "address of " + parameter.name;
  case AbiParameter::Kind::Stride: {
    const auto of =
        std::find_if(kernel.arguments.begin(), kernel.arguments.end(),
                     [&](const AbiArgument &argument) { return argument.name == parameter.name; });
    const bool isRow = of != kernel.arguments.end() && parameter.dimension + 2 == of->rank();
    return (isRow ? "row stride" : "stride " + std::to_string(parameter.dimension)) + " of " + parameter.name;
  }
  case AbiParameter::Kind::Dimension:
  case AbiParameter::Kind::Scalar:
    return parameter.name;
  case AbiParameter::Kind::TensorMap:
    return mapText(parameter.tensorMap);
  }
  return parameter.name;
}

/// "196608: operands 6 x 32768 + .."; stages that overlap: "accumulators 2 x 256, 244 apart".
static std::string regionsText(uint32_t size, const char *unit, const std::vector<AbiRegion> &regions) {
  std::vector<std::string> parts;
  for (const AbiRegion &region : regions) {
    const bool isOverlapping = region.stages > 1 && region.pitch < region.stageSize();
    parts.push_back(region.name + " " +
                    (region.stages > 1 ? std::to_string(region.stages) + " x " : std::string()) +
                    std::to_string(region.stageSize()) +
                    (isOverlapping ? ", " + std::to_string(region.pitch) + " apart" : ""));
  }
  return std::to_string(size) + " " + unit + (parts.empty() ? "" : ": " + joined(parts, " + "));
}

/// ": load (warp 5), store (warps 0 to 3)".
static std::string rolesText(const std::vector<AbiRole> &roles) {
  std::string text;
  for (const AbiRole &role : roles) {
    const uint32_t last = role.firstWarp + role.warps - 1;
    text += (text.empty() ? ": " : ", ") + role.name + " (warp" +
            (role.warps == 1 ? " " : "s " + std::to_string(role.firstWarp) + " to ") + std::to_string(last) +
            ")";
  }
  return text;
}

static std::vector<Row> launchRows(const AbiLaunch &launch, const KernelAbi &kernel,
                                   const CubinResources &resources) {
  std::vector<std::string> parameters;
  for (const AbiParameter &parameter : launch.parameters)
    parameters.push_back(parameterText(parameter, kernel));
  std::vector<Row> rows = {
      {"grid", "(" + joined(texts(launch.grid)) + ")"},
      {"block", extents(launch.block) + rolesText(launch.roles)},
      {"cluster", extents(launch.cluster)},
      {"shared", regionsText(launch.sharedBytes, "bytes", launch.sharedRegions)},
  };
  if (launch.tensorColumns)
    rows.push_back({"tensor", regionsText(launch.tensorColumns, "columns", launch.tensorRegions)});
  if (const auto found = resources.find(launch.entry); found != resources.end())
    rows.push_back({"registers", std::to_string(found->second.registers) + " a thread, " +
                                     (found->second.stackBytes
                                          ? std::to_string(found->second.stackBytes) + " bytes of stack"
                                          : "no stack")});
  rows.push_back({"parameters", joined(parameters)});
  return rows;
}

static std::string variantText(const KernelAbi &kernel, size_t index, const CubinResources &resources,
                               RecordDetail detail) {
  const AbiVariant &variant = kernel.variants[index];
  std::vector<std::string> conditions;
  if (!variant.when.empty()) conditions.push_back(variant.when.text());
  for (const AbiAlignment &alignment : variant.alignments)
    conditions.push_back(alignment.argument + " aligned to " + std::to_string(alignment.bytes));
  std::vector<Row> rows = {{"tile", variant.tile.empty() ? "none" : variant.tile},
                           {"when", conditions.empty() ? "always" : joined(conditions)}};
  if (detail == RecordDetail::Short)
    return "  variant " + std::to_string(index) + ": entry " + variant.entry + "\n" + table(rows, "    ");
  const std::vector<Row> first = launchRows(variant, kernel, resources);
  rows.insert(rows.end(), first.begin(), first.end());
  std::string text =
      "  variant " + std::to_string(index) + ": entry " + variant.entry + "\n" + table(rows, "    ");
  for (const AbiLaunch &launch : variant.following)
    text += "    then entry " + launch.entry + "\n" + table(launchRows(launch, kernel, resources), "      ");
  return text;
}

static std::string workText(const AbiWork &work) {
  std::string text = "  work       reads " + (work.bytesRead.empty() ? "0" : work.bytesRead.text()) +
                     " bytes, writes " + (work.bytesWritten.empty() ? "0" : work.bytesWritten.text());
  if (!work.multiplyAdds.empty()) text += "; " + work.multiplyAdds.text() + " multiply-adds of " + work.kind;
  return text + "\n";
}

/// A region is an epilogue where it follows a product, else it comes before what is quantized.
static const char *regionText(const KernelAbi &kernel) {
  return kernel.work.multiplyAdds.empty() ? "with a prologue" : "with an epilogue";
}

static std::string kernelText(const KernelAbi &kernel, const CubinResources &resources, RecordDetail detail) {
  std::vector<std::string> attributes;
  for (const auto &[name, value] : kernel.operation.attributes)
    attributes.push_back(name + " = " + value);
  if (kernel.operation.hasPrologue) attributes.push_back(regionText(kernel));
  std::string dimensions = kernel.dimensions.empty() ? "" : " (dimensions " + joined(kernel.dimensions) + ")";
  std::string text = "\nkernel " + kernel.name + dimensions + "\n  operation " + kernel.operation.name +
                     (attributes.empty() ? "" : ": " + joined(attributes)) + "\n" +
                     (detail == RecordDetail::All ? workText(kernel.work) : "") + "  arguments\n";
  std::vector<Row> rows;
  for (const AbiArgument &argument : kernel.arguments)
    if (detail == RecordDetail::All || argument.kind != ArgumentKind::Workspace)
      rows.push_back(argumentRow(argument));
  text += table(rows, "    ");
  for (size_t i = 0; i < kernel.variants.size(); ++i)
    text += variantText(kernel, i, resources, detail);
  return text;
}

std::string recordText(const ModuleAbi &record, const CubinResources &resources, RecordDetail detail) {
  std::string text = "target " + record.target + ", compiled by mxc " + record.compilerVersion +
                     ", numerics version " + std::to_string(record.numericsVersion) + "\n";
  for (const KernelAbi &kernel : record.kernels)
    text += kernelText(kernel, resources, detail);
  return text;
}

} // namespace mxc
