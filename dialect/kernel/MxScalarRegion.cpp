// Regions of f32 scalars: prologues and epilogues.
#include "dialect/kernel/MxKernelOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mxc::mx;

// Scalars that the arithmetic of hardware has: zero bits are none, though MLIR has the type, and floats of 8
// bits are only stored.
static bool isScalar(Type type) {
  if (isa<FloatType>(type)) return type.isBF16() || type.isF16() || type.isF32() || type.isF64();
  return type.isIntOrIndex() && !type.isInteger(0);
}

// Conversions may name a rounding; code and reference have the one of IEEE 754's default alone.
static bool roundsToNearestEven(Operation &op) {
  auto mode = op.getAttrOfType<arith::RoundingModeAttr>("roundingmode");
  return !mode || mode.getValue() == arith::RoundingMode::to_nearest_even;
}

LogicalResult mxc::mx::verifyYield(Operation *op, Block &block, StringRef name, unsigned results,
                                   StringRef constraint) {
  auto yield =
      dyn_cast<YieldOp>(block.back()); // its operation's trait SingleBlock wants one operation at least
  if (yield && yield.getValues().size() == results) return success();
  InFlightDiagnostic error = op->emitOpError()
                             << name << " must end in mx.yield of "
                             << (results == 1 ? "one value" : "one value an output") << ", found ";
  if (yield)
    error << yield.getValues().size() << (yield.getValues().size() == 1 ? " value" : " values");
  else
    error << "'" << block.back().getName() << "' at its end";
  return error << " [" << constraint << "]";
}

LogicalResult mxc::mx::verifyScalarRegion(Operation *op, Block &block, StringRef name, StringRef takes,
                                          unsigned arguments, StringRef constraint) {
  auto isF32 = [](Type type) { return type.isF32(); };
  if (block.getNumArguments() != arguments || !llvm::all_of(block.getArgumentTypes(), isF32))
    return op->emitOpError() << name << " must take " << arguments << " f32 (" << takes << "), found ("
                             << block.getArgumentTypes() << ") [" << constraint << "]";
  constexpr size_t kMostOperations = 1024; // each is several instructions a lane: LLVM's time grows with them
  if (size_t count = block.getOperations().size() - 1; count > kMostOperations)
    return op->emitOpError() << name << " has " << count << " operations, expected at most "
                             << kMostOperations << " [" << constraint << "]";
  for (Operation &inner : block.without_terminator()) {
    StringRef dialect = inner.getName().getDialectNamespace();
    if (!roundsToNearestEven(inner)) {
      InFlightDiagnostic error = op->emitOpError()
                                 << name << " may round to_nearest_even only [" << constraint << "]";
      error.attachNote(inner.getLoc()) << "found '" << inner.getName() << "' with another rounding mode";
      return error;
    }
    if ((dialect != "arith" && dialect != "math") || inner.getNumRegions() != 0 ||
        !llvm::all_of(inner.getResultTypes(), isScalar)) {
      InFlightDiagnostic error = op->emitOpError()
                                 << name << " may hold only scalar arith and math operations [" << constraint
                                 << "]";
      Diagnostic &note = error.attachNote(inner.getLoc()) << "found '" << inner.getName() << "'";
      if (inner.getNumResults() != 0) note << " of " << inner.getResultTypes();
      return error;
    }
  }
  return success();
}
