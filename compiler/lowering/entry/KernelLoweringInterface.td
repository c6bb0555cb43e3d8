#ifndef MXC_COMPILER_KERNELLOWERINGINTERFACE_TD
#define MXC_COMPILER_KERNELLOWERINGINTERFACE_TD

include "mlir/IR/OpBase.td"

def Mxc_KernelLoweringInterface : OpInterface<"KernelLoweringInterface"> {
  let cppNamespace = "::mxc";
  let description = [{
    How a kernel-level operation becomes entry points. The dialect does not know of it: each family's file of this folder
    attaches it to the family's operations, registerKernelLowerings calls them all.
  }];
  let methods = [
    InterfaceMethod<"Adds the kernel's entry points to `module` and their variants to `signature.abi`, or reports an error at the operation.",
      "::llvm::LogicalResult", "lowerKernel",
      (ins "::mlir::ModuleOp":$module, "const ::mxc::Target &":$target, "::mxc::KernelSignature &":$signature)>,
    InterfaceMethod<"What the heuristics choose where no tiles are written, in launch order; none: the operation is not compiled for the target.",
      "::mxc::Tiles", "getDefaultTiles", (ins "const ::mxc::Target &":$target), [{}], [{ return {}; }]>,
    InterfaceMethod<"Every tile that was thought of: those that a tuner tries, and the others with the reason against them.",
      "std::vector<::mxc::TileChoice>", "getTileChoices", (ins "const ::mxc::Target &":$target), [{}], [{ return {}; }]>,
  ];
}

#endif
