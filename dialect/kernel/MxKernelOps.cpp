// The classes of kernel-level operations, as their .td files define them; their clauses are read by what is
// included here.
#include "dialect/kernel/Clauses.h"
#include "dialect/kernel/MxMatmulClauses.h"
#include "dialect/kernel/MxQuantizeClauses.h"
#include "dialect/kernel/MxScaleClauses.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "dialect/MxKernelOps.cpp.inc"
