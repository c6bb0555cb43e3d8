// What the output of compile() depends on beside its arguments: for keys of caches.
#pragma once

#include "compiler/Compiler.h"

#include <string>

namespace mxc {

/// "LLVM 22.1.8; built by Clang 22.1.8": for people.
std::string compilerDescription();

/// Whether a file of an assembler's is at hand. It may yet refuse to load.
bool hasAssembler(Assembler assembler);

/// A line each: this compiler, LLVM and MLIR by their build ids; libdevice, and from Cubin on every assembler
/// that may be chosen, by path, size and time of change. Other lines, maybe another output; the same lines,
/// the same output. It opens no library, but where the assembler's place is the loader's to know.
std::string compilerIdentity(Stage stage, Assembler assembler);

} // namespace mxc
