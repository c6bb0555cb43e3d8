// The compiler's entry: MLIR text in, an image or one of the stages on the way out.
#pragma once

#include "compiler/abi/CompiledKernel.h"
#include "compiler/codegen/PtxToCubin.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace mxc {

/// Stages, named as --emit names them; each is also the suffix of its output.
enum class Stage { Mlir, Tile, Nvvm, Llvm, Ptx, Cubin, Fatbin };

std::string_view name(Stage stage);
std::optional<Stage> stageNamed(std::string_view name);

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
  /// Is told what the compilation does now, "generating code for sm_90a", and of how many steps of that how
  /// many are done. It is called by one thread at a time, but by any thread.
  std::function<void(std::string_view doing, size_t done, size_t total)> progress = {};
};

struct CompileResult {
  std::string output;          // text or image
  std::vector<ModuleAbi> abis; // one a target; empty for stages before mx-lower-kernels
  std::string warnings;        // of the compiler and the assembler
};

/// Compiles `source`; `sourceName` stands in messages. Throws mxc::Error: InvalidInput with "file:line:col:
/// error: .." text where the source is at fault, Usage for unknown targets and tiles, Device where the
/// CUDA toolkit is missing.
///
/// Safe inside of any host and from any number of threads at once. A call lowers kernels on one thread of
/// its own, then lowers, compiles and assembles their entries side by side, on no more threads than there are
/// processors; they are gone when it returns. It leaves the process as it was: no handlers of signals, no
/// locale, no environment variables, no global options of LLVM. A fatal error in LLVM is an Error like any
/// other, and costs the memory of that compilation. One thing is shared: while calls are running, LLVM's one
/// handler of fatal errors is taken. A host that installs one of its own into the same copy of LLVM installs
/// it again afterwards, or links mxc to another copy.
CompileResult compile(std::string_view source, std::string_view sourceName, const CompileOptions &options);

/// Returns what `compile` would say of all kernels for the options' one target, without roles and without
/// generating code. Throws what it throws for a source or a tile at fault.
CompileResult compileAbi(std::string_view source, std::string_view sourceName, const CompileOptions &options);

} // namespace mxc
