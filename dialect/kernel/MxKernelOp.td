#ifndef MXC_DIALECT_KERNEL_MXKERNELOP_TD
#define MXC_DIALECT_KERNEL_MXKERNELOP_TD

include "dialect/attributes/MxDialect.td"
include "dialect/attributes/MxInterfaces.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Mx_KernelOp : Mx_Op<"kernel", [IsolatedFromAbove, Symbol, SingleBlock, NoTerminator,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let summary = "one launch";
  let description = [{
    Holds exactly one kernel-level operation. Argument names are kept and become the ABI's names.

    ```mlir
    mx.kernel @quantize(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>,
                        %s: memref<?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>) {
      mx.quantize ins(%x : memref<?x?xbf16>)
                  outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>)
    }
    ```
    Constraints: K1 there are at most 56 arguments, memrefs of rank 1 to 5 of bf16, f16, f32, i32, i64, an element format or f8E8M0FNU, in
    the default memory space, or scalars f32, i32, i64; which of them it takes says the operation; K2 the body holds
    exactly one kernel-level operation; K3 every memref is used by it exactly once, every scalar at least once as it is written, its region
    counted; K4 rows are contiguous: the layout is the default one, `strided<[.., S, 1]>` (S may be `?`, no offset), or a
    scale layout on scales; K5 argument names are unique identifiers of at most 64 characters that are none of the
    operation's dimensions; K6 rows of elements below 8 bits are whole bytes: K is even for 4 bits, a multiple of 4 for
    6 bits, and so are strides.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, StrArrayAttr:$arg_names);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    /// The one kernel-level operation.
    ::mxc::mx::KernelOpInterface getKernelOperation();
    ::llvm::StringRef getArgName(unsigned index);
  }];
}

def Mx_YieldOp : Mx_Op<"yield", [Pure, Terminator]> {
  let summary = "the values that a kernel-level operation's region hands on";
  let arguments = (ins Variadic<F32>:$values);
  let assemblyFormat = "$values attr-dict `:` type($values)";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The only one.
    ::mlir::Value getValue() { return getValues().front(); }
  }];
}

#endif
