#ifndef MXC_DIALECT_ATTRIBUTES_MXDIALECT_TD
#define MXC_DIALECT_ATTRIBUTES_MXDIALECT_TD

include "mlir/IR/OpBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td" // of operations whose results have one type each

def Mx_Dialect : Dialect {
  let name = "mx";
  let cppNamespace = "::mxc::mx";
  let summary = "Microscaling (MX) kernels: quantize, dequantize, scale layouts";
  let description = [{
    Two levels. *Kernel level* is what users write: one `mx.kernel` is one launch, its arguments carry element format and
    scale layout in their types. *Tile level* is what the passes produce: what one lane of a warp holds and does.

    docs/semantics is the reference of the bits; the constraint numbers in error messages are its.
  }];
  let useDefaultTypePrinterParser = 1;
  let extraClassDeclaration = [{
    void registerAttributes();
    ::mlir::Attribute parseAttribute(::mlir::DialectAsmParser &parser, ::mlir::Type type) const override;
    void printAttribute(::mlir::Attribute attribute, ::mlir::DialectAsmPrinter &p) const override;
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect"]; // of what its operations parse
}

class Mx_Op<string mnemonic, list<Trait> traits = []> : Op<Mx_Dialect, mnemonic, traits>;

#endif
