#include "compiler/lowering/nvvm/WarpMma.h"
#include "compiler/lowering/nvvm/Assembly.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace mxc::nvvm {

static SmallVector<Value> parts(const ValueBuilder &v, Value record, int count) {
  SmallVector<Value> values;
  for (int i = 0; i < count; ++i)
    values.push_back(LLVM::ExtractValueOp::create(v.b, v.loc, record, i));
  return values;
}

static Type fourOf(Type type) {
  return LLVM::LLVMStructType::getLiteral(type.getContext(), SmallVector<Type>(4, type));
}

static SmallVector<Value> loadFour(const ValueBuilder &v, StringRef form, Value address) {
  const std::string text = ("ldmatrix.sync.aligned." + form + " {$0, $1, $2, $3}, [$4];").str();
  return parts(v, volatileAssembly(v, fourOf(v.b.getI32Type()), text, "=r,=r,=r,=r,r,~{memory}", address), 4);
}

SmallVector<Value> loadMatrices(const ValueBuilder &v, Value address) {
  return loadFour(v, "m8n8.x4.shared.b16", address);
}

// Elements of 6 bits lie in the low bits of their byte, those of 4 in bits 2 to 5; above them are zeros.
SmallVector<Value> loadPaddedMatrices(const ValueBuilder &v, Value address, ElementFormat element) {
  if (info(element).bits() == 6) return loadFour(v, "m8n16.x4.shared.b8x16.b6x16_p32", address);
  SmallVector<Value> words = loadFour(v, "m8n16.x4.shared.b8x16.b4x16_p64", address);
  for (Value &word : words)
    word = v.shl(word, 2);
  return words;
}

void storeMatrices(const ValueBuilder &v, ValueRange words, Value address) {
  SmallVector<Value> operands{address};
  llvm::append_range(operands, words);
  const bool areFour = words.size() == 4;
  const StringRef text = areFour ? "stmatrix.sync.aligned.m8n8.x4.shared.b16 [$0], {$1, $2, $3, $4};"
                                 : "stmatrix.sync.aligned.m8n8.x2.shared.b16 [$0], {$1, $2};";
  volatileAssembly(v, Type(), text, areFour ? "r,r,r,r,r,~{memory}" : "r,r,r,~{memory}", operands);
}

void storeMatricesTransposed(const ValueBuilder &v, ValueRange words, Value address) {
  SmallVector<Value> operands{address};
  llvm::append_range(operands, words);
  volatileAssembly(v, Type(), "stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [$0], {$1, $2, $3, $4};",
                   "r,r,r,r,r,~{memory}", operands);
}

// Shape, kind and scales of a kind; sm_120f and its chips take the long form alone.
static StringRef nameOf(mx::BlockMmaKind kind) {
  switch (kind) {
  case mx::BlockMmaKind::Mxf8f6f4:
    return "m16n8k32.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X";
  case mx::BlockMmaKind::Mxf4:
    return "m16n8k64.row.col.kind::mxf4.block_scale.scale_vec::2X";
  case mx::BlockMmaKind::Mxf4nvf4:
    return "m16n8k64.row.col.kind::mxf4nvf4.block_scale.scale_vec::4X";
  }
  llvm_unreachable("a kind");
}

SmallVector<Value> warpMma(const ValueBuilder &v, mx::BlockMmaKind kind, ElementFormat elementA,
                           ElementFormat elementB, ValueRange accumulator, ValueRange a, ValueRange b,
                           ScaleWord scaleA, ScaleWord scaleB) {
  const bool isUe4m3 = kind == mx::BlockMmaKind::Mxf4nvf4;
  // Four results, then their tied operands 4 to 7.
  std::string text =
      llvm::formatv("mma.sync.aligned.{0}.f32.{1}.{2}.f32.{3} {{$0, $1, $2, $3}, {{$8, $9, $10, $11}, "
                    "{{$12, $13}, {{$0, $1, $2, $3}, $14, {{{4}, {5}}, $15, {{{6}, {7}};",
                    nameOf(kind), info(elementA).name, info(elementB).name, isUe4m3 ? "ue4m3" : "ue8m0",
                    scaleA.byte, scaleA.thread, scaleB.byte, scaleB.thread)
          .str();
  SmallVector<Value> operands(accumulator);
  llvm::append_range(operands, a);
  llvm::append_range(operands, b);
  operands.push_back(scaleA.word), operands.push_back(scaleB.word);
  return parts(
      v, pureAssembly(v, fourOf(v.b.getF32Type()), text, "=f,=f,=f,=f,0,1,2,3,r,r,r,r,r,r,r,r", operands), 4);
}

} // namespace mxc::nvvm
