#include "tests/end-to-end/CheckedRun.h"

#include "compiler/abi/CompiledKernel.h"
#include "runtime/jit/DeviceCompilation.h"
#include "runtime/launch/EntrySource.h"
#include "tests/end-to-end/MatrixData.h"

#include <bit>
#include <cstdlib>

using namespace mxc;

const Device &testDevice() {
  static const Device device = [] {
    const char *name = std::getenv("MXC_TEST_DEVICE");
    return openDevice(name && *name ? name : "cuda:0");
  }();
  return device;
}

bool isSimulated() { return !testDevice().driver().takesCubins; }
bool onWarpgroups() { return testDevice().computeCapability().major == 9; }
bool onWarps() { return testDevice().computeCapability().major == 12; }

bool isLeftToOthers(uint64_t number) { // in no order that a loop could have
  const bool isOdd = testDevice().computeCapability().major == 10;
  return isSimulated() && (std::popcount(number) % 2 == 1) != isOdd;
}

namespace {

/// Each entry is compiled when a launch first takes it: a kernel has several, of which a case launches few.
struct EntriesOnDemand : EntrySource {
  std::string source;
  CompileOptions options;

  std::string image(const std::string &entry) override {
    CompileOptions one = options;
    one.entry = entry;
    return compileFor(testDevice(), source, "kernel", one).output;
  }
};

} // namespace

Module compileForDevice(const std::string &source, const std::string &tile) {
  CompileOptions options;
  options.tile = tile;
  return compileForDevice(source, options);
}

Module compileForDevice(const std::string &source, const CompileOptions &options) {
  if (!isSimulated()) {
    std::string image = compileFor(testDevice(), source, "kernel", options).output;
    return Module::fromImage(testDevice(), std::as_bytes(std::span(image)));
  }
  auto entries = std::make_shared<EntriesOnDemand>();
  entries->source = source, entries->options = options;
  CompileOptions record = options;
  record.targets = {targetFor(testDevice())};
  record.stage = Stage::Ptx;
  return Module::fromEntries(testDevice(), abiFromJson(compileAbi(source, "kernel", record).output), "kernel",
                             std::move(entries));
}

std::future<Module> compileInBackground(std::string source, std::string tile) {
  testDevice(); // made on the first thread
  return std::async(std::launch::async, [source, tile] { return compileForDevice(source, tile); });
}

namespace {

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
  const KernelAbi &abi = kernel.abi();
  KernelReference reference = referenceOf(abi, run.dimensions, run.inputs, run.prologue);
  GuardedArguments tensors(kernel, run.dimensions, run.inputs, {}, run.placements);
  for (const auto &[output, expected] : reference.outputs)
    tensors.poisonAgainst(output, std::as_bytes(std::span(expected)), reference.untouchedOf(output));
  PreparedLaunch launch = kernel.prepare(tensors.arguments(), run.options);
  Stream stream(testDevice());
  launch.launch(stream);
  stream.synchronize();
  RunOutcome outcome;
  outcome.tile = launch.plan().variant->tile;
  if (std::optional<std::string> damage = tensors.damage()) outcome.failure += *damage + "\n";
  outcome.outputs = tensors.outputs();
  HostTensors found(outcome.outputs.begin(), outcome.outputs.end());
  outcome.failure += describe(compareOutputs(abi, run.dimensions, reference, found));
  return outcome;
}

/// What stands inside of "#mx.column_tile<load = bulk, ..>"; of other texts all.
static std::string membersOf(const std::string &tile) {
  const size_t open = tile.find('<');
  return open == std::string::npos ? tile : tile.substr(open + 1, tile.size() - open - 2);
}

std::string tileFailure(const std::string &launched, const std::string &tile) {
  const std::string members = ", " + membersOf(launched) + ",", expected = membersOf(tile);
  for (size_t at = 0, end; at < expected.size(); at = end + 2) {
    end = std::min(expected.find(", ", at), expected.size());
    std::string clause = expected.substr(at, end - at);
    if (members.find(", " + clause + ",") == std::string::npos)
      return "expected a tile with " + expected + ", launched " + launched + "\n";
  }
  return {};
}

std::string text(Shape shape) { return std::to_string(shape.rows) + "x" + std::to_string(shape.columns); }

std::vector<Shape> affordable(std::span<const Shape> shapes) {
  std::vector<Shape> affordable;
  for (Shape shape : shapes)
    if (!isSimulated() || shape.rows * shape.columns < 1'000'000) affordable.push_back(shape);
  return affordable;
}

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
                          GuardedArguments::Placements placements) {
  RunCase run;
  const AbiArgument &x = argumentOf(kernel.abi(), "x");
  run.inputs["x"] = dataOf(x.type, shape);
  for (const std::string &dimension : kernel.abi().dimensions)
    run.dimensions[dimension] = dimension == "M" ? shape.rows : shape.columns;
  run.placements = std::move(placements);
  RunOutcome outcome = runChecked(kernel, run);
  outcome.failure += tileFailure(outcome.tile, expectedTile);
  if (outcome.failure.empty()) return {};
  std::string rule;
  for (const auto &[name, value] : kernel.abi().operation.attributes)
    rule += " " + name + "=" + value;
  return text(shape) + " " + x.type + rule + " <" + outcome.tile + ">\n" + outcome.failure;
}
