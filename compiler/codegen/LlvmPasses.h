// LLVM's optimizations of what the lowering wrote.
#pragma once

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace mxc {

/// Whether it has neither loops nor calls of what has a body.
bool isStraightLine(llvm::Module &module);

/// Straight-line code gets the few passes that find something in it; loops and calls get all of O3.
void optimize(llvm::Module &module, llvm::TargetMachine &machine, bool isStraightLine);

} // namespace mxc
