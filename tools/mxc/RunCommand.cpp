// mxc run
#include "compiler/reference/OutputComparison.h"
#include "compiler/targets/Target.h"
#include "runtime/device/DeviceName.h"
#include "runtime/device/Stream.h"
#include "runtime/environment/HostMemory.h"
#include "runtime/launch/GuardedArguments.h"
#include "runtime/launch/Kernel.h"
#include "runtime/simulator/driver/Control.h"
#include "tools/mxc/Commands.h"
#include "tools/mxc/KernelFile.h"
#include "tools/mxc/Messages.h"
#include "tools/mxc/OutputFile.h"
#include "tools/mxc/RunInputs.h"
#include "tools/mxc/ShapeText.h"
#include "tools/mxc/TimelineNames.h"
#include "tools/mxc/VerificationReport.h"

#include <cstdio>

namespace mxc {

namespace {

/// Launches once and waits. Returns a line that says what ran.
std::string launch(const Kernel &kernel, const Arguments &arguments, const LaunchOptions &options) {
  const Device &device = kernel.module().device();
  PreparedLaunch prepared = kernel.prepare(arguments, options);
  if (DeviceName name = parseDeviceName(device.name()); name.kind == DeviceName::Kind::Simulator) {
    sim::Options simulator = sim::simulatorOptions(name.target);
    if (!simulator.timelineFile.empty()) nameParts(*prepared.plan().variant, simulator);
    sim::setSimulatorOptions(name.target, simulator);
  }
  Stream stream(device);
  prepared.launch(stream);
  stream.synchronize();
  const LaunchPlan &plan = prepared.plan();
  auto extents = [](const std::array<uint32_t, 3> &sizes) {
    return "(" + std::to_string(sizes[0]) + ", " + std::to_string(sizes[1]) + ", " +
           std::to_string(sizes[2]) + ")";
  };
  return kernel.abi().name + ": entry " + plan.variant->entry +
         (plan.variant->tile.empty() ? "" : ", tile " + plan.variant->tile) + ", grid " + extents(plan.grid) +
         (plan.isEmpty() ? " (nothing to launch)" : "") + ", block " + extents(plan.block) + ", on " +
         device.name() + " (" + device.model() + ")";
}

void write(const std::string &path, const KernelAbi &kernel, const Dimensions &dimensions,
           const GuardedArguments::Outputs &results) {
  std::vector<Tensor> tensors;
  for (const AbiArgument &argument : kernel.arguments)
    if (argument.isOutput)
      tensors.push_back({argument.name, safetensorsTypeOf(argument),
                         argumentShape(kernel, argument, dimensions), results.find(argument.name)->second});
  writeTensorFile(path, tensors);
}

/// Of the largest output.
uint64_t resultElements(const KernelAbi &kernel, const Dimensions &dimensions) {
  uint64_t largest = 0;
  for (const AbiArgument &argument : kernel.arguments) {
    if (!argument.isOutput) continue;
    uint64_t elements = 1;
    for (int64_t extent : argumentShape(kernel, argument, dimensions))
      elements *= uint64_t(extent);
    largest = std::max(largest, elements);
  }
  return largest;
}

/// The host holds a tensor several times: what is sent, what comes back, what it is compared with.
void requireHostMemory(const KernelAbi &kernel, const Dimensions &dimensions) {
  constexpr uint64_t kTimes = 4;
  uint64_t left = hostMemoryBudget() / kTimes;
  for (const AbiArgument &argument : kernel.arguments) {
    if (!argument.isTensor()) continue;
    const uint64_t bytes =
        uint64_t(extentBytes({0, argument.type, argumentShape(kernel, argument, dimensions), {}}));
    if (bytes > left)
      throw Error(
          ErrorKind::InvalidInput,
          "argument '" + argument.name + "' of kernel '" + kernel.name + "' has " + std::to_string(bytes) +
              " bytes: with the others they take more of the host's memory than the budget (MXC_MEMORY)");
    left -= bytes;
  }
}

/// What the command line says of a simulator goes before what the environment says.
void setSimulator(const RunCommand &command, const DeviceName &name) {
  bool isSet = !command.schedule.empty() || !command.checks.empty() || !command.tensor.empty() ||
               !command.stats.empty() || !command.timeline.empty() || !command.features.empty();
  const bool isSimulator = name.kind == DeviceName::Kind::Simulator;
  if (isSimulator) sim::keepSimulatorFileFailures(name.target); // they are errors of the command
  if (!isSet && !(isSimulator && command.pdl)) return;
  if (!isSimulator)
    throw Error(ErrorKind::Usage, "--schedule, --checks, --tensor, --stats, --timeline and --features are a "
                                  "simulator's, but the device is " +
                                      command.device);
  sim::Options options = sim::simulatorOptions(name.target);
  if (!command.schedule.empty()) options.schedule = sim::scheduleNamed(command.schedule);
  if (!command.checks.empty()) sim::setChecks(options, command.checks);
  if (!command.tensor.empty()) options.tensorArithmetic = sim::tensorArithmeticNamed(command.tensor);
  options.collectStatistics = !command.stats.empty();
  if (!command.timeline.empty()) options.timelineFile = command.timeline;
  if (!command.timelineWindow.empty())
    options.timelineWindow = sim::timelineWindowNamed(command.timelineWindow);
  if (!command.features.empty()) options.featuresFile = command.features;
  options.isBehindGrid = command.pdl; // its inputs stand for what a kernel in front wrote
  sim::setSimulatorOptions(name.target, options);
}

/// Those that the device may turn out to have, the most likely first.
std::vector<std::string> targetsOf(const DeviceName &device) {
  std::vector<std::string> targets;
  for (const Target *target : allTargets())
    if (device.kind != DeviceName::Kind::Simulator || !targetNamed(device.target) ||
        target->name == device.target)
      targets.emplace_back(target->name);
  return targets;
}

} // namespace

void runKernel(const RunCommand &command) {
  if (command.output.empty() && !command.verify && command.stats.empty() && command.timeline.empty() &&
      command.features.empty())
    throw Error(ErrorKind::Usage, "nothing would remain of the run: add --output FILE, --verify, or both");
  if (!command.stats.empty() && command.stats != "text" && command.stats != "json")
    throw Error(ErrorKind::Usage, "--stats: expected text or json, found '" + command.stats + "'");
  if (command.output == "-")
    throw Error(ErrorKind::Usage, "--output: expected a file, found -: standard output has the report");
  parseDeviceName(command.device);
  std::vector<std::string> sources = command.inputs;
  sources.push_back(command.kernelFile);
  checkOutputs({command.output, command.timeline, command.features}, sources);
  for (const std::string &shape : command.shapes)
    checkShapeForm(shape);
  Arguments scalars = parseScalars(command.scalars);

  // Everything that needs no device comes first.
  KernelFile file = KernelFile::read(command.kernelFile, command.tile);
  KernelAbi abi = file.abi(command.kernel, targetsOf(parseDeviceName(command.device)));
  const Dimensions given = parsePartOfShape(command.shapes, abi.dimensions, "kernel '" + abi.name + "'");
  const std::vector<InputFile> files = readInputFiles(command.inputs);
  RunInputs inputs = RunInputs::bind(abi, files, given, scalars);
  requireHostMemory(abi, inputs.dimensions);
  std::optional<Prologue> prologue;
  if (command.verify && abi.operation.hasPrologue) {
    if (file.isImage())
      throw Error(ErrorKind::InvalidInput,
                  command.kernelFile + ": kernel '" + abi.name +
                      "' has a region, which an image "
                      "does not carry as source: give the .mlir file to --verify it");
    prologue = file.prologue(abi.name)->withScalars(inputs.scalarValues());
  }
  std::optional<KernelReference> reference;
  if (command.verify)
    reference = referenceOf(abi, inputs.dimensions, inputs.tensors, prologue ? &*prologue : nullptr);

  DeviceName name = parseDeviceName(command.device);
  setSimulator(command, name);
  Device device = openDevice(command.device);
  Kernel kernel = file.load(device, !command.noCache, !command.noTuning).kernel(abi.name);
  LaunchOptions options;
  options.pdl = command.pdl;
  options.dimensions = inputs.dimensions;
  if (command.entry) options.variant = *command.entry;
  GuardedArguments tensors(kernel, inputs.dimensions, inputs.tensors, inputs.scalars);
  if (name.kind == DeviceName::Kind::Simulator)
    for (const Argument &argument : tensors.arguments())
      if (std::ranges::any_of(abi.arguments, [&](const AbiArgument &of) {
            return of.isConstant && of.name == argument.name;
          }))
        sim::holdConstant(name.target, argument.view.address);
  if (reference)
    for (const auto &[output, expected] : reference->outputs)
      tensors.poisonAgainst(output, std::as_bytes(std::span(expected)), reference->untouchedOf(output));
  std::printf("%s\n", printable(launch(kernel, tensors.arguments(), options)).c_str());
  if (name.kind == DeviceName::Kind::Simulator)
    if (const std::string failure = sim::takeSimulatorFileFailure(name.target); !failure.empty())
      throw Error(ErrorKind::InvalidInput, failure);
  if (!command.stats.empty()) {
    sim::Statistics statistics = sim::takeSimulatorStatistics(name.target);
    uint64_t elements = resultElements(kernel.abi(), inputs.dimensions);
    std::printf("%s",
                (command.stats == "text" ? statistics.text(elements) : statistics.json(elements)).c_str());
  }
  std::fflush(stdout); // before what the checks say on standard error
  if (std::optional<std::string> damage = tensors.damage())
    throw Error(ErrorKind::InvalidInput, "kernel '" + abi.name + "' " + *damage);
  GuardedArguments::Outputs results = tensors.outputs();
  if (!command.output.empty()) write(command.output, kernel.abi(), inputs.dimensions, results);
  if (!reference) return;
  HostTensors found(results.begin(), results.end());
  std::printf("%s\n", verificationReport(compareOutputs(abi, inputs.dimensions, *reference, found),
                                         reference->tolerance)
                          .c_str());
}

} // namespace mxc
