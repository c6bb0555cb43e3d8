#include "runtime/EntryTable.h"

#include "dialect/formats/Error.h"
#include "runtime/RelaxedCapture.h"

namespace mxc {

CUfunction EntryTable::function(const LaunchPlan &plan) {
  std::lock_guard lock(mutex_);
  if (auto found = known_.find(plan.variant); found != known_.end()) return found->second;
  RelaxedCapture relaxed(device_.driver());
  CUfunction function = find(plan.variant->entry);
  checkParameters(function, plan);
  return known_[plan.variant] = function;
}

CUfunction EntryTable::find(const std::string &entry) const {
  CUfunction function = nullptr;
  CUresult result = device_.driver().cuModuleGetFunction(&function, module_, entry.c_str());
  if (result != CUDA_SUCCESS) device_.check(result, "find entry " + entry + " of " + image_);
  return function;
}

void EntryTable::checkParameters(CUfunction function, const LaunchPlan &plan) const {
  auto refuse = [&](const std::string &what, size_t expected, const std::string &found) {
    throw Error(ErrorKind::InvalidInput, image_ + ": damaged ABI: entry " + plan.variant->entry + ": " +
                                             what + ": expected " + std::to_string(expected) + ", found " +
                                             found);
  };
  const Driver &driver = device_.driver();
  size_t offset = 0, bytes = 0;
  const std::vector<size_t> &sizes = plan.parameterSizes;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (driver.cuFuncGetParamInfo(function, i, &offset, &bytes) != CUDA_SUCCESS)
      refuse("parameters", sizes.size(), std::to_string(i));
    if (bytes != sizes[i]) refuse("bytes of parameter " + std::to_string(i), sizes[i], std::to_string(bytes));
  }
  if (driver.cuFuncGetParamInfo(function, sizes.size(), &offset, &bytes) == CUDA_SUCCESS)
    refuse("parameters", sizes.size(), "more");
}

} // namespace mxc
