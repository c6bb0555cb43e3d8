#include "tests/end-to-end/CheckedRun.h"

#include "compiler/Compiler.h"
#include "compiler/targets/Target.h"
#include "runtime/ArgumentShapes.h"
#include "tests/end-to-end/MatrixData.h"

#include <mutex>

using namespace mxc;

const Device &testDevice() {
  static const Device device = openDevice("cuda:0");
  return device;
}

static std::string targetOf(const Device &device) {
  for (const std::string &target : device.targetsAccepted())
    if (targetNamed(target)) return target;
  throw Error(ErrorKind::Device, "mxc compiles for no target of " + device.model());
}

static std::string imageOf(const std::string &source, const std::string &tile) {
  CompileOptions options;
  options.targets = {targetOf(testDevice())};
  options.tile = tile;
  try {
    return compile(source, "kernel", options).output;
  } catch (const Error &error) {
    if (error.kind() != ErrorKind::Device) throw;
    options.stage = Stage::Ptx;
    return compile(source, "kernel", options).output;
  }
}

Module compileForDevice(const std::string &source, const std::string &tile) {
  std::string image = imageOf(source, tile);
  return Module::fromImage(testDevice(), std::as_bytes(std::span(image)));
}

std::future<Module> compileInBackground(std::string source, std::string tile) {
  testDevice(); // made on the first thread
  return std::async(std::launch::async, [source, tile] { return compileForDevice(source, tile); });
}

namespace {

/// The tensors of one launch.
struct DeviceTensors {
  DeviceTensors(const Kernel &kernel, const RunCase &run) {
    for (const AbiArgument &argument : kernel.abi().arguments) {
      auto placement = run.placements.find(argument.name);
      GuardedTensor &tensor = tensors.emplace_back(
          testDevice(), argument.type, argumentShape(kernel.abi(), argument, run.dimensions),
          placement == run.placements.end() ? Placement{} : placement->second);
      if (!argument.isOutput) tensor.upload(run.inputs.find(argument.name)->second);
      arguments.push_back({argument.name, tensor.view()});
    }
  }
  std::vector<GuardedTensor> tensors; // in the ABI's order
  Arguments arguments;
};

std::string describe(const std::vector<OutputComparison> &outputs) {
  std::string text;
  for (const OutputComparison &output : outputs) {
    if (!output.wrong) continue;
    text += output.name + ": " + std::to_string(output.wrong) + " of " + std::to_string(output.elements) +
            " wrong";
    for (const std::string &first : output.firstWrong)
      text += "\n  " + first;
    text += "\n";
  }
  return text;
}

} // namespace

RunOutcome runChecked(const Kernel &kernel, const RunCase &run) {
  DeviceTensors device(kernel, run);
  PreparedLaunch launch = kernel.prepare(device.arguments, run.options);
  Stream stream(testDevice());
  launch.launch(stream);
  stream.synchronize();
  RunOutcome outcome;
  outcome.tile = launch.plan().variant->tile;
  const KernelAbi &abi = kernel.abi();
  for (size_t i = 0; i < abi.arguments.size(); ++i) {
    if (auto place = device.tensors[i].firstDamage())
      outcome.failure +=
          "wrote outside of " + abi.arguments[i].name + " at byte " + std::to_string(*place) + "\n";
    if (abi.arguments[i].isOutput) outcome.outputs[abi.arguments[i].name] = device.tensors[i].download();
  }
  KernelReference reference = referenceOf(abi, run.dimensions, run.inputs, run.prologue);
  HostTensors found(outcome.outputs.begin(), outcome.outputs.end());
  outcome.failure += describe(compareOutputs(abi, run.dimensions, reference, found));
  return outcome;
}

std::string text(Shape shape) { return std::to_string(shape.rows) + "x" + std::to_string(shape.columns); }

/// The data of one type and shape, kept: the matrix of kernels asks for it again and again.
static std::span<const std::byte> dataOf(const std::string &type, Shape shape) {
  static std::map<std::string, std::vector<std::byte>> kept;
  auto [entry, isNew] = kept.try_emplace(type + text(shape));
  if (isNew)
    entry->second = matrixData(floatTypeNamed(type), shape.rows, shape.columns,
                               static_cast<uint64_t>(shape.rows * 31 + shape.columns));
  return entry->second;
}

std::string checkQuantize(const Kernel &kernel, Shape shape, const std::string &expectedTile,
                          std::map<std::string, Placement> placements) {
  RunCase run;
  const AbiArgument &x = argumentOf(kernel.abi(), "x");
  run.inputs["x"] = dataOf(x.type, shape);
  for (const std::string &dimension : kernel.abi().dimensions)
    run.dimensions[dimension] = dimension == "M" ? shape.rows : shape.columns;
  run.placements = std::move(placements);
  RunOutcome outcome = runChecked(kernel, run);
  if (outcome.tile.find(expectedTile) == std::string::npos)
    outcome.failure += "expected a tile with " + expectedTile + ", launched " + outcome.tile + "\n";
  if (outcome.failure.empty()) return {};
  std::string rule;
  for (const auto &[name, value] : kernel.abi().operation.attributes)
    rule += " " + name + "=" + value;
  return text(shape) + " " + x.type + rule + " <" + outcome.tile + ">\n" + outcome.failure;
}
