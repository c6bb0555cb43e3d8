#include "compiler/lowering/nvvm/Wgmma.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace mxc::nvvm {

Type wgmmaSumsType(MLIRContext *context, int n) {
  SmallVector<Type> floats(n / 2, Float32Type::get(context));
  return LLVM::LLVMStructType::getLiteral(context, floats);
}

Value wgmmaSum(const ValueBuilder &v, Value sums, int index) {
  return LLVM::ExtractValueOp::create(v.b, v.loc, sums, ArrayRef<int64_t>(index));
}

void wgmmaFence(const ValueBuilder &v) { NVVM::WgmmaFenceAlignedOp::create(v.b, v.loc); }
void wgmmaCommit(const ValueBuilder &v) { NVVM::WgmmaGroupSyncAlignedOp::create(v.b, v.loc); }

// Text over all sums, which it reads and writes: $0 .. are the results, tied to the operands; `operands` come
// behind.
static Value overSums(const ValueBuilder &v, Value sums, const std::string &text, ArrayRef<Value> operands,
                      StringRef operandConstraints) {
  auto type = cast<LLVM::LLVMStructType>(sums.getType());
  size_t count = type.getBody().size();
  std::string constraints;
  for (size_t i = 0; i < count; ++i)
    constraints += (i ? "," : "") + std::string("=f");
  SmallVector<Value> all;
  for (size_t i = 0; i < count; ++i) {
    constraints += "," + std::to_string(i);
    all.push_back(wgmmaSum(v, sums, i));
  }
  constraints += operandConstraints;
  all.append(operands.begin(), operands.end());
  return LLVM::InlineAsmOp::create(
             v.b, v.loc, TypeRange{type}, all, text, constraints, /*has_side_effects=*/true,
             /*is_align_stack=*/false, LLVM::TailCallKind::None, LLVM::AsmDialectAttr(), ArrayAttr())
      .getResult(0);
}

Value wgmmaBf16(const ValueBuilder &v, Value sums, Value a, Value b, Value accumulate, int n) {
  int count = n / 2;
  std::string registers;
  for (int i = 0; i < count; ++i)
    registers += (i ? ", $" : "$") + std::to_string(i);
  // Operands are numbered behind results and tied operands.
  std::string text = llvm::formatv(
      "{{ .reg .pred p; setp.ne.b32 p, ${0}, 0; "
      "wgmma.mma_async.sync.aligned.m64n{1}k16.f32.bf16.bf16 {{{2}}, ${3}, ${4}, p, 1, 1, 0, 0; }",
      2 * count + 2, n, registers, 2 * count, 2 * count + 1);
  Value flag = arith::ExtUIOp::create(v.b, v.loc, v.b.getI32Type(), accumulate);
  return overSums(v, sums, text, {a, b, flag}, ",l,l,r");
}

Value wgmmaWait(const ValueBuilder &v, Value sums, int pending) {
  return overSums(v, sums, llvm::formatv("wgmma.wait_group.sync.aligned {0};", pending), {}, ",~{memory}");
}

void setMaxRegisters(const ValueBuilder &v, int count, bool increase) {
  auto action = increase ? NVVM::SetMaxRegisterAction::increase : NVVM::SetMaxRegisterAction::decrease;
  NVVM::SetMaxRegisterOp::create(v.b, v.loc, v.b.getI32IntegerAttr(count),
                                 NVVM::SetMaxRegisterActionAttr::get(v.b.getContext(), action));
}

} // namespace mxc::nvvm
