#include "compiler/lowering/nvvm/Memory.h"
#include "compiler/lowering/nvvm/Assembly.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

namespace mxc::nvvm {

Type pointerType(MLIRContext *context, unsigned space) { return LLVM::LLVMPointerType::get(context, space); }

Value offsetBytes(const ValueBuilder &v, Value pointer, Value bytes) {
  return LLVM::GEPOp::create(v.b, v.loc, pointer.getType(), v.b.getI8Type(), pointer, ValueRange{bytes});
}

Value nullPointer(const ValueBuilder &v, Type type) { return LLVM::ZeroOp::create(v.b, v.loc, type); }

Value differs(const ValueBuilder &v, Value pointer, Value other) {
  return LLVM::ICmpOp::create(v.b, v.loc, LLVM::ICmpPredicate::ne, pointer, other);
}

Value load(const ValueBuilder &v, Type type, Value pointer, unsigned alignment) {
  return LLVM::LoadOp::create(v.b, v.loc, type, pointer, alignment);
}

void store(const ValueBuilder &v, Value value, Value pointer, unsigned alignment) {
  LLVM::StoreOp::create(v.b, v.loc, value, pointer, alignment);
}

static void storePieceIf(const ValueBuilder &v, Value condition, ArrayRef<Value> words, Value pointer) {
  std::string list, constraints = "b,l";
  for (size_t i = 0; i < words.size(); ++i) {
    list += (i ? ", $" : "$") + std::to_string(2 + i);
    constraints += ",r";
  }
  std::string text = words.size() == 1
                         ? "@$0 st.global.b32 [$1], " + list + ";"
                         : "@$0 st.global.v" + std::to_string(words.size()) + ".b32 [$1], {" + list + "};";
  SmallVector<Value> operands = {condition, pointer};
  operands.append(words.begin(), words.end());
  volatileAssembly(v, Type(), text, constraints + ",~{memory}", operands);
}

void storeIf(const ValueBuilder &v, Value condition, Value words, Value pointer, unsigned pieceBytes) {
  SmallVector<Value> all;
  for (int i = 0; i < cast<VectorType>(words.getType()).getNumElements(); ++i)
    all.push_back(LLVM::ExtractElementOp::create(v.b, v.loc, words, v.i32(i)));
  ArrayRef<Value> rest = all;
  for (unsigned at = 0; !rest.empty(); at += pieceBytes, rest = rest.drop_front(pieceBytes / 4))
    storePieceIf(v, condition, rest.take_front(pieceBytes / 4), offsetBytes(v, pointer, v.i64(at)));
}

Value addressOf(const ValueBuilder &v, Value shared) {
  return LLVM::PtrToIntOp::create(v.b, v.loc, v.b.getI32Type(), shared);
}

Value opaque(const ValueBuilder &v, Value number) {
  return pureAssembly(v, v.b.getI32Type(), "mov.b32 $0, $1;", "=r,r", number);
}

Value opaqueAddress(const ValueBuilder &v, Value shared) {
  Value wide = LLVM::PtrToIntOp::create(v.b, v.loc, v.b.getI64Type(), shared);
  return pureAssembly(v, v.b.getI32Type(), "cvt.u32.u64 $0, $1;", "=r,l", wide);
}

Value pointerTo(const ValueBuilder &v, Value address, unsigned space) {
  return LLVM::IntToPtrOp::create(v.b, v.loc, pointerType(v.b.getContext(), space), address);
}

Value variable(const ValueBuilder &v, Type type) {
  return LLVM::AllocaOp::create(v.b, v.loc, pointerType(v.b.getContext(), 0), type, v.i32(1));
}

Value dynamicShared(const ValueBuilder &v, Operation *op, unsigned alignment) {
  auto module = op->getParentOfType<ModuleOp>();
  constexpr StringRef name = "__mxc_shared";
  if (auto shared = module.lookupSymbol<LLVM::GlobalOp>(name)) {
    if (shared.getAlignment().value_or(1) < alignment) shared.setAlignment(alignment);
  } else {
    OpBuilder b = OpBuilder::atBlockBegin(module.getBody());
    // External and empty is what makes it dynamic: an internal one becomes a static variable of one byte.
    LLVM::GlobalOp::create(b, v.loc, LLVM::LLVMArrayType::get(b.getI8Type(), 0), /*isConstant=*/false,
                           LLVM::Linkage::External, name, Attribute(), alignment, /*addrSpace=*/3);
  }
  return LLVM::AddressOfOp::create(v.b, v.loc, pointerType(v.b.getContext(), 3), name);
}

} // namespace mxc::nvvm
