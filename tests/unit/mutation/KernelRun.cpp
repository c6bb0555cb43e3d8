#include "tests/unit/mutation/KernelRun.h"

#include "runtime/device/Stream.h"
#include "runtime/measure/InputValues.h"
#include "tests/unit/mutation/Mutants.h"

#include <span>

using namespace mxc;

static std::vector<std::byte> inputOf(const AbiArgument &argument, const std::vector<int64_t> &shape,
                                      const std::vector<int32_t> &ends) {
  if (argument.role == ArgumentRole::Ends) {
    const auto bytes = std::as_bytes(std::span(ends));
    return {bytes.begin(), bytes.end()};
  }
  std::vector<std::byte> bytes(size_t(extentBytes({0, argument.type, shape, {}})));
  measure::fillInput(argument, uint64_t(argument.name.front()), bytes);
  return bytes;
}

KernelRun::KernelRun(std::string target, const std::string &ptx, const ProductShape &shape)
    : target_(std::move(target)), multiprocessors_(shape.multiprocessors) {
  const Device device = strictDevice(target_, {}, multiprocessors_);
  const Kernel kernel = kernelOf(device, ptx);
  const KernelAbi &abi = kernel.abi();
  const Dimensions given = {
      {"M", shape.m}, {"N", shape.n}, {"K", shape.k}, {"KB", shape.k / 32}, {"G", shape.groups()}};
  for (const std::string &name : abi.dimensions)
    dimensions_[name] = given.at(name);
  const std::vector<int32_t> &ends = shape.kEnds.empty() ? shape.rowEnds : shape.kEnds;
  for (const AbiArgument &argument : abi.arguments)
    if (argument.isTensor() && argument.isInput())
      inputs_[argument.name] = inputOf(argument, argumentShape(abi, argument, dimensions_), ends);
}

KernelRun::Outcome KernelRun::run(const std::string &ptx, sim::Schedule schedule) const {
  Outcome outcome;
  try {
    Device device = strictDevice(target_, schedule, multiprocessors_, /*isBehindGrid=*/true);
    Kernel kernel = kernelOf(device, ptx);
    GuardedArguments tensors(kernel, dimensions_, {inputs_.begin(), inputs_.end()});
    Stream stream(device);
    kernel.launch(tensors.arguments(), {.stream = stream, .pdl = true, .variant = 0});
    stream.synchronize();
    outcome.result = tensors.outputs();
    if (auto damage = tensors.damage()) outcome.fault = *damage;
  } catch (const Error &error) {
    outcome.fault = error.what();
  }
  return outcome;
}
