// mxc-opt: mlir-opt with the mx dialect and mxc's passes, for tests and for looking at a stage.
#include "compiler/Dialects.h"
#include "compiler/passes/Pipelines.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mxc::registerDialects(registry);
  mxc::registerPipelines();
  mlir::registerCanonicalizerPass();
  mlir::registerCSEPass();
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "mx dialect driver\n", registry));
}
