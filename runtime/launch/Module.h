// A compiled image, loaded onto a device, and the kernels in it.
#pragma once

#include "compiler/abi/CompiledKernel.h"
#include "compiler/abi/ImageBounds.h"
#include "runtime/device/Device.h"

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mxc {

class Kernel;
class EntryTable;
class EntrySource;
class RepeatedLaunches;

/// Returns the one of `records` (abiFromImage) that `device` runs: that of the most specific target it
/// accepts (targetsAccepted); PTX for a plain target runs on any later device too. If there is none, throws
/// mxc::Error (InvalidInput), naming what the image, called `image`, holds and what the device takes.
const ModuleAbi &chooseRecord(const std::vector<ModuleAbi> &records, ImageFormat format, const Device &device,
                              const std::string &image);

/// A cheap handle; copies, and kernels taken from it, share the loaded image.
class Module {
public:
  /// Loads a cubin, fatbin or PTX file that mxc made. Throws mxc::Error: InvalidInput if the file cannot be
  /// read, is empty, is none of these, is damaged, was not made by this version of mxc or holds nothing for
  /// this device; Device if the driver fails.
  static Module load(const Device &device, const std::string &path);
  /// Loads an image in memory, which messages call `name`.
  static Module fromImage(const Device &device, std::span<const std::byte> image,
                          const std::string &name = "image in memory");

  /// The kernels of `abi`, whose entry points `entries` makes when a launch first takes them.
  static Module fromEntries(const Device &device, const ModuleAbi &abi, const std::string &name,
                            std::shared_ptr<EntrySource> entries);

  const ModuleAbi &abi() const { return state_->abi; }
  const Device &device() const { return state_->device; }
  const std::string &name() const { return state_->name; }

  /// Returns a kernel by the name its author gave it; "" is enough if there is only one. Throws mxc::Error
  /// (InvalidInput) with the names if there is no such kernel.
  Kernel kernel(std::string_view name = {}) const;

private:
  friend class Kernel;
  struct State {
    State(const Device &device, const ModuleAbi &abi, const std::string &name);
    ~State();
    Device device;
    ModuleAbi abi;
    std::string name;
    Dimensions deviceFacts;                     // kDeviceFacts
    std::unique_ptr<EntryTable> entries;        // found so far
    std::unique_ptr<RepeatedLaunches> repeated; // points into the others
  };
  explicit Module(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  std::shared_ptr<const State> state_;
};

} // namespace mxc
