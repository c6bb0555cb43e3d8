#include "compiler/abi/Version.h"
#include "compiler/lowering/entry/KernelLoweringInterface.h"
#include "compiler/passes/Passes.h"
#include "compiler/passes/TargetOption.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace mxc {
#define GEN_PASS_DEF_MXLOWERKERNELS
#include "compiler/passes/Passes.h.inc"

namespace {

struct LowerKernels : impl::MxLowerKernelsBase<LowerKernels> {
  using MxLowerKernelsBase::MxLowerKernelsBase;

  LogicalResult lower(mx::KernelOp kernel, const Target &chip, KernelSignature &signature) {
    Operation *op = kernel.getKernelOperation();
    auto lowering = dyn_cast<KernelLoweringInterface>(op);
    if (!lowering) return op->emitOpError("has no lowering to entry points");
    return lowering.lowerKernel(getOperation(), chip, signature);
  }

  void runOnOperation() override {
    const Target *chip = targetOption(getOperation(), target);
    if (!chip) return signalPassFailure();
    ModuleAbi abi;
    abi.compilerVersion = kVersion;
    abi.numericsVersion = kNumericsVersion;
    abi.target = chip->name;
    for (mx::KernelOp kernel : llvm::make_early_inc_range(getOperation().getOps<mx::KernelOp>())) {
      KernelSignature signature = signatureOf(kernel);
      signature.onlyEntry = entry;
      kernel->setAttr(SymbolTable::getSymbolAttrName(),
                      StringAttr::get(&getContext(), "$lowering")); // frees the name
      if (failed(lower(kernel, *chip, signature))) return signalPassFailure();
      if (signature.abi.variants.empty()) {
        kernel.getKernelOperation()->emitOpError("has no tile that its shapes allow: nothing could be "
                                                 "launched; mx-select-tiles chooses tiles");
        return signalPassFailure();
      }
      kernel.erase();
      abi.kernels.push_back(std::move(signature.abi));
    }
    // Who asks for one entry has the record. Without an entry of that name it says which there are.
    if (entry.empty() || !getOperation().lookupSymbol(entry))
      getOperation()->setAttr("mx.abi", StringAttr::get(&getContext(), abiToJson(abi)));
  }
};

} // namespace
} // namespace mxc
