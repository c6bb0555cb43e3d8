// A compiled image, loaded onto a device, and the kernels in it.
#pragma once

#include "compiler/abi/CompiledKernel.h"
#include "runtime/device/Device.h"
#include "runtime/files/ImageBounds.h"

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mxc {

class Kernel;
class EntryTable;

/// The record of `records` (abiFromImage) that `device` runs: the most specific target it accepts
/// (targetsAccepted); PTX of a plain target runs on any later device too. Throws mxc::Error (InvalidInput),
/// naming what the image holds and what the device takes; `image` is what the message calls it.
const ModuleAbi &chooseRecord(const std::vector<ModuleAbi> &records, ImageFormat format, const Device &device,
                              const std::string &image);

/// A cheap handle; copies, and kernels taken from it, share the loaded image.
class Module {
public:
  /// Loads a cubin, fatbin or PTX file that mxc made. Throws mxc::Error: InvalidInput if the file cannot be
  /// read, is empty, is none of these, is damaged, was not made by this version of mxc or holds nothing for
  /// this device; Device if the driver fails.
  static Module load(const Device &device, const std::string &path);
  /// The same of an image in memory, which `name` stands for in messages.
  static Module fromImage(const Device &device, std::span<const std::byte> image,
                          const std::string &name = "image in memory");

  const ModuleAbi &abi() const { return state_->abi; }
  const Device &device() const { return state_->device; }
  const std::string &name() const { return state_->name; }

  /// A kernel by the name its author gave it; "" where there is but one. Throws mxc::Error (InvalidInput)
  /// with the names.
  Kernel kernel(std::string_view name = {}) const;

private:
  friend class Kernel;
  struct State {
    Device device;
    ModuleAbi abi;
    std::string name;
    Dimensions deviceFacts; // kDeviceFacts
    CUmodule handle = nullptr;
    std::unique_ptr<EntryTable> entries; // found so far
    ~State();
  };
  explicit Module(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  std::shared_ptr<const State> state_;
};

} // namespace mxc
