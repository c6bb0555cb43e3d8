// mxc layout --convert: the scales in a safetensors file, from one layout to another.
#include "dialect/formats/Error.h"
#include "dialect/formats/ScaleFormat.h"
#include "dialect/formats/ScaleLayout.h"
#include "runtime/device/TensorView.h"
#include "runtime/files/Safetensors.h"
#include "tools/mxc/Commands.h"
#include "tools/mxc/Messages.h"
#include "tools/mxc/NameList.h"
#include "tools/mxc/OutputFile.h"
#include "tools/mxc/ShapeText.h"

#include <stdexcept>

namespace mxc {

static Error invalid(const std::string &message) { return Error(ErrorKind::InvalidInput, message); }
static Error usage(const std::string &message) {
  return Error(ErrorKind::Usage, "mxc layout --convert: " + message);
}

static ScaleLayout layoutNamed(const std::string &text) {
  if (auto layout = scaleLayoutNamed(text)) return *layout;
  std::string known;
  for (const ScaleLayoutInfo &layout : scaleLayouts())
    known += (known.empty() ? "" : ", ") + std::string(layout.name);
  throw usage("expected FROM:TO of " + known + ", found the layout '" + text + "'");
}

/// Bits of a scale: of a format of scales, or bytes that do not say which.
static int bitsOf(const Tensor &tensor, const std::string &where) {
  if (tensor.dtype == "U8") return 8;
  std::string known = "U8";
  for (const ScaleFormatInfo &format : scaleFormats()) {
    if (format.safetensorsType == tensor.dtype) return format.bits;
    known += " or " + std::string(format.safetensorsType);
  }
  throw invalid(where + "scales are " + known + ", found " + tensor.dtype);
}

static std::vector<int64_t> storageOf(ScaleLayout layout, MatrixShape matrix) {
  std::vector<int64_t> shape = {matrix.rows, matrix.columns};
  shape.resize(storageShape(layout, shape));
  return shape;
}

/// The shape [rows, blocks] of what is converted, and that the tensor has it.
static MatrixShape shapeOf(const Tensor &tensor, ScaleLayout layout, const std::string &given,
                           const std::string &file) {
  std::string where = file + ": tensor '" + tensor.name + "': ";
  if (layout == ScaleLayout::Dense) {
    if (tensor.shape.size() != 2)
      throw invalid(where + "dense scales have shape [rows, blocks], found " + shapeText(tensor.shape));
    MatrixShape shape{tensor.shape[0], tensor.shape[1]};
    if (given.empty()) return shape;
    MatrixShape expected = parseMatrixShape(given, "M", "KB");
    if (expected.rows != shape.rows || expected.columns != shape.columns)
      throw invalid(where + "expected shape " + shapeText(std::vector{expected.rows, expected.columns}) +
                    " (--shape), found " + shapeText(tensor.shape));
    return shape;
  }
  if (given.empty())
    throw usage("whole padded tiles do not say how many scales they hold: add --shape M=ROWS,KB=BLOCKS");
  MatrixShape shape = parseMatrixShape(given, "M", "KB");
  const std::string matrix = std::to_string(shape.rows) + " x " + std::to_string(shape.columns);
  const std::vector<int64_t> expected = storageOf(layout, shape);
  if (tensor.shape != expected)
    throw invalid(where + "expected shape " + shapeText(expected) + " (" + storageText(layout, matrix) +
                  "), found " + shapeText(tensor.shape));
  return shape;
}

void convertLayout(const LayoutCommand &command) {
  size_t colon = command.convert.find(':');
  ScaleLayout from = layoutNamed(command.convert.substr(0, colon));
  ScaleLayout to = layoutNamed(colon == std::string::npos ? "" : command.convert.substr(colon + 1));
  if (from == to) throw usage("expected two different layouts, found " + command.convert);
  if (command.input.empty() || command.output.empty() || command.tensor.empty())
    throw usage("it needs --input FILE, --output FILE and --name TENSOR");
  checkNotInput(command.output, command.input);
  TensorFile file = TensorFile::read(command.input);
  const Tensor *tensor = file.find(command.tensor);
  if (!tensor)
    throw invalid(command.input + ": no tensor '" + command.tensor + "'; the file holds " +
                  nameList(file.names()));
  try {
    const int bits = bitsOf(*tensor, command.input + ": tensor '" + tensor->name + "': ");
    for (ScaleLayout layout : {from, to})
      if (!info(layout).takes(bits))
        throw usage("the layout " + std::string(name(layout)) + " is for scales of " +
                    std::to_string(info(layout).scaleBits) + " bits, found " + tensor->dtype);
    MatrixShape shape = shapeOf(*tensor, from, command.shape, command.input);
    const int64_t scales = scaleCount(to, shape.rows, shape.columns);
    std::vector<uint8_t> converted(static_cast<size_t>(scales * bits / 8));
    convertScales(from, reinterpret_cast<const uint8_t *>(tensor->data.data()), to, converted.data(),
                  shape.rows, shape.columns, bits / 8);
    std::vector<Tensor> tensors;
    std::string line;
    for (const auto &[name, kept] : file.tensors())
      tensors.push_back(kept);
    for (Tensor &each : tensors) {
      if (each.name != command.tensor) continue;
      each.data = std::as_bytes(std::span(converted));
      each.shape = storageOf(to, shape);
      line = printable(command.output + ": " + each.name + " " + shapeText(each.shape)) + "\n";
    }
    writeTensorFile(command.output, tensors, file.metadata());
    writeOutput("-", line);
  } catch (const std::overflow_error &error) {
    throw invalid(error.what());
  }
}

} // namespace mxc
