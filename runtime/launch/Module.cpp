#include "runtime/launch/Module.h"

#include "compiler/abi/ImageBounds.h"
#include "dialect/formats/TargetName.h"
#include "runtime/files/FileBytes.h"
#include "runtime/launch/EntryTable.h"
#include "runtime/launch/Kernel.h"
#include "runtime/launch/RepeatedLaunch.h"

#include <algorithm>
#include <cctype>
#include <cstring>

namespace mxc {

static constexpr size_t kMaximumImageBytes = size_t(1) << 30;

static Error refusal(const std::string &image, const std::string &why) {
  return Error(ErrorKind::InvalidInput, "cannot load " + image + ": " + why);
}

/// PTX of a plain target ("sm_90") is compiled for any device of that capability or a later one.
static bool isEarlierPlainTarget(std::string_view target, ComputeCapability capability) {
  std::optional<TargetName> name = TargetName::parse(target);
  return name && !name->suffix && name->ptxRunsOn(TargetName(capability.major, capability.minor, 0));
}

const ModuleAbi &chooseRecord(const std::vector<ModuleAbi> &records, ImageFormat format, const Device &device,
                              const std::string &image) {
  std::vector<std::string> accepted = device.targetsAccepted();
  for (const std::string &target : accepted)
    for (const ModuleAbi &record : records)
      if (record.target == target) return record;
  if (format == ImageFormat::Ptx)
    for (const ModuleAbi &record : records)
      if (isEarlierPlainTarget(record.target, device.computeCapability())) return record;

  std::string held, taken;
  for (const ModuleAbi &record : records)
    held += (held.empty() ? "" : ", ") + record.target;
  for (const std::string &target : accepted)
    taken += (taken.empty() ? "" : ", ") + target;
  auto [major, minor] = device.computeCapability();
  throw refusal(image, "it holds code for " + held + ", but " + device.name() + " is " + device.model() +
                           " (compute capability " + std::to_string(major) + "." + std::to_string(minor) +
                           "), which takes " + taken + "; compile it with --target=" + accepted.front());
}

static Dimensions factsOf(const Device &device) {
  return {{"SMs", device.limits().multiprocessors},
          {"GBs", static_cast<int64_t>(device.limits().memoryBytesPerSecond() / 1e9)}};
}

Module Module::load(const Device &device, const std::string &path) {
  FileBytes file = readFile(path, kMaximumImageBytes);
  return fromImage(device, file.bytes(), path);
}

Module Module::fromImage(const Device &device, std::span<const std::byte> image, const std::string &name) {
  if (image.empty()) throw refusal(name, "it is empty");
  if (image.size() > kMaximumImageBytes)
    throw refusal(name, "expected at most 1 GiB, found " + std::to_string(image.size()) + " bytes");
  ImageFormat format = imageFormat(image);
  if (format == ImageFormat::Unknown)
    throw refusal(name, "it is neither a cubin, nor a fatbin, nor PTX text");
  if (std::string beyond = beyondImage(image, format); !beyond.empty())
    throw refusal(name, "it is damaged: " + beyond);
  std::span<const char> characters(reinterpret_cast<const char *>(image.data()), image.size());
  std::vector<ModuleAbi> records = abiFromImage(characters);
  if (records.empty()) throw refusal(name, whyNoRecord(characters));
  if (format == ImageFormat::Cubin && !device.driver().takesCubins)
    throw refusal(name, "it is a cubin, and " + device.name() +
                            " runs PTX, which is not in it: compile it with --emit=fatbin --target=" +
                            device.targetsAccepted().front());
  const ModuleAbi &record = chooseRecord(records, format, device, name);

  auto state = std::make_shared<State>(device, record, name);
  state->entries = std::make_unique<EntryTable>(device, state->abi, name,
                                                std::make_unique<LoadedImage>(device, image, format, name));
  return Module(std::move(state));
}

Module Module::fromEntries(const Device &device, const ModuleAbi &abi, const std::string &name,
                           std::shared_ptr<EntrySource> entries) {
  auto state = std::make_shared<State>(device, abi, name);
  state->entries = std::make_unique<EntryTable>(device, state->abi, name, std::move(entries));
  return Module(std::move(state));
}

Module::State::State(const Device &device, const ModuleAbi &abi, const std::string &name)
    : device(device), abi(abi), name(name), deviceFacts(factsOf(device)),
      repeated(std::make_unique<RepeatedLaunches>()) {}
Module::State::~State() = default;

Kernel Module::kernel(std::string_view name) const {
  std::string names;
  for (const KernelAbi &kernel : abi().kernels) {
    if (kernel.name == name || (name.empty() && abi().kernels.size() == 1)) return Kernel(*this, kernel);
    names += (names.empty() ? "" : ", ") + kernel.name;
  }
  std::string held = names.empty() ? "no kernels" : names;
  if (name.empty())
    throw Error(ErrorKind::InvalidInput, this->name() + " holds several kernels; name one of " + held);
  throw Error(ErrorKind::InvalidInput,
              this->name() + " holds no kernel '" + std::string(name) + "'; it holds " + held);
}

} // namespace mxc
