#include "compiler/lowering/ops/PackedPairs.h"
#include "compiler/lowering/nvvm/Vectors.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace mxc {

static bool isConstant(Value value, uint32_t bits) {
  std::optional<int64_t> constant = getConstantIntValue(value);
  return constant && uint32_t(*constant) == bits;
}

static Type pairType(const ValueBuilder &v) { return VectorType::get(2, v.b.getBF16Type()); }

std::optional<Half> halfOf(Value wide) {
  if (auto bits = wide.getDefiningOp<LLVM::BitcastOp>()) wide = bits.getArg();
  if (auto shift = wide.getDefiningOp<arith::ShLIOp>(); shift && isConstant(shift.getRhs(), 16))
    return Half{shift.getLhs(), false};
  if (auto upper = wide.getDefiningOp<arith::AndIOp>(); upper && isConstant(upper.getRhs(), 0xffff0000))
    return Half{upper.getLhs(), true};
  return std::nullopt;
}

Value pairOfHalves(Value low, Value high) {
  auto lower = low.getDefiningOp<arith::AndIOp>();
  auto upper = high.getDefiningOp<arith::ShRUIOp>();
  bool areHalves = lower && upper && lower.getLhs() == upper.getLhs() && isConstant(lower.getRhs(), 0xffff) &&
                   isConstant(upper.getRhs(), 16);
  return areHalves ? lower.getLhs() : Value();
}

Value wordsOfPairs(const ValueBuilder &v, Type words, ArrayRef<Value> pairs, Operation *before) {
  SmallVector<Value> filled(pairs);
  if (pairs.size() % 2) filled.push_back(arith::ConstantOp::create(v.b, v.loc, v.b.getI16IntegerAttr(0)));
  Value all = nvvm::fromElements(v, VectorType::get(filled.size(), v.b.getI16Type()), filled);
  OpBuilder::InsertionGuard guard(v.b);
  if (before) v.b.setInsertionPoint(before);
  return nvvm::bitcast(v, words, all);
}

// bf16 is the upper half of an f32, and powers of two, 2^-127 included, have nothing in the lower one.
Value packMultipliers(const ValueBuilder &v, Value low, Value high) {
  std::optional<Half> first = halfOf(low), second = halfOf(high);
  auto bits = [&](Value wide) { return nvvm::bitcast(v, v.b.getI32Type(), wide); };
  if (!first || !second || first->pair != second->pair)
    return nvvm::bitcast(v, pairType(v), nvvm::permuteBytes(v, bits(low), bits(high), v.i32(0x7632)));
  if (!first->isUpper && second->isUpper) return nvvm::bitcast(v, pairType(v), first->pair);
  int64_t selector = (first->isUpper ? 0x32 : 0x10) | (second->isUpper ? 0x3200 : 0x1000);
  return nvvm::bitcast(v, pairType(v), nvvm::permuteBytes(v, first->pair, first->pair, v.i32(selector)));
}

SmallVector<Value> scaledPairs(const ValueBuilder &v, Value elements, Value multipliers) {
  int count = cast<VectorType>(elements.getType()).getNumElements() / 2;
  Value words = nvvm::bitcast(v, VectorType::get(count, v.b.getI32Type()), elements);
  SmallVector<Value> pairs;
  for (int i = 0; i < count; ++i) {
    Value pair = nvvm::bitcast(v, pairType(v), nvvm::element(v, words, i));
    pairs.push_back(arith::MulFOp::create(v.b, v.loc, pair, multipliers));
  }
  return pairs;
}

} // namespace mxc
