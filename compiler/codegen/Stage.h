// The stages of a compilation, each of which can be its output.
#pragma once

#include <functional>
#include <optional>
#include <string_view>

namespace mxc {

/// Stages, named as --emit names them; each is also the suffix of its output.
enum class Stage { Mlir, Tile, Nvvm, Llvm, Ptx, Cubin, Fatbin };

std::string_view name(Stage stage);
std::optional<Stage> stageNamed(std::string_view name);

/// Is told what a compilation does now, "generating code for sm_90a", and of how many steps of that how many
/// are done. It is called by one thread at a time, but by any thread.
using Progress = std::function<void(std::string_view doing, size_t done, size_t total)>;

} // namespace mxc
