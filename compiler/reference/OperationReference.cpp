#include "compiler/reference/OperationReference.h"

#include "compiler/abi/AbiNames.h"
#include "dialect/formats/PackedCodes.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace mxc {

Error ReferenceRun::damaged(const std::string &what) const {
  return Error(ErrorKind::InvalidInput, "kernel '" + kernel.name + "': damaged ABI: " + what);
}

const std::string &ReferenceRun::attribute(const char *name) const {
  auto found = kernel.operation.attributes.find(name);
  if (found == kernel.operation.attributes.end()) throw damaged(std::string("no attribute ") + name);
  return found->second;
}

const AbiArgument &ReferenceRun::argument(ArgumentRole role) const {
  if (const AbiArgument *found = kernel.argumentOf(role)) return *found;
  throw damaged("no argument has the role " + std::string(nameIn(kRoleNames, role)));
}

const AbiArgument &ReferenceRun::scalesOf(const AbiArgument &codes) const {
  if (const AbiArgument *found = kernel.argumentOf(ArgumentRole::Scales, codes.name)) return *found;
  throw damaged("no argument holds the scales of '" + codes.name + "'");
}

BlockShape ReferenceRun::repeats() const {
  const auto &attributes = kernel.operation.attributes;
  auto from = attributes.find("block"), to = attributes.find("block_to");
  if (from == attributes.end() || to == attributes.end()) return {1, 1};
  const std::optional<BlockShape> before = blockShapeNamed(from->second), after = blockShapeNamed(to->second);
  const std::optional<BlockShape> repeats = before && after ? wholeBlocks(*before, *after) : std::nullopt;
  if (!repeats) throw damaged("blocks that are not made of others");
  return *repeats;
}

std::span<const std::byte> ReferenceRun::input(const std::string &name) const {
  auto found = inputs_.find(name);
  if (found == inputs_.end())
    throw Error(ErrorKind::InvalidInput, "kernel '" + kernel.name + "': no input '" + name + "'");
  return found->second;
}

std::span<const uint8_t> ReferenceRun::bytes(const AbiArgument &argument) const {
  std::span<const std::byte> bytes = input(argument.name);
  return {reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size()};
}

std::vector<uint8_t> ReferenceRun::codes(const AbiArgument &argument, ElementFormat element,
                                         HostExtent extent) const {
  std::span<const uint8_t> packed = bytes(argument);
  std::vector<uint8_t> codes(static_cast<size_t>(extent.rows * extent.columns));
  expectBytes(argument, packed.size(), storageBytes(element, extent.rows * extent.columns));
  unpackCodes(element, packed.data(), codes);
  return codes;
}

void ReferenceRun::outputCodes(const AbiArgument &argument, ElementFormat element,
                               std::span<const uint8_t> codes) {
  packCodes(element, codes, output(argument, storageBytes(element, int64_t(codes.size()))).data());
}

void ReferenceRun::expectBytes(const AbiArgument &argument, size_t found, int64_t expected) const {
  if (found != static_cast<size_t>(expected))
    throw Error(ErrorKind::InvalidInput, "kernel '" + kernel.name + "': input '" + argument.name + "' has " +
                                             std::to_string(found) + " bytes, expected " +
                                             std::to_string(expected));
}

std::vector<float> ReferenceRun::floats(const AbiArgument &argument, HostExtent extent) const {
  FloatType type = floatTypeOf(argument);
  std::span<const std::byte> data = input(argument.name);
  std::vector<float> values(static_cast<size_t>(extent.rows * extent.columns));
  expectBytes(argument, data.size(), int64_t(values.size()) * byteSize(type));
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = loadFloat(type, data.data(), static_cast<int64_t>(i));
  return values;
}

std::vector<int32_t> ReferenceRun::integers(ArgumentRole role) const {
  const AbiArgument *argument = kernel.argumentOf(role);
  if (!argument) return {};
  std::span<const std::byte> bytes = input(argument->name);
  std::vector<int32_t> integers(bytes.size() / sizeof(int32_t));
  std::memcpy(integers.data(), bytes.data(), integers.size() * sizeof(int32_t));
  return integers;
}

std::optional<RandomSource> ReferenceRun::random() const {
  const AbiArgument *argument = kernel.argumentOf(ArgumentRole::Random);
  if (!argument) return std::nullopt;
  std::span<const std::byte> bytes = input(argument->name);
  RandomSource source;
  expectBytes(*argument, bytes.size(), sizeof source.seed + sizeof source.offset);
  std::memcpy(&source.seed, bytes.data(), sizeof source.seed);
  std::memcpy(&source.offset, bytes.data() + sizeof source.seed, sizeof source.offset);
  return source;
}

float ReferenceRun::number(ArgumentRole role, size_t index) const {
  return floats(argument(role), extent(argument(role))).at(index);
}

std::vector<uint8_t> &ReferenceRun::output(const AbiArgument &argument, int64_t bytes) {
  std::vector<uint8_t> &output = result.outputs[argument.name];
  output.assign(static_cast<size_t>(bytes), 0);
  return output;
}

void ReferenceRun::outputLoss(int64_t inexact, float error) {
  auto combine = [&](ArgumentRole role, auto own, auto combined) {
    const AbiArgument *argument = kernel.argumentOf(role);
    if (!argument) return;
    std::span<const std::byte> held = input(argument->name);
    expectBytes(*argument, held.size(), sizeof own);
    decltype(own) before;
    std::memcpy(&before, held.data(), sizeof before);
    before = combined(before, own);
    std::memcpy(output(*argument, sizeof before).data(), &before, sizeof before);
  };
  combine(ArgumentRole::Inexact, inexact, [](int64_t held, int64_t own) { return held + own; });
  // As bits: the largest number, unless it held what is none.
  combine(ArgumentRole::Error, std::bit_cast<uint32_t>(error),
          [](uint32_t held, uint32_t own) { return std::max(held, own); });
}

} // namespace mxc
