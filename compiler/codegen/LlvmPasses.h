// LLVM's optimizations of what the lowering wrote.
#pragma once

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace mxc {

/// Straight-line code gets the few passes that find something in it; loops and calls get all of O3.
void optimize(llvm::Module &module, llvm::TargetMachine &machine);

} // namespace mxc
