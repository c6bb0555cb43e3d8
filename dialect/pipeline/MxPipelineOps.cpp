// The classes of pipeline operations, as their .td files define them.
#include "dialect/pipeline/MxPipelineOps.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "dialect/MxPipelineOps.cpp.inc"
