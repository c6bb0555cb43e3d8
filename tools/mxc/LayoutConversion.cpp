// mxc layout --convert: the scales in a safetensors file, from one layout to the other.
#include "dialect/formats/Error.h"
#include "dialect/formats/ScaleLayout.h"
#include "runtime/device/TensorView.h"
#include "runtime/files/Safetensors.h"
#include "tools/mxc/Commands.h"
#include "tools/mxc/MatrixShape.h"
#include "tools/mxc/Messages.h"
#include "tools/mxc/NameList.h"
#include "tools/mxc/OutputFile.h"

#include <stdexcept>

namespace mxc {

static Error invalid(const std::string &message) { return Error(ErrorKind::InvalidInput, message); }
static Error usage(const std::string &message) {
  return Error(ErrorKind::Usage, "mxc layout --convert: " + message);
}

static ScaleLayout layoutNamed(const std::string &text) {
  if (auto layout = scaleLayoutNamed(text)) return *layout;
  throw usage("expected dense:tcgen05 or tcgen05:dense, found the layout '" + text + "'");
}

/// The shape [rows, blocks] of what is converted, and that the tensor has it.
static MatrixShape shapeOf(const Tensor &tensor, ScaleLayout layout, const std::string &given,
                           const std::string &file) {
  std::string where = file + ": tensor '" + tensor.name + "': ";
  if (tensor.dtype != "U8" && tensor.dtype != "F8_E8M0")
    throw invalid(where + "scales are U8 or F8_E8M0, found " + tensor.dtype);
  if (layout == ScaleLayout::Dense) {
    if (tensor.shape.size() != 2)
      throw invalid(where + "dense scales have shape [rows, blocks], found " + shapeText(tensor.shape));
    MatrixShape shape{tensor.shape[0], tensor.shape[1]};
    if (given.empty()) return shape;
    MatrixShape expected = parseMatrixShape(given);
    if (expected.rows != shape.rows || expected.columns != shape.columns)
      throw invalid(where + "expected shape " + shapeText(std::vector{expected.rows, expected.columns}) +
                    " (--shape), found " + shapeText(tensor.shape));
    return shape;
  }
  if (given.empty())
    throw usage("whole padded tiles do not say how many scales they hold: add --shape ROWSxBLOCKS");
  MatrixShape shape = parseMatrixShape(given);
  std::vector<int64_t> expected = {scaleBytes(layout, shape.rows, shape.columns)};
  if (tensor.shape != expected)
    throw invalid(where + "expected shape " + shapeText(expected) + " (whole 512-byte tiles of " +
                  std::to_string(shape.rows) + " x " + std::to_string(shape.columns) + " scales), found " +
                  shapeText(tensor.shape));
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
    MatrixShape shape = shapeOf(*tensor, from, command.shape, command.input);
    std::vector<uint8_t> converted(static_cast<size_t>(scaleBytes(to, shape.rows, shape.columns)));
    convertScales(from, reinterpret_cast<const uint8_t *>(tensor->data.data()), to, converted.data(),
                  shape.rows, shape.columns);
    std::vector<Tensor> tensors;
    std::string line;
    for (const auto &[name, kept] : file.tensors())
      tensors.push_back(kept);
    for (Tensor &each : tensors) {
      if (each.name != command.tensor) continue;
      each.data = std::as_bytes(std::span(converted));
      each.shape = {shape.rows, shape.columns};
      if (to == ScaleLayout::Tcgen05) each.shape = {static_cast<int64_t>(converted.size())};
      line = printable(command.output + ": " + each.name + " " + shapeText(each.shape)) + "\n";
    }
    writeTensorFile(command.output, tensors, file.metadata());
    writeOutput("-", line);
  } catch (const std::overflow_error &error) {
    throw invalid(error.what());
  }
}

} // namespace mxc
