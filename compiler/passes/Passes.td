#ifndef MXC_COMPILER_PASSES_TD
#define MXC_COMPILER_PASSES_TD

include "mlir/Pass/PassBase.td"

class MxPass<string name> : Pass<name, "::mlir::ModuleOp">;

def TargetOption : Option<"target", "target", "std::string", "\"sm_100a\"", "chip to compile for, e.g. sm_90a">;

def MxSelectTiles : MxPass<"mx-select-tiles"> {
  let summary = "fill in the tiles of operations from the target's heuristics, and after them the one that takes everything";
  let options = [TargetOption,
    Option<"tile", "tile", "std::string", "\"\"", "use these tiles, with semicolons between: attributes, or what stands inside">];
}

def MxLowerKernels : MxPass<"mx-lower-kernels"> {
  let summary = "kernel level to tile level: every mx.kernel becomes entry points and a record of the ABI";
  let options = [TargetOption,
    Option<"entry", "entry", "std::string", "\"\"", "the one entry point that gets a function, without the record, `-`: none; empty: all of them">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect", "::mlir::LLVM::LLVMDialect",
                           "::mlir::NVVM::NVVMDialect"];
}

def MxLowerPipelines : MxPass<"mx-lower-pipelines"> {
  let summary = "rings, roles and tile schedules to mbarriers, phases and warps; tensor core operations to NVVM";
  let options = [TargetOption];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect", "::mlir::LLVM::LLVMDialect",
                           "::mlir::NVVM::NVVMDialect"];
}

def MxLowerTileOps : MxPass<"mx-lower-tile-ops"> {
  let summary = "tile-level operations to arith, LLVM and NVVM";
  let options = [TargetOption,
    Option<"ptx", "ptx", "int", "0", "the newest version of PTX to write, 91 is 9.1; 0: the target's own">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect", "::mlir::LLVM::LLVMDialect",
                           "::mlir::NVVM::NVVMDialect"];
}

def MxComputeBeforeWaiting : MxPass<"mx-compute-before-waiting"> {
  let summary = "what lanes compute up to their first use of memory, to before the wait for earlier grids";
}

def MxLowerMath : MxPass<"mx-lower-math"> {
  let summary = "math operations of prologues to libdevice calls, or to the hardware's approximations under afn; "
                "truncations after a fence";
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def MxLowerToLlvm : MxPass<"mx-lower-to-llvm"> {
  let summary = "arith, math, branches and what of NVVM is assembly to the LLVM dialect, in one conversion";
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def MxCleanUpLoops : Pass<"mx-clean-up-loops", "::mlir::LLVM::LLVMFuncOp"> {
  let summary = "canonicalization and CSE of functions that have loops or calls; LLVM cleans up all others by itself";
}

def MxEmbedAbi : MxPass<"mx-embed-abi"> {
  let summary = "the record of the ABI as a constant of the image";
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

#endif
