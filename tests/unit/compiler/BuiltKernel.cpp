#include "tests/unit/compiler/BuiltKernel.h"
#include "compiler/Dialects.h"
#include "compiler/abi/CompiledKernel.h"
#include "compiler/codegen/ModuleToPtx.h"
#include "compiler/passes/Pipelines.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace mxc;

std::string ptxOfKernel(int threads, llvm::function_ref<void(OpBuilder &b, Operation *function)> emit) {
  DialectRegistry registry;
  registerDialects(registry);
  MLIRContext context(registry);
  context.loadAllAvailableDialects();
  const std::string text = "llvm.func @test(%in: !llvm.ptr<1>, %out: !llvm.ptr<1>) attributes {nvvm.kernel, "
                           "nvvm.reqntid = array<i32: " +
                           std::to_string(threads) + ", 1, 1>} {\n  llvm.return\n}\n";
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
  Operation *function = &module->getBody()->front();
  OpBuilder builder(function->getRegion(0).front().getTerminator());
  emit(builder, function);

  const Target &target = *targetNamed("sm_90a");
  ModuleAbi abi;
  abi.target = target.name;
  (*module)->setAttr("mx.abi", StringAttr::get(&context, abiToJson(abi)));
  PassManager passes(&context, ModuleOp::getOperationName());
  const PipelineOptions options{std::string(target.name), "", "", 0};
  addNvvmStage(passes, options);
  addAbi(passes, options);
  if (failed(verify(*module)) || failed(passes.run(*module))) return "";
  FailureOr<std::string> ptx = PtxWriter(target).write(*module);
  return succeeded(ptx) ? *ptx : "";
}
