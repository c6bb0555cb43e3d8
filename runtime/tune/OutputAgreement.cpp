#include "runtime/tune/OutputAgreement.h"

#include "runtime/device/Stream.h"

#include <algorithm>

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
        outputs_.push_back({&argument, given.view.address, static_cast<size_t>(extentBytes(given.view)), {}});
  }
  keepExpected(kPoisons[0]);
  if (reference_.abi().argumentOf(ArgumentRole::Ends)) keepExpected(kPoisons[1]);
  if (std::string difference = disagreement(reference_); !difference.empty())
    throw Error(ErrorKind::InvalidInput, "kernel '" + reference_.abi().name + "' does not repeat itself: " +
                                             difference + ": there is nothing to hold candidates against");
}

void OutputAgreement::keepExpected(uint8_t poison) {
  run(reference_, poison);
  for (Output &output : outputs_) {
    const Buffer &expected = output.expected.emplace_back(device(), output.bytes);
    ContextScope scope(device());
    device().check(device().driver().cuMemcpyDtoD_v2(expected.address(), output.address, output.bytes),
                   "keep the reference's output");
  }
}

void OutputAgreement::run(const Kernel &kernel, uint8_t poison) {
  tensors_.fillOutputs(poison);
  if (overwritesInputs_) tensors_.fillInputs(kSeed);
  Stream stream(device());
  const PreparedLaunch launch = kernel.prepare(tensors_.arguments(0));
  launch.launch(stream);
  stream.synchronize();
}

bool OutputAgreement::isWithinBound(const Output &output, const Buffer &buffer) {
  if (!bound_)
    bound_ = ProductBound::of(reference_.abi(), dimensions_,
                              [&](const std::string &name) { return tensors_.download(0, name); });
  if (!*bound_) return false;
  std::vector<std::byte> expected(buffer.bytes());
  buffer.download(expected);
  return (*bound_)->violations(*output.argument, tensors_.download(0, output.argument->name), expected) == 0;
}

std::string OutputAgreement::disagreement(const Kernel &candidate) {
  for (size_t pass = 0; pass < std::size(kPoisons); ++pass) {
    run(candidate, kPoisons[pass]);
    for (const Output &output : outputs_) {
      const Buffer &expected = output.expected[std::min(pass, output.expected.size() - 1)];
      if (uint64_t bytes = comparison_.differences(output.address, expected.address(), expected.bytes());
          bytes && !isWithinBound(output, expected))
        return std::to_string(bytes) + " of " + std::to_string(expected.bytes()) + " bytes of '" +
               output.argument->name + "' differ from the untuned kernel's" +
               (*bound_ ? ", some by more than the bound of a product" : "");
    }
  }
  return "";
}

} // namespace mxc::tune
