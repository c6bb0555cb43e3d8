#include "compiler/lowering/pipeline/Steps.h"

#include "dialect/MxOps.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace mxc::steps {

void forRange(const ValueBuilder &v, Value from, Value to, function_ref<void(Value)> body) {
  auto loop = scf::ForOp::create(v.b, v.loc, from, to, v.like(from, 1));
  OpBuilder::InsertionGuard guard(v.b);
  v.b.setInsertionPoint(loop.getBody()->getTerminator());
  body(loop.getInductionVar());
}

void keepRolled(Operation *loop) {
  MLIRContext *context = loop->getContext();
  auto never =
      LLVM::LoopUnrollAttr::get(context, /*disable=*/BoolAttr::get(context, true), {}, {}, {}, {}, {}, {});
  loop->setAttr("loop_annotation", LLVM::LoopAnnotationAttr::get(context, {}, {}, {}, never, {}, {}, {}, {},
                                                                 {}, {}, {}, {}, {}, {}, {}));
}

void forRangeRolled(const ValueBuilder &v, Value from, Value to, int64_t step,
                    function_ref<void(Value)> body) {
  auto loop = scf::ForOp::create(v.b, v.loc, from, to, v.like(from, step));
  keepRolled(loop);
  OpBuilder::InsertionGuard guard(v.b);
  v.b.setInsertionPoint(loop.getBody()->getTerminator());
  body(loop.getInductionVar());
}

void fetchAhead(const ValueBuilder &v) {
  v.b.getInsertionBlock()->getParentOp()->setAttr(kFetchesAhead, v.b.getUnitAttr());
}

template <class Op> static void step(const ValueBuilder &v, Op op, function_ref<void(Value)> body) {
  OpBuilder::InsertionGuard guard(v.b);
  Block *block = v.b.createBlock(&op.getBody(), {}, {v.b.getI32Type()}, {v.loc});
  mx::NextOp::create(v.b, v.loc);
  v.b.setInsertionPointToStart(block);
  body(block->getArgument(0));
}

void fill(const ValueBuilder &v, Value ring, function_ref<void(Value)> body) {
  step(v, mx::FillOp::create(v.b, v.loc, ring), body);
}

void use(const ValueBuilder &v, Value ring, function_ref<void(Value)> body) {
  step(v, mx::UseOp::create(v.b, v.loc, TypeRange(), ring), body);
}

SmallVector<Value> use(const ValueBuilder &v, Value ring, TypeRange types,
                       function_ref<SmallVector<Value>(Value)> body) {
  auto op = mx::UseOp::create(v.b, v.loc, types, ring);
  OpBuilder::InsertionGuard guard(v.b);
  Block *block = v.b.createBlock(&op.getBody(), {}, {v.b.getI32Type()}, {v.loc});
  SmallVector<Value> results = body(block->getArgument(0));
  mx::NextOp::create(v.b, v.loc, results);
  return SmallVector<Value>(op.getResults());
}

Value use(const ValueBuilder &v, Value ring, Type type, function_ref<Value(Value)> body) {
  return use(v, ring, TypeRange{type}, [&](Value stage) { return SmallVector<Value>{body(stage)}; }).front();
}

void copyBox(const ValueBuilder &v, Value map, ValueRange coordinates, const BoxTarget &to, int64_t bytes,
             bool toBoth) {
  mx::CopyBoxOp::create(v.b, v.loc, map, coordinates, to.ring, to.stage, to.offset,
                        v.b.getI32IntegerAttr(to.region), v.b.getI64IntegerAttr(bytes),
                        toBoth ? v.b.getUnitAttr() : UnitAttr());
}

void either(const ValueBuilder &v, Value condition, function_ref<void()> then,
            function_ref<void()> otherwise) {
  auto branch = scf::IfOp::create(v.b, v.loc, condition, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(v.b);
  v.b.setInsertionPointToStart(branch.thenBlock());
  then();
  v.b.setInsertionPointToStart(branch.elseBlock());
  otherwise();
}

Value whereElseZero(const ValueBuilder &v, Value condition, Type type, function_ref<Value()> body) {
  auto op = scf::IfOp::create(v.b, v.loc, TypeRange{type}, condition, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(v.b);
  v.b.setInsertionPointToStart(op.thenBlock());
  scf::YieldOp::create(v.b, v.loc, body());
  v.b.setInsertionPointToStart(op.elseBlock());
  Value zero = arith::ConstantOp::create(v.b, v.loc, v.b.getZeroAttr(type));
  scf::YieldOp::create(v.b, v.loc, zero);
  return op.getResult(0);
}

} // namespace mxc::steps
