#include "tools/mxc/RecordText.h"

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

static std::string strideText(const AbiArgument &argument) {
  if (argument.layout == ArgumentLayout::ScaleDense) return "dense scales";
  if (argument.layout == ArgumentLayout::ScaleTcgen05) return "tcgen05 scales, whole 512-byte tiles";
  if (!argument.rowStride) return "contiguous rows";
  return argument.rowStride->empty() ? "row stride given at launch" : "row stride " + *argument.rowStride;
}

static Row argumentRow(const AbiArgument &argument) {
  return {argument.isOutput ? "out" : "in",
          argument.name,
          argument.type,
          "[" + argument.rows + ", " + argument.columns + "]",
          strideText(argument),
          "aligned to " + std::to_string(argument.alignment)};
}

static std::string extents(const uint32_t (&sizes)[3]) {
  return "(" + std::to_string(sizes[0]) + ", " + std::to_string(sizes[1]) + ", " + std::to_string(sizes[2]) +
         ")";
}

static std::string parameterText(const AbiParameter &parameter) {
  switch (parameter.kind) {
  case AbiParameter::Kind::Pointer:
    return "address of " + parameter.name;
  case AbiParameter::Kind::RowStride:
    return "row stride of " + parameter.name;
  case AbiParameter::Kind::Dimension:
    return parameter.name;
  case AbiParameter::Kind::TensorMap: {
    std::vector<std::string> box;
    for (uint32_t size : parameter.tensorMap.box)
      box.push_back(std::to_string(size));
    std::string swizzle = parameter.tensorMap.swizzleBytes
                              ? ", swizzle " + std::to_string(parameter.tensorMap.swizzleBytes) + " bytes"
                              : "";
    return "tensor map of " + parameter.tensorMap.argument + " (box " + joined(box, " x ") + swizzle + ")";
  }
  }
  return parameter.name;
}

static std::string variantText(const AbiVariant &variant, size_t index) {
  std::vector<std::string> conditions, parameters;
  if (!variant.when.empty()) conditions.push_back(variant.when);
  for (const AbiAlignment &alignment : variant.alignments)
    conditions.push_back(alignment.argument + " aligned to " + std::to_string(alignment.bytes));
  for (const AbiParameter &parameter : variant.parameters)
    parameters.push_back(parameterText(parameter));
  std::vector<Row> rows = {
      {"tile", variant.tile.empty() ? "none" : variant.tile},
      {"when", conditions.empty() ? "always" : joined(conditions)},
      {"grid", "(" + variant.grid[0] + ", " + variant.grid[1] + ", " + variant.grid[2] + ")"},
      {"block", extents(variant.block)},
      {"cluster", extents(variant.cluster)},
      {"shared", std::to_string(variant.sharedBytes) + " bytes"},
      {"parameters", joined(parameters)},
  };
  return "  variant " + std::to_string(index) + ": entry " + variant.entry + "\n" + table(rows, "    ");
}

static std::string kernelText(const KernelAbi &kernel) {
  std::vector<std::string> attributes;
  for (const auto &[name, value] : kernel.operation.attributes)
    attributes.push_back(name + " = " + value);
  if (kernel.operation.hasPrologue) attributes.push_back("with a prologue");
  std::string dimensions = kernel.dimensions.empty() ? "" : " (dimensions " + joined(kernel.dimensions) + ")";
  std::string text = "\nkernel " + kernel.name + dimensions + "\n  operation " + kernel.operation.name +
                     (attributes.empty() ? "" : ": " + joined(attributes)) + "\n  arguments\n";
  std::vector<Row> rows;
  for (const AbiArgument &argument : kernel.arguments)
    rows.push_back(argumentRow(argument));
  text += table(rows, "    ");
  for (size_t i = 0; i < kernel.variants.size(); ++i)
    text += variantText(kernel.variants[i], i);
  return text;
}

std::string recordText(const ModuleAbi &record) {
  std::string text = "target " + record.target + ", compiled by mxc " + record.compilerVersion +
                     ", numerics version " + std::to_string(record.numericsVersion) + "\n";
  for (const KernelAbi &kernel : record.kernels)
    text += kernelText(kernel);
  return text;
}

} // namespace mxc
