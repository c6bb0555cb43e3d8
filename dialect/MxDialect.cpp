#include "dialect/MxQuantizeClauses.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"

using namespace mlir;

#include "dialect/MxDialect.cpp.inc"

#define GET_OP_CLASSES
#include "dialect/MxOps.cpp.inc"

void mxc::mx::MxDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "dialect/MxOps.cpp.inc"
      >();
  registerAttributes();
}
