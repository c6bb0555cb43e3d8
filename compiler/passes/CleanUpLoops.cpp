// LLVM cleans straight-line code up, gives the same PTX with or without a clean-up before, and would do it
// once more. O3 makes something else of loops that are not cleaned up.
#include "compiler/passes/Canonicalizer.h"
#include "compiler/passes/Passes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace mxc {
#define GEN_PASS_DEF_MXCLEANUPLOOPS
#include "compiler/passes/Passes.h.inc"

namespace {

// The blocks of a loop stand before the branch back to it.
bool branchesBack(Operation *op) {
  return llvm::any_of(op->getSuccessors(), [&](Block *next) {
    Block *block = op->getBlock();
    return next == block || next->computeBlockNumber() < block->computeBlockNumber();
  });
}

bool isStraightLine(LLVM::LLVMFuncOp function) {
  return !function
              .walk([](Operation *op) {
                return isa<LLVM::CallOp>(op) || branchesBack(op) ? WalkResult::interrupt()
                                                                 : WalkResult::advance();
              })
              .wasInterrupted();
}

struct CleanUpLoops : impl::MxCleanUpLoopsBase<CleanUpLoops> {
  CleanUpLoops() : passes_(LLVM::LLVMFuncOp::getOperationName()) {
    passes_.addPass(createCanonicalizer());
    passes_.addPass(createCSEPass());
  }

  void runOnOperation() override {
    if (!isStraightLine(getOperation()) && failed(runPipeline(passes_, getOperation()))) signalPassFailure();
  }

private:
  OpPassManager passes_;
};

} // namespace
} // namespace mxc
