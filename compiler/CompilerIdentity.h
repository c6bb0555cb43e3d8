// Says what the output of compile() depends on besides its arguments, for keys of caches.
#pragma once

#include "compiler/codegen/PtxToCubin.h"
#include "compiler/codegen/Stage.h"

#include <string>

namespace mxc {

/// "LLVM 22.1.8; built by Clang 22.1.8": for people.
std::string compilerDescription();

/// Returns whether the file of such an assembler is at hand. It may yet refuse to load.
bool hasAssembler(Assembler assembler);

/// Returns a line each for this compiler, LLVM and MLIR, by build id, for libdevice, and from Cubin on for
/// every assembler that may be chosen, by path, size and time of change. Where the lines are the same, so is
/// the output. It opens no library, except where only the loader knows the assembler's place.
std::string compilerIdentity(Stage stage, Assembler assembler);

} // namespace mxc
