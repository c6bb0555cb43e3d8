// Loading in libmxc_runtime: it takes only images.
#include "runtime/c/Loading.h"
#include "runtime/c/Status.h"
#include "runtime/device/DeviceName.h"

#include <map>
#include <mutex>
#include <span>

namespace mxc::c {

namespace {

class ImageLoader : public Loader {
public:
  explicit ImageLoader(const Device &device) : device_(device) {}

  Module load(std::string_view content, const std::string &name, const std::string &tile) override {
    const std::span<const std::byte> image = std::as_bytes(std::span(content));
    if (imageFormat(image) == ImageFormat::Unknown)
      throw Error(ErrorKind::Usage,
                  "cannot compile " + name +
                      ": libmxc_runtime has no compiler; link libmxc, or load an image that "
                      "mxc compiled");
    if (!tile.empty())
      throw Error(ErrorKind::Usage,
                  "the tile '" + tile + "' needs the kernel's MLIR, but " + name + " is compiled already");
    std::lock_guard lock(mutex_);
    auto known = modules_.find(content);
    if (known == modules_.end())
      known = modules_.emplace(std::string(content), Module::fromImage(device_, image, name)).first;
    return known->second;
  }

private:
  const Device device_;
  std::mutex mutex_;
  std::map<std::string, Module, std::less<>> modules_; // by their images
};

} // namespace

bool hasCompiler() { return false; }

Device opened(const char *name, const mxc_engine_options &options) {
  if (parseDeviceName(name).kind == DeviceName::Kind::Simulator)
    throw Error(ErrorKind::Device, "cannot open " + std::string(name) +
                                       ": libmxc_runtime has no simulator; link libmxc (CMake: Mxc::mxc)");
  refuseSimulation(name, options);
  return openDevice(name);
}

std::unique_ptr<Loader> makeLoader(const Device &device, const mxc_engine_options &) {
  return std::make_unique<ImageLoader>(device);
}

void importTuning(const std::string &, const char *) {
  throw Error(ErrorKind::Usage,
              "mxc_tuning_import: libmxc_runtime compiles nothing that could be tuned; link "
              "libmxc, or load the fatbin that mxc tune exports");
}

bool joinsParts(const Device &, int64_t, int64_t, bool) {
  throw Error(ErrorKind::Usage, "mxc_engine_joins_parts: libmxc_runtime has no compiler; link libmxc");
}

std::string compiled(std::string_view, const mxc_compile_options &) {
  throw Error(ErrorKind::Usage, "mxc_compile: libmxc_runtime has no compiler; link libmxc");
}

} // namespace mxc::c
