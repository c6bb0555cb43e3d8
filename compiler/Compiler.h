// The compiler's entry: MLIR text in, an image or one of the stages on the way out.
#pragma once

#include "compiler/CompileOptions.h"
#include "compiler/abi/CompiledKernel.h"

#include <string>
#include <string_view>
#include <vector>

namespace mxc {

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
