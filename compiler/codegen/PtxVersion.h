// Versions of PTX as one number: 91 is 9.1. What instructions need, and what assemblers read.
#pragma once

#include "chips/Chip.h"
#include "compiler/codegen/PtxToCubin.h"

#include <optional>
#include <string>
#include <string_view>

namespace mxc {

/// "9.1" is 91; nullopt: no version.
std::optional<int> ptxVersionNamed(std::string_view text);

std::string ptxVersionText(int version); // 91 is "9.1"

/// Returns what a text's `.version` says; 0: nothing.
int ptxVersionOf(std::string_view ptx);

/// Returns the newest version that a toolkit of this release reads: 13.0 reads 9.0; 0 for older toolkits.
int newestPtxOf(int major, int minor);

/// Returns the toolkit's release that a program ptxas is of; 0.0: it does not say.
ToolkitRelease releaseOf(const std::string &ptxas);

/// Returns the newest version that the assembler reads; 0: there is no such assembler.
int newestPtxOf(Assembler assembler);

/// `ptx` with the `.version` that its instructions need, where LLVM wrote an older one.
std::string withVersionNeeded(std::string ptx);

} // namespace mxc
