// Whatever the JSON of an ABI record, it is refused, or survives a round trip, and its kernels' launches on
// the simulator are refused or done: where the record and the entry disagree, the entry is right. The last
// byte chooses sizes and how the entries differ from the record.
#include "compiler/abi/CompiledKernel.h"
#include "dialect/formats/Error.h"
#include "runtime/launch/ArgumentShapes.h"
#include "runtime/launch/GuardedArguments.h"
#include "tests/fuzz/SimulatedDevice.h"
#include "tests/unit/runtime/ExampleImage.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <set>

using namespace mxc;

namespace {

constexpr int64_t kMostBytes = 1 << 16;

std::string declared(const KernelAbi &kernel, const AbiParameter &parameter, size_t index, bool isOdd) {
  const std::string name = " p" + std::to_string(index);
  if (parameter.kind == AbiParameter::Kind::TensorMap)
    return isOdd ? ".param .align 8 .b8" + name + "[256]" : ".param .align 64 .b8" + name + "[128]";
  bool isNarrow = isOdd;
  if (parameter.kind == AbiParameter::Kind::Scalar)
    for (const AbiArgument &argument : kernel.arguments)
      isNarrow ^= argument.name == parameter.name && argument.type != "i64";
  return (isNarrow ? ".param .u32" : ".param .u64") + name;
}

/// Entries as the record has them, but for a parameter that is missing or of another size.
std::string entriesOf(const ModuleAbi &abi, unsigned choice) {
  std::string text = ".version 8.8\n.target sm_100a\n.address_size 64\n";
  std::set<std::string> made;
  for (const KernelAbi &kernel : abi.kernels)
    for (const AbiVariant &variant : kernel.variants) {
      const auto isPart = [](unsigned char c) { return std::isalnum(c) || c == '_'; };
      if (!std::isalpha(static_cast<unsigned char>(variant.entry[0])) ||
          !std::all_of(variant.entry.begin(), variant.entry.end(), isPart) ||
          !made.insert(variant.entry).second)
        continue;
      text += ".visible .entry " + variant.entry + "(";
      const size_t odd = choice % 4 == 1 ? choice / 4 : ~size_t(0), count = variant.parameters.size();
      for (size_t i = 0; i < count - (choice % 4 == 2 && count); ++i)
        text += (i ? ", " : "") + declared(kernel, variant.parameters[i], i, i == odd);
      text += ") { ret; }\n";
    }
  return text;
}

void launch(const Kernel &kernel, unsigned choice) {
  static constexpr int64_t kSizes[] = {0, 1, 2, 31, 32, 33, 64, 128, 200};
  Dimensions dimensions;
  for (const std::string &dimension : kernel.abi().dimensions)
    dimensions[dimension] = kSizes[(choice / 8 + dimensions.size()) % std::size(kSizes)];
  std::vector<std::byte> zeros(kMostBytes);
  GuardedArguments::Inputs inputs;
  Arguments scalars;
  for (const AbiArgument &argument : kernel.abi().arguments) {
    if (argument.kind == ArgumentKind::Scalar) scalars.emplace_back(argument.name, int64_t(choice));
    if (!argument.isTensor()) continue;
    const TensorView view{0, argument.type, argumentShape(kernel.abi(), argument, dimensions), {}};
    const int64_t bytes = extentBytes(view);
    if (bytes > kMostBytes) return;
    inputs[argument.name] = std::span(zeros).first(size_t(bytes));
  }
  GuardedArguments arguments(kernel, dimensions, inputs, scalars);
  kernel.prepare(arguments.arguments()).launch();
  fuzz::device()->check(fuzz::device()->driver().cuStreamSynchronize(nullptr), "wait");
  if (arguments.damage()) std::abort();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (!size) return 0;
  const unsigned choice = data[size - 1];
  try {
    ModuleAbi abi = abiFromJson({reinterpret_cast<const char *>(data), size - 1});
    const std::string json = abiToJson(abi);
    if (abiToJson(abiFromJson(json)) != json) std::abort();
    abi.target = "sm_100a";
    const std::string image = entriesOf(abi, choice) + ptxRecord(abiRecord(abi));
    Module module = Module::fromImage(*fuzz::device(), bytesOf(image), "fuzz");
    for (const KernelAbi &kernel : module.abi().kernels)
      launch(module.kernel(kernel.name), choice);
  } catch (const Error &error) {
    if (error.kind() == ErrorKind::Device) fuzz::device().reset();
  }
  return 0;
}
