#include "compiler/abi/AbiRecord.h"
#include "compiler/abi/CompiledKernel.h"
#include "compiler/passes/Passes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

namespace mxc {
#define GEN_PASS_DEF_MXEMBEDABI
#include "compiler/passes/Passes.h.inc"

namespace {

struct EmbedAbi : impl::MxEmbedAbiBase<EmbedAbi> {
  using MxEmbedAbiBase::MxEmbedAbiBase;

  void runOnOperation() override {
    auto json = getOperation()->getAttrOfType<StringAttr>("mx.abi");
    if (!json) {
      getOperation().emitError("has no attribute 'mx.abi': run mx-lower-kernels first");
      return signalPassFailure();
    }
    std::string error;
    std::optional<std::string> record = recordOfAbiJson(json.getValue().str(), error);
    if (!record) {
      getOperation().emitError("has an attribute 'mx.abi' that is no ABI of this version: ") << error;
      return signalPassFailure();
    }
    OpBuilder b = OpBuilder::atBlockBegin(getOperation().getBody());
    auto type = LLVM::LLVMArrayType::get(b.getI8Type(), record->size());
    // In global memory: constant memory is limited to 64 KB.
    LLVM::GlobalOp::create(b, getOperation().getLoc(), type, /*isConstant=*/true, LLVM::Linkage::External,
                           "__mxc_abi", b.getStringAttr(*record), /*alignment=*/16, /*addrSpace=*/1);
    getOperation()->removeAttr("mx.abi");
  }
};

} // namespace
} // namespace mxc
