#include "compiler/lowering/nvvm/Assembly.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace mxc::nvvm {

static Value assembly(const ValueBuilder &v, Type type, StringRef text, StringRef constraints,
                      ValueRange operands, bool hasEffects) {
  auto dialect = LLVM::AsmDialectAttr::get(v.b.getContext(), LLVM::AsmDialect::AD_ATT);
  auto op =
      LLVM::InlineAsmOp::create(v.b, v.loc, type ? TypeRange(type) : TypeRange(), operands, text, constraints,
                                hasEffects, /*is_align_stack=*/false, LLVM::TailCallKind::None, dialect,
                                /*operand_attrs=*/ArrayAttr());
  return type ? op.getResult(0) : Value();
}

Value pureAssembly(const ValueBuilder &v, Type type, StringRef text, StringRef constraints,
                   ValueRange operands) {
  return assembly(v, type, text, constraints, operands, /*hasEffects=*/false);
}

Value volatileAssembly(const ValueBuilder &v, Type type, StringRef text, StringRef constraints,
                       ValueRange operands) {
  return assembly(v, type, text, constraints, operands, /*hasEffects=*/true);
}

} // namespace mxc::nvvm
