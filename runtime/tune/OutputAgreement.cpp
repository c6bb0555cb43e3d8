#include "runtime/tune/OutputAgreement.h"

#include "runtime/Stream.h"

namespace mxc::tune {

static constexpr uint8_t kPoisons[] = {0x5a, 0xa5};
static constexpr uint64_t kSeed = 20;

OutputAgreement::OutputAgreement(const Kernel &reference, const Dimensions &dimensions,
                                 const Arguments &scalars)
    : reference_(reference), dimensions_(dimensions),
      tensors_(reference.module().device(), reference.abi(), dimensions, scalars,
               {.rotatedBytes = 0, .seed = kSeed}),
      comparison_(reference.module().device()) {
  const Arguments &arguments = tensors_.arguments(0);
  for (const AbiArgument &argument : reference_.abi().arguments) {
    if (!argument.isOutput) continue;
    overwritesInputs_ |= argument.isInput();
    for (const Argument &given : arguments)
      if (given.name == argument.name)
        outputs_.push_back(
            {&argument, given.view.address, Buffer(device(), static_cast<size_t>(extentBytes(given.view)))});
  }
  run(reference_, kPoisons[0]);
  for (Output &output : outputs_) {
    ContextScope scope(device());
    device().check(
        device().driver().cuMemcpyDtoD_v2(output.expected.address(), output.address, output.expected.bytes()),
        "keep the reference's output");
  }
  if (std::string difference = disagreement(reference_); !difference.empty())
    throw Error(ErrorKind::InvalidInput, "kernel '" + reference_.abi().name + "' does not repeat itself: " +
                                             difference + ": there is nothing to hold candidates against");
}

void OutputAgreement::run(const Kernel &kernel, uint8_t poison) {
  tensors_.fillOutputs(poison);
  if (overwritesInputs_) tensors_.fillInputs(kSeed);
  Stream stream(device());
  const PreparedLaunch launch = kernel.prepare(tensors_.arguments(0));
  launch.launch(stream);
  stream.synchronize();
}

bool OutputAgreement::isWithinBound(const Output &output) {
  if (!bound_)
    bound_ = ProductBound::of(reference_.abi(), dimensions_,
                              [&](const std::string &name) { return tensors_.download(0, name); });
  if (!*bound_) return false;
  std::vector<std::byte> expected(output.expected.bytes());
  output.expected.download(expected);
  return (*bound_)->violations(*output.argument, tensors_.download(0, output.argument->name), expected) == 0;
}

std::string OutputAgreement::disagreement(const Kernel &candidate) {
  for (uint8_t poison : kPoisons) {
    run(candidate, poison);
    for (const Output &output : outputs_)
      if (uint64_t bytes =
              comparison_.differences(output.address, output.expected.address(), output.expected.bytes());
          bytes && !isWithinBound(output))
        return std::to_string(bytes) + " of " + std::to_string(output.expected.bytes()) + " bytes of '" +
               output.argument->name + "' differ from the untuned kernel's" +
               (*bound_ ? ", some by more than the bound of a product" : "");
  }
  return "";
}

} // namespace mxc::tune
