#include "dialect/kernel/MxKernelOps.h"

using namespace mlir;
using namespace mxc::mx;

static constexpr int64_t kMostRows = 16; // that are added: a lane has a piece of each in registers

static MemRefType memref(Value value) { return cast<MemRefType>(value.getType()); }

// C1
static LogicalResult verifyRows(Operation *op, Value rows) {
  int64_t count = memref(rows).getDimSize(1);
  if (!ShapedType::isDynamic(count) && count >= 1 && count <= kMostRows) return success();
  return op->emitOpError("rows must be i32 [M, k] with a number k from 1 to ")
         << kMostRows << ", found " << rows.getType() << " [C1]";
}

// C2: `numbers` are one for each row that `rows` names.
static LogicalResult verifyNumbers(Operation *op, StringRef name, Value numbers, Value rows) {
  for (unsigned dimension : {0, 1})
    if (!agree(memref(numbers).getDimSize(dimension), memref(rows).getDimSize(dimension)))
      return op->emitOpError() << name << " must have the shape of the rows, " << rows.getType() << ", found "
                               << numbers.getType() << " [C2]";
  return success();
}

// C3: `matrix` has a row for each of `rows`, and the columns of `named`, whose rows are named.
static LogicalResult verifyMatrix(Operation *op, StringRef name, Value matrix, Value rows, Value named) {
  int64_t height = memref(rows).getDimSize(0), width = memref(named).getDimSize(1);
  if (agree(memref(matrix).getDimSize(0), height) && agree(memref(matrix).getDimSize(1), width))
    return success();
  return op->emitOpError() << name << " must be [M, K] with rows of " << rows.getType() << " and columns of "
                           << named.getType() << ", found " << matrix.getType() << " [C3]";
}

LogicalResult CombineOp::verify() {
  if (failed(verifyRows(*this, getRows()))) return failure();
  if (getWeights() && failed(verifyNumbers(*this, "weights", getWeights(), getRows()))) return failure();
  return verifyMatrix(*this, "the result", getSums(), getRows(), getInput());
}

LogicalResult GatherDotOp::verify() {
  if (failed(verifyRows(*this, getRows())) ||
      failed(verifyNumbers(*this, "the result", getDots(), getRows())))
    return failure();
  return verifyMatrix(*this, "the first operand", getLeft(), getRows(), getRight());
}

static const StringRef kDimensionNames[] = {"M", "K", "N"};

ArrayRef<StringRef> CombineOp::getDimensionNames() { return kDimensionNames; }
ArrayRef<StringRef> GatherDotOp::getDimensionNames() { return kDimensionNames; }

// [M, k], as `rows` are.
static AffineMap tableShape(Value rows) {
  MLIRContext *context = rows.getContext();
  return AffineMap::get(
      1, 0, {getAffineDimExpr(0, context), getAffineConstantExpr(memref(rows).getDimSize(1), context)},
      context);
}

static KernelOperand rowsOperand(Value rows, Value named) {
  return {.value = rows, .shape = tableShape(rows), .role = OperandRole::Index, .partner = named};
}

SmallVector<KernelOperand> CombineOp::getKernelOperands() {
  SmallVector<KernelOperand> operands = {{.value = getInput(), .shape = matrixShape(getContext(), 2, 1)},
                                         rowsOperand(getRows(), getInput())};
  if (getWeights()) operands.push_back({.value = getWeights(), .shape = tableShape(getRows())});
  operands.push_back({.value = getSums(), .shape = matrixShape(getContext()), .isOutput = true});
  return operands;
}

SmallVector<KernelOperand> GatherDotOp::getKernelOperands() {
  return {{.value = getLeft(), .shape = matrixShape(getContext())},
          {.value = getRight(), .shape = matrixShape(getContext(), 2, 1)},
          rowsOperand(getRows(), getRight()),
          {.value = getDots(), .shape = tableShape(getRows()), .isOutput = true}};
}
