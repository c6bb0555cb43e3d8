#include "tests/unit/mutation/KernelRun.h"

#include "runtime/device/Stream.h"
#include "runtime/launch/EntrySource.h"
#include "runtime/measure/InputValues.h"
#include "tests/unit/mutation/Mutants.h"

#include <algorithm>
#include <span>

using namespace mxc;

namespace {

/// The one entry that a launch of the tile takes.
struct OneEntry : EntrySource {
  std::string ptx;
  explicit OneEntry(std::string ptx) : ptx(std::move(ptx)) {}
  std::string image(const std::string &) override { return ptx; }
};

constexpr int64_t kTokens = 40; // rows of a that a product's index names

std::vector<std::byte> bytesOf(std::span<const int32_t> numbers) {
  const auto bytes = std::as_bytes(numbers);
  return {bytes.begin(), bytes.end()};
}

/// `named`: how many rows an index may name.
std::vector<std::byte> inputOf(const AbiArgument &argument, const std::vector<int64_t> &shape,
                               const ProductShape &product, int64_t named) {
  if (argument.role == ArgumentRole::Ends)
    return bytesOf(product.kEnds.empty() ? product.rowEnds : product.kEnds);
  std::vector<std::byte> bytes(size_t(extentBytes({0, argument.type, shape, {}})));
  if (argument.role == ArgumentRole::Index) {
    std::vector<int32_t> rows(bytes.size() / sizeof(int32_t));
    for (size_t i = 0; i < rows.size(); ++i)
      rows[i] = int32_t(i * 5 % size_t(named));
    return bytesOf(rows);
  }
  if (argument.type != "i64")
    measure::fillInput(argument, uint64_t(argument.name.front()), bytes); // a count is 0
  return bytes;
}

const KernelAbi &kernelIn(const ModuleAbi &abi, const DefaultTile &tile) {
  return *std::ranges::find(abi.kernels, tile.kernel, &KernelAbi::name);
}

} // namespace

KernelRun::KernelRun(const DefaultTile &tile, std::shared_ptr<const TileCode> code, const ProductShape &shape)
    : tile_(tile), code_(std::move(code)), multiprocessors_(shape.multiprocessors) {
  const KernelAbi &abi = kernelIn(code_->abi, tile_);
  const Dimensions given = {{"M", shape.m},       {"N", shape.n},        {"K", shape.k},
                            {"KB", shape.k / 32}, {"G", shape.groups()}, {"T", kTokens}};
  for (const std::string &name : abi.dimensions)
    dimensions_[name] = given.at(name);
  for (const AbiArgument &argument : abi.arguments)
    if (argument.kind == ArgumentKind::Scalar)
      scalars_.push_back({argument.name, 0.75});
    else if (argument.isInput())
      inputs_[argument.name] = inputOf(argument, argumentShape(abi, argument, dimensions_), shape,
                                       dimensions_.count("T") ? kTokens : shape.n);
}

KernelRun::Outcome KernelRun::run(const std::string &ptx, sim::Schedule schedule) const {
  Outcome outcome;
  try {
    const Device device = strictDevice(tile_.target, schedule, multiprocessors_, /*isBehindGrid=*/true);
    const Kernel kernel = Module::fromEntries(device, code_->abi, "the tile", std::make_shared<OneEntry>(ptx))
                              .kernel(tile_.kernel);
    const GuardedArguments tensors(kernel, dimensions_, {inputs_.begin(), inputs_.end()}, scalars_);
    const Stream stream(device);
    kernel.launch(tensors.arguments(),
                  {.stream = stream, .pdl = true, .variant = tile_.variant, .dimensions = dimensions_});
    stream.synchronize();
    outcome.result = tensors.outputs();
    if (auto damage = tensors.damage()) outcome.fault = *damage;
  } catch (const Error &error) {
    outcome.fault = error.what();
  }
  return outcome;
}
