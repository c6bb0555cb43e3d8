// What a compilation is told: for which targets, up to which stage, with which tiles.
#pragma once

#include "compiler/abi/Dimensions.h"
#include "compiler/codegen/PtxToCubin.h"
#include "compiler/codegen/Stage.h"

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mxc {

/// A tile of one kernel, before those that the target's heuristics choose.
struct PreferredTile {
  std::string kernel;
  std::string tile; // as CompileOptions::tile has it; its `when` says for which shapes
};

/// A launch that an output is for.
struct ExpectedLaunch {
  std::string kernel;
  std::string target; // on a chip that takes this target's code; empty: on any
  Dimensions values;  // the sizes of the kernel's dimensions, and the device's facts (kDeviceFacts)
};

struct CompileOptions {
  std::vector<std::string> targets = {"sm_100a"}; // several only for a fatbin
  Stage stage = Stage::Cubin;
  /// "rows_per_warp = 1, warps = 4", or a whole attribute; several with semicolons, of which the first that
  /// takes a launch is used. Empty: the target's heuristics.
  std::string tile;
  /// In launch order. They count for kernels that the source has and that name no tiles; if `tile` is given,
  /// they do not.
  std::vector<PreferredTile> preferredTiles;
  /// The one entry point, by its name in the ABI, that the output has, without the record of the ABI, which
  /// compileAbi gives; an error (Usage) if there is none of that name. Empty: all.
  std::string entry;
  /// The output has the variants that these launches take, wherever their tensors lie, and the last of each
  /// kernel, which takes all other launches; an error (Usage) where one names no kernel of the source, or not
  /// all of its dimensions. Kernels that none of them names, or if there are none: all variants.
  std::vector<ExpectedLaunch> launches = {};
  Assembler assembler = Assembler::Auto;
  /// The newest PTX that may be written, 91 is 9.1: an error (Usage) where a kernel needs a newer one.
  /// Absent: what the assembler reads where there is one, else each target's own.
  std::optional<int> ptx;
  /// Where it becomes true, the compilation ends before its next step with mxc::Error (Device): nobody wants
  /// it any longer.
  const std::atomic<bool> *isUnwanted = nullptr;
  /// Is told what the compilation does now, "generating code for sm_90a", and of how many steps of that how
  /// many are done. It is called by one thread at a time, but by any thread.
  std::function<void(std::string_view doing, size_t done, size_t total)> progress = {};
};

} // namespace mxc
