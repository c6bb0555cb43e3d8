#include "tests/unit/compiler/OneModule.h"
#include "compiler/Dialects.h"
#include "compiler/codegen/ModuleToPtx.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"

using namespace mlir;
using namespace mxc;

std::string ptxOfOneModule(const std::string &nvvm, const std::string &target) {
  DialectRegistry registry;
  registerDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(nvvm, &context);
  if (!module) return "";
  FailureOr<std::string> ptx = PtxWriter(*targetNamed(target)).write(*module);
  return succeeded(ptx) ? *ptx : "";
}
