// mxc run
#include "compiler/reference/OutputComparison.h"
#include "runtime/DeviceName.h"
#include "runtime/Kernel.h"
#include "runtime/Stream.h"
#include "runtime/simulator/driver/SimulatorDriver.h"
#include "tools/mxc/Commands.h"
#include "tools/mxc/GuardedTensor.h"
#include "tools/mxc/KernelFile.h"
#include "tools/mxc/Messages.h"
#include "tools/mxc/OutputFile.h"
#include "tools/mxc/RunInputs.h"
#include "tools/mxc/VerificationReport.h"

#include <cstdio>

namespace mxc {

namespace {

/// A kernel's results on the host, by argument.
using Results = std::map<std::string, std::vector<std::byte>, std::less<>>;

/// One kernel with its tensors on a device.
class DeviceRun {
public:
  DeviceRun(const Kernel &kernel, const RunInputs &inputs) : kernel_(kernel) {
    const Device &device = kernel.module().device();
    for (const AbiArgument &argument : kernel.abi().arguments) {
      Placement placement;
      if (argument.rowStride && !argument.rowStride->empty())
        placement.rowStride = evaluateShape(*argument.rowStride, inputs.dimensions);
      auto &tensor = tensors_.emplace_back(
          argument.name, GuardedTensor(device, argument.type,
                                       argumentShape(kernel.abi(), argument, inputs.dimensions), placement));
      if (!argument.isOutput) tensor.second.upload(inputs.tensors.find(argument.name)->second);
      arguments_.push_back({argument.name, tensor.second.view()});
    }
  }

  /// Launches once and waits. Returns a line that says what ran.
  std::string launch(const LaunchOptions &options) {
    const Device &device = kernel_.module().device();
    PreparedLaunch prepared = kernel_.prepare(arguments_, options);
    Stream stream(device);
    prepared.launch(stream);
    stream.synchronize();
    const LaunchPlan &plan = prepared.plan();
    auto extents = [](const std::array<uint32_t, 3> &sizes) {
      return "(" + std::to_string(sizes[0]) + ", " + std::to_string(sizes[1]) + ", " +
             std::to_string(sizes[2]) + ")";
    };
    return kernel_.abi().name + ": entry " + plan.variant->entry +
           (plan.variant->tile.empty() ? "" : ", tile <" + plan.variant->tile + ">") + ", grid " +
           extents(plan.grid) + (plan.isEmpty() ? " (nothing to launch)" : "") + ", block " +
           extents(plan.block) + ", on " + device.name() + " (" + device.model() + ")";
  }

  /// The outputs, after a look at what surrounds every tensor.
  Results results() const {
    Results results;
    for (size_t i = 0; i < tensors_.size(); ++i) {
      const auto &[name, tensor] = tensors_[i];
      if (std::optional<int64_t> place = tensor.firstDamage())
        throw Error(ErrorKind::InvalidInput, "kernel '" + kernel_.abi().name + "' wrote outside of '" + name +
                                                 "': byte " + std::to_string(*place) +
                                                 " from its start is no longer what it was");
      if (kernel_.abi().arguments[i].isOutput) results[name] = tensor.download();
    }
    return results;
  }

private:
  const Kernel &kernel_;
  std::vector<std::pair<std::string, GuardedTensor>> tensors_; // in the ABI's order
  Arguments arguments_;
};

void write(const std::string &path, const KernelAbi &kernel, const Dimensions &dimensions,
           const Results &results) {
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

/// What the command line says of a simulator goes before what the environment says.
void setSimulator(const RunCommand &command, const DeviceName &name) {
  bool isSet = !command.schedule.empty() || !command.checks.empty() || !command.tensor.empty() ||
               !command.stats.empty();
  if (!isSet) return;
  if (name.kind != DeviceName::Kind::Simulator)
    throw Error(ErrorKind::Usage,
                "--schedule, --checks, --tensor and --stats are a simulator's, but the device is " +
                    command.device);
  sim::Options options = sim::simulatorOptions(name.target);
  if (!command.schedule.empty()) options.schedule = sim::scheduleNamed(command.schedule);
  if (!command.checks.empty()) options.checks = sim::checksNamed(command.checks);
  if (!command.tensor.empty()) options.tensorArithmetic = sim::tensorArithmeticNamed(command.tensor);
  options.collectStatistics = !command.stats.empty();
  sim::setSimulatorOptions(name.target, options);
}

} // namespace

void runKernel(const RunCommand &command) {
  if (command.output.empty() && !command.verify)
    throw Error(ErrorKind::Usage, "nothing would remain of the run: add --output FILE, --verify, or both");
  if (!command.stats.empty() && command.stats != "text" && command.stats != "json")
    throw Error(ErrorKind::Usage, "--stats: expected text or json, found '" + command.stats + "'");
  parseDeviceName(command.device);
  if (!command.output.empty()) {
    checkNotInput(command.output, command.input);
    checkNotInput(command.output, command.kernelFile);
  }
  Dimensions given = parseDimensions(command.dimensions);

  // Everything that needs no device comes first.
  KernelFile file = KernelFile::read(command.kernelFile, command.tile);
  KernelAbi abi = file.abi(command.kernel);
  TensorFile tensors = TensorFile::read(command.input);
  RunInputs inputs = RunInputs::bind(abi, tensors, command.input, given);
  std::optional<Prologue> prologue;
  if (command.verify && abi.operation.hasPrologue) {
    if (file.isImage())
      throw Error(ErrorKind::InvalidInput,
                  command.kernelFile + ": kernel '" + abi.name +
                      "' has a prologue, which an image "
                      "does not carry as source: give the .mlir file to --verify it");
    prologue = file.prologue(abi.name);
  }

  DeviceName name = parseDeviceName(command.device);
  setSimulator(command, name);
  Device device = openDevice(command.device);
  Kernel kernel = file.load(device).kernel(abi.name);
  LaunchOptions options;
  options.pdl = command.pdl;
  if (command.entry) options.variant = *command.entry;
  DeviceRun run(kernel, inputs);
  std::printf("%s\n", printable(run.launch(options)).c_str());
  if (!command.stats.empty()) {
    sim::Statistics statistics = sim::takeSimulatorStatistics(name.target);
    uint64_t elements = resultElements(kernel.abi(), inputs.dimensions);
    std::printf("%s",
                (command.stats == "text" ? statistics.text(elements) : statistics.json(elements)).c_str());
  }
  std::fflush(stdout); // before what the checks say on standard error
  Results results = run.results();
  if (!command.output.empty()) write(command.output, kernel.abi(), inputs.dimensions, results);
  if (!command.verify) return;

  KernelReference reference =
      referenceOf(abi, inputs.dimensions, inputs.tensors, prologue ? &*prologue : nullptr);
  HostTensors found(results.begin(), results.end());
  std::printf("%s\n",
              verificationReport(compareOutputs(abi, inputs.dimensions, reference, found), reference.isExact)
                  .c_str());
}

} // namespace mxc
