#include "compiler/codegen/Stage.h"

#include <iterator>

namespace mxc {

static constexpr std::string_view kStageNames[] = {"mlir", "tile", "nvvm", "llvm", "ptx", "cubin", "fatbin"};

std::string_view name(Stage stage) { return kStageNames[size_t(stage)]; }

std::optional<Stage> stageNamed(std::string_view text) {
  for (size_t i = 0; i < std::size(kStageNames); ++i)
    if (kStageNames[i] == text) return Stage(i);
  return std::nullopt;
}

} // namespace mxc
