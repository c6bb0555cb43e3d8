#include "compiler/ExpectedLaunches.h"

#include <algorithm>

namespace mxc {

/// Whether every launch whose tensors lie as `later` asks suits `earlier`, too.
static bool impliesAlignments(const AbiVariant &later, const AbiVariant &earlier) {
  return std::ranges::all_of(earlier.alignments, [&](const AbiAlignment &asked) {
    return std::ranges::any_of(later.alignments, [&](const AbiAlignment &own) {
      return own.argument == asked.argument && own.bytes % asked.bytes == 0;
    });
  });
}

/// Adds the variants that the launch may take, wherever its tensors lie: those whose condition holds, but for
/// those that an earlier one is always taken before.
static std::string addTaken(const KernelAbi &kernel, const Dimensions &values, std::vector<bool> &isTaken) {
  for (const std::string &dimension : kernel.dimensions)
    if (!values.count(dimension)) return "a launch of kernel '" + kernel.name + "' lacks " + dimension;
  std::vector<size_t> taken;
  std::string error;
  for (size_t i = 0; i < kernel.variants.size(); ++i) {
    const AbiVariant &variant = kernel.variants[i];
    const std::optional<int64_t> holds = variant.when.empty() ? 1 : variant.when.evaluate(values, error);
    if (!holds) return error;
    auto comesBefore = [&](size_t earlier) { return impliesAlignments(variant, kernel.variants[earlier]); };
    if (*holds && std::ranges::none_of(taken, comesBefore)) taken.push_back(i);
  }
  for (size_t i : taken)
    isTaken[i] = true;
  return "";
}

std::string keepExpected(ModuleAbi &abi, const std::vector<ExpectedLaunch> &launches) {
  for (const ExpectedLaunch &launch : launches)
    if (std::ranges::find(abi.kernels, launch.kernel, &KernelAbi::name) == abi.kernels.end())
      return "there is no kernel '" + launch.kernel + "'";
  for (KernelAbi &kernel : abi.kernels) {
    std::vector<bool> isTaken(kernel.variants.size());
    for (const ExpectedLaunch &launch : launches)
      if (launch.kernel == kernel.name && (launch.target.empty() || launch.target == abi.target))
        if (std::string error = addTaken(kernel, launch.values, isTaken); !error.empty()) return error;
    if (std::ranges::none_of(isTaken, std::identity{})) continue;
    isTaken.back() = true;
    size_t index = 0;
    std::erase_if(kernel.variants, [&](const AbiVariant &) { return !isTaken[index++]; });
  }
  return "";
}

} // namespace mxc
