// The stages of a compilation, each of which can be its output.
#pragma once

#include <optional>
#include <string_view>

namespace mxc {

/// Stages, named as --emit names them; each is also the suffix of its output.
enum class Stage { Mlir, Tile, Nvvm, Llvm, Ptx, Cubin, Fatbin };

std::string_view name(Stage stage);
std::optional<Stage> stageNamed(std::string_view name);

} // namespace mxc
