#include "compiler/lowering/nvvm/Wgmma.h"
#include "compiler/lowering/nvvm/Assembly.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace mxc::nvvm {

Type warpgroupAccumulator(const ValueBuilder &v, int n) {
  SmallVector<Type> registers(n / 2, v.b.getF32Type());
  return LLVM::LLVMStructType::getLiteral(v.b.getContext(), registers);
}

int registersOf(Type accumulator) { return cast<LLVM::LLVMStructType>(accumulator).getBody().size(); }

Value zeroAccumulator(const ValueBuilder &v, Type type) { return LLVM::ZeroOp::create(v.b, v.loc, type); }

Value accumulatorOf(const ValueBuilder &v, Type type, ValueRange elements) {
  Value accumulator = LLVM::PoisonOp::create(v.b, v.loc, type);
  for (auto [index, element] : llvm::enumerate(elements))
    accumulator = LLVM::InsertValueOp::create(v.b, v.loc, accumulator, element, int64_t(index));
  return accumulator;
}

Value accumulatorElement(const ValueBuilder &v, Value accumulator, int index) {
  return LLVM::ExtractValueOp::create(v.b, v.loc, accumulator, index);
}

// An assembly text whose first `count` operands are the accumulator's registers, read and written; $count is
// the next operand.
static Value onAccumulator(const ValueBuilder &v, Value accumulator, ValueRange more,
                           StringRef moreConstraints, StringRef text) {
  int count = registersOf(accumulator.getType());
  SmallVector<Value> operands;
  std::string outputs, inputs;
  for (int i = 0; i < count; ++i) {
    operands.push_back(accumulatorElement(v, accumulator, i));
    outputs += "=f,";
    inputs += std::to_string(i) + ",";
  }
  operands.append(more.begin(), more.end());
  std::string constraints = outputs + inputs + moreConstraints.str();
  if (moreConstraints.empty()) constraints.pop_back();
  return volatileAssembly(v, accumulator.getType(), text, constraints, operands);
}

Value warpgroupMma(const ValueBuilder &v, Value accumulator, Value a, Value b, int steps) {
  constexpr int kStepUnits = 2; // 16 bf16 in units of 16 bytes
  int count = registersOf(accumulator.getType());
  std::string registers;
  for (int i = 0; i < count; ++i)
    registers += llvm::formatv("{0}${1}", i ? ", " : "", i);
  // Tied operands take numbers too: a and b follow outputs and inputs.
  std::string text = "{\n.reg .pred p;\nsetp.eq.u32 p, 0, 0;\nwgmma.fence.sync.aligned;\n";
  SmallVector<Value> descriptors;
  std::string constraints;
  for (int step = 0; step < steps; ++step) {
    text += llvm::formatv(
                "wgmma.mma_async.sync.aligned.m64n{0}k16.f32.bf16.bf16 {{{1}}, ${2}, ${3}, p, 1, 1, 0, 0;\n",
                2 * count, registers, 2 * count + 2 * step, 2 * count + 2 * step + 1)
                .str();
    descriptors.push_back(v.add(a, step * kStepUnits));
    descriptors.push_back(v.add(b, step * kStepUnits));
    constraints += step ? ",l,l" : "l,l";
  }
  text += "wgmma.commit_group.sync.aligned;\n}";
  return onAccumulator(v, accumulator, descriptors, constraints, text);
}

Value fragmentMma(const ValueBuilder &v, Value accumulator, ValueRange fragments, Value b) {
  constexpr int kStepUnits = 2, kWordsOfStep = 4;
  int count = registersOf(accumulator.getType());
  std::string registers, constraints;
  for (int i = 0; i < count; ++i)
    registers += llvm::formatv("{0}${1}", i ? ", " : "", i);
  SmallVector<Value> operands(fragments);
  for (size_t i = 0; i < operands.size(); ++i)
    constraints += "r,";
  std::string text = "{\n.reg .pred p;\nsetp.eq.u32 p, 0, 0;\nwgmma.fence.sync.aligned;\n";
  int steps = fragments.size() / kWordsOfStep;
  for (int step = 0; step < steps; ++step) {
    int a = 2 * count + kWordsOfStep * step;
    text += llvm::formatv(
                "wgmma.mma_async.sync.aligned.m64n{0}k16.f32.bf16.bf16 {{{1}}, {{${2}, ${3}, ${4}, ${5}}, "
                "${6}, p, 1, 1, 0;\n",
                2 * count, registers, a, a + 1, a + 2, a + 3, 2 * count + int(fragments.size()) + step)
                .str();
    operands.push_back(v.add(b, step * kStepUnits));
    constraints += step ? ",l" : "l";
  }
  text += "wgmma.commit_group.sync.aligned;\n}";
  return onAccumulator(v, accumulator, operands, constraints, text);
}

