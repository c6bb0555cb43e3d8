#include "runtime/measure/KernelContender.h"

#include <memory>

namespace mxc::measure {

Contender contenderOf(const Kernel &kernel, const TensorSets &sets, const std::string &name,
                      const LaunchOptions &options) {
  auto launches = std::make_shared<std::vector<PreparedLaunch>>();
  Arguments workspaces; // the first launch's own
  for (int set = 0; set < sets.count(); ++set) {
    Arguments arguments = sets.arguments(set);
    arguments.insert(arguments.end(), workspaces.begin(), workspaces.end());
    launches->push_back(kernel.prepare(arguments, options));
    if (set > 0) continue;
    for (const WorkspaceRequest &workspace : launches->front().plan().workspaces)
      if (workspace.address != 0) // 0: there is nothing to launch
        workspaces.emplace_back(workspace.argument,
                                TensorView{workspace.address, "u8", {workspace.bytes}, {}});
  }
  return {name,
          [launches](int set, CUstream stream) { (*launches)[static_cast<size_t>(set)].launch(stream); }};
}

} // namespace mxc::measure
