#include "runtime/simulator/driver/LoadedImage.h"

#include "dialect/formats/Error.h"
#include "runtime/simulator/driver/Image.h"
#include "runtime/simulator/driver/Simulator.h"

namespace mxc::sim {

LoadedImage::LoadedImage(std::shared_ptr<Context> owner, std::string_view ptx)
    : context(std::move(owner)), module(ptx, "ptx", context->device.memory(), context->device.options()) {}

std::vector<std::string> LoadedImage::kernelNames() const {
  std::vector<std::string> names;
  for (const ptx::Function &function : module.module().functions)
    if (function.isEntry && !function.isExtern) names.push_back(function.name);
  return names;
}

std::shared_ptr<LoadedImage> loadPtx(const std::shared_ptr<Context> &context, const std::string &ptx) {
  try {
    auto lock = context->device.exclusiveMemory();
    auto image = std::make_shared<LoadedImage>(context, ptx);
    Simulator::instance().modules.add(image);
    return image;
  } catch (const Error &error) {
    throw ImageError(error.kind() == ErrorKind::Device ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_ERROR_INVALID_PTX,
                     error.what());
  }
}

std::shared_ptr<LoadedImage> moduleOf(Library &library, const std::shared_ptr<Context> &context) {
  std::lock_guard lock(library.mutex);
  Simulator &simulator = Simulator::instance();
  if (auto found = library.modules.find(context->id); found != library.modules.end())
    if (auto image = simulator.modules.find(found->second)) return image;
  try {
    auto image = loadPtx(context, chosenPtx(library.ptx, context->device.chip()));
    library.modules[context->id] = image->handle;
    return image;
  } catch (const ImageError &error) {
    std::fprintf(stderr, "simulator: cannot load a library: %s\n", error.what());
    throw Refusal{error.result};
  }
}

} // namespace mxc::sim
