#include "compiler/lowering/pipeline/PipelineLowerings.h"
#include "compiler/passes/Passes.h"
#include "compiler/passes/TargetOption.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;

namespace mxc {
#define GEN_PASS_DEF_MXLOWERPIPELINES
#include "compiler/passes/Passes.h.inc"

namespace {

struct LowerPipelines : impl::MxLowerPipelinesBase<LowerPipelines> {
  using MxLowerPipelinesBase::MxLowerPipelinesBase;

  void runOnOperation() override {
    const Target *chip = targetOption(getOperation(), target);
    if (!chip) return signalPassFailure();
    const PipelineLowerings lowerings = pipelineLowerings(*chip);
    SmallVector<Operation *> functions;
    getOperation().walk(
        [&](mx::PipelineOp op) { functions.push_back(op->getParentOfType<FunctionOpInterface>()); });
    for (Operation *function : functions)
      if (failed(lowerings.lower(function))) return signalPassFailure();
  }
};

} // namespace
} // namespace mxc
