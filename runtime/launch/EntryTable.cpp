#include "runtime/launch/EntryTable.h"

#include "dialect/formats/Error.h"
#include "runtime/device/RelaxedCapture.h"

namespace mxc {

EntryTable::EntryTable(const Device &device, const ModuleAbi &abi, const std::string &name,
                       std::unique_ptr<LoadedImage> image)
    : EntryTable(device, abi, name, std::shared_ptr<EntrySource>()) {
  images_.push_back(std::move(image));
}

EntryTable::EntryTable(const Device &device, const ModuleAbi &abi, const std::string &name,
                       std::shared_ptr<EntrySource> source)
    : device_(device), name_(name), source_(std::move(source)) {
  for (const KernelAbi &kernel : abi.kernels)
    for (const AbiVariant &variant : kernel.variants)
      variant.forEachLaunch([&](const AbiLaunch &launch) { known_.try_emplace(&launch, nullptr); });
}

CUfunction EntryTable::function(const PlannedLaunch &planned) {
  std::atomic<CUfunction> &known = known_.at(planned.launch);
  if (const CUfunction function = known.load()) return function;
  RelaxedCapture relaxed(device_.driver());
  const CUfunction function = find(planned.launch->entry); // threads that come at once find the same
  checkParameters(function, planned);
  known.store(function);
  return function;
}

CUfunction EntryTable::find(const std::string &entry) {
  if (!source_) return findIn(images_.front()->handle(), entry);
  const std::string made = source_->image(entry);
  const auto image = std::as_bytes(std::span(made));
  auto loaded = std::make_unique<LoadedImage>(device_, image, imageFormat(image), name_);
  const CUfunction function = findIn(loaded->handle(), entry);
  std::lock_guard lock(mutex_);
  images_.push_back(std::move(loaded));
  return function;
}

CUfunction EntryTable::findIn(CUmodule image, const std::string &entry) const {
  CUfunction function = nullptr;
  CUresult result = device_.driver().cuModuleGetFunction(&function, image, entry.c_str());
  if (result != CUDA_SUCCESS) device_.check(result, "find entry " + entry + " of " + name_);
  return function;
}

void EntryTable::checkParameters(CUfunction function, const PlannedLaunch &planned) const {
  auto refuse = [&](const std::string &what, size_t expected, const std::string &found) {
    throw Error(ErrorKind::InvalidInput, name_ + ": damaged ABI: entry " + planned.launch->entry + ": " +
                                             what + ": expected " + std::to_string(expected) + ", found " +
                                             found);
  };
  size_t offset = 0, bytes = 0;
  auto hasParameter = [&](size_t i) {
    const CUresult result = device_.driver().cuFuncGetParamInfo(function, i, &offset, &bytes);
    if (result == CUDA_ERROR_INVALID_VALUE) return false;
    device_.check(result, "ask for the parameters of entry " + planned.launch->entry + " of " + name_);
    return true;
  };
  const std::vector<size_t> &sizes = planned.parameterSizes;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (!hasParameter(i)) refuse("parameters", sizes.size(), std::to_string(i));
    if (bytes != sizes[i]) refuse("bytes of parameter " + std::to_string(i), sizes[i], std::to_string(bytes));
  }
  if (hasParameter(sizes.size())) refuse("parameters", sizes.size(), "more");
}

} // namespace mxc
