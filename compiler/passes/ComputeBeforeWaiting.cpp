// A grid that starts while an earlier one ends has time until that one's results are there. What its lanes
// compute up to their first loads moves there; else some 45 instructions of each warp stand between the wait
// and the loads. It goes before the branch, for an assembler takes the wait ahead of arithmetic in one basic
// block; and the addresses are pinned there by an assembly without text, for LLVM would sink them again.
#include "compiler/lowering/nvvm/Assembly.h"
#include "compiler/passes/Passes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace mxc {
#define GEN_PASS_DEF_MXCOMPUTEBEFOREWAITING
#include "compiler/passes/Passes.h.inc"

namespace {

bool isWait(Operation &op) {
  auto control = dyn_cast<NVVM::GriddepcontrolOp>(op);
  return control && control.getKind() == NVVM::GridDepActionKind::wait;
}

struct ComputeBeforeWaiting : impl::MxComputeBeforeWaitingBase<ComputeBeforeWaiting> {
  void runOnOperation() override {
    getOperation()->walk([&](scf::IfOp branch) {
      if (llvm::any_of(*branch.thenBlock(), isWait)) computeBefore(branch);
    });
  }

  static void computeBefore(scf::IfOp branch) {
    Block *block = branch.thenBlock();
    auto isInside = [&](Value value) { return value.getParentBlock() == block; };
    llvm::SmallSetVector<Value, 8> addresses;
    bool isBehind = false;
    for (Operation &op : llvm::make_early_inc_range(block->without_terminator())) {
      isBehind |= isWait(op);
      if (!isBehind || isa<NVVM::GriddepcontrolOp>(op)) continue;
      if (llvm::any_of(op.getOperands(), isInside)) break;
      if (auto load = dyn_cast<LLVM::LoadOp>(op))
        addresses.insert(load.getAddr());
      else if (op.getNumRegions() == 0 && isPure(&op))
        op.moveBefore(branch);
      else
        break;
    }
    if (!addresses.empty()) pin(branch, addresses.getArrayRef());
  }

  static void pin(scf::IfOp branch, ArrayRef<Value> addresses) {
    OpBuilder b(branch);
    SmallVector<StringRef> constraints(addresses.size(), "l");
    nvvm::volatileAssembly({b, branch.getLoc()}, Type(), "", llvm::join(constraints, ","), addresses);
  }
};

} // namespace
} // namespace mxc