Value fullRateProduct(const ValueBuilder &v, Type accumulator, const FullRateBlocks &blocks, Value a, Value b,
                      uint32_t highWord, Value after) {
  constexpr int kSteps = 4, kStepUnits = 2; // 32 codes in units of 16 bytes
  const int count = registersOf(accumulator), countOfBlock = count / blocks.count;
  std::string constraints;
  SmallVector<Value> operands;
  for (int i = 0; i < count; ++i)
    constraints += "=f,";
  for (int i = 0; after && i < count; ++i) {
    operands.push_back(accumulatorElement(v, after, i));
    constraints += std::to_string(i) + ",";
  }
  // Only a descriptor's low word differs from step to step and from stage to stage.
  const int first = count + int(operands.size());
  for (Value descriptor : {a, b})
    operands.push_back(v.toI32(descriptor));
  constraints += "r,r,";
  // The first step adds to nothing. After another product that is a condition the assembler does not know to
  // be false (a descriptor's low word is never all ones), so that it takes that product's registers.
  const std::string adds =
      after ? llvm::formatv("setp.eq.u32 q, ${0}, 0xffffffff;\n", first).str() : "setp.ne.u32 q, 0, 0;\n";
  std::string text = "{\n.reg .pred p, q;\n.reg .b32 x, y;\n.reg .b64 a, b;\nsetp.eq.u32 p, 0, 0;\n" + adds +
                     "wgmma.fence.sync.aligned;\n";
  for (int block = 0; block < blocks.count; ++block) {
    std::string registers;
    for (int i = 0; i < countOfBlock; ++i)
      registers += llvm::formatv("{0}${1}", i ? ", " : "", block * countOfBlock + i);
    for (int step = 0; step < kSteps; ++step)
      text +=
          llvm::formatv("add.u32 x, ${0}, {3};\nadd.u32 y, ${1}, {4};\nmov.b64 a, {{x, {2}};\nmov.b64 b, "
                        "{{y, {2}};\nwgmma.mma_async.sync.aligned.m64n{5}k32.f32.{6}.{7} {{{8}}, a, b, {9}, "
                        "1, 1;\n",
                        first, first + 1, highWord, block * blocks.unitsA + step * kStepUnits,
                        block * blocks.unitsB + step * kStepUnits, 2 * countOfBlock, blocks.elementA,
                        blocks.elementB, registers, step ? "p" : "q")
              .str();
  }
  text += "wgmma.commit_group.sync.aligned;\n}";
  return volatileAssembly(v, accumulator, text, constraints + "~{memory}", operands);
}

// In braces, which tell it from waits for products alone: lanes have read scales from the stage, too, and a
// warp's order after it is needed (tests/unit/mutation/UnfoundMutants.def).
Value awaitFullRateProduct(const ValueBuilder &v, Value product) {
  return onAccumulator(v, product, {}, "", "{\nwgmma.wait_group.sync.aligned 0;\n}");
}

Value pinAccumulator(const ValueBuilder &v, Value accumulator) {
  return onAccumulator(v, accumulator, {}, "", "");
}

void waitWarpgroup(const ValueBuilder &v, int pending) {
  NVVM::WgmmaWaitGroupSyncOp::create(v.b, v.loc, pending);
}

Value finishWarpgroup(const ValueBuilder &v, Value accumulator) {
  return onAccumulator(v, accumulator, {}, "", "wgmma.wait_group.sync.aligned 0;");
}

void setRegisters(const ValueBuilder &v, int registers, bool more) {
  NVVM::SetMaxRegisterOp::create(v.b, v.loc, registers,
                                 more ? NVVM::SetMaxRegisterAction::increase
                                      : NVVM::SetMaxRegisterAction::decrease);
}

} // namespace mxc::nvvm
