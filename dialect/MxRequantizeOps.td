#ifndef MXC_DIALECT_MXREQUANTIZEOPS_TD
#define MXC_DIALECT_MXREQUANTIZEOPS_TD

include "dialect/MxAttributes.td"
include "dialect/MxKernelOps.td"
include "dialect/MxTypes.td"

def Mx_RequantizeOp : Mx_Op<"requantize", [HasParent<"KernelOp">, AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<Mx_KernelOpInterface, ["getAbiAttributes"]>,
    DeclareOpInterfaceMethods<Mx_TiledOpInterface, ["getTileKinds"]>]> {
  let summary = "elements in larger blocks, with a scale for each that keeps as much as can be kept";
  let description = [{
    From MXFP8, ue8m0 scales of 1x32, to FP8 with f32 scales of 1x128. The new scale is the least power of two with which no element is
    too large; an element changes only where it becomes subnormal under it (docs/semantics.md, "Requantize"). `inexact` counts these: their
    number is added to what it held. `error` becomes their largest relative error, or keeps what it held.

    ```mlir
    mx.requantize ins(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>)
                  outs(%r, %t : memref<?x?xf8E4M3FN>, memref<?x?xf32, #mx.scale_layout<mn_major>>)
                  inexact(%n : memref<1xi64>) error(%e : memref<1xf32>)
    ```
    Constraints: RQ1 both matrices of elements have one shape; RQ2 scales have shape [rows, ceil(columns / block length)] of theirs and
    no strides; RQ3 the formats are MXFP8 and FP8 with blocks of 1x128, of one type of elements; RQ4 `inexact` is memref<1xi64>, `error`
    memref<1xf32>; RQ5 as Q6.
  }];
  let arguments = (ins
    Arg<Mx_DataMemRef, "elements", [MemRead]>:$data,
    Arg<Mx_ScaleMemRef, "their scales", [MemRead]>:$scales,
    Arg<Mx_DataMemRef, "elements in larger blocks", [MemWrite]>:$destination,
    Arg<Mx_ScaleMemRef, "their scales", [MemWrite]>:$destination_scales,
    Arg<Optional<Mx_InexactMemRef>, "how many elements changed", [MemRead, MemWrite]>:$inexact,
    Arg<Optional<Mx_ErrorMemRef>, "their largest relative error", [MemRead, MemWrite]>:$error,
    OptionalAttr<Mx_QuantizeTilesAttr>:$tiles);
  let assemblyFormat = [{
    `ins` `(` $data `,` $scales `:` type($data) `,` type($scales) `)`
    `outs` `(` $destination `,` $destination_scales `:` type($destination) `,` type($destination_scales) `)`
    (`inexact` `(` $inexact^ `:` type($inexact) `)`)? (`error` `(` $error^ `:` type($error) `)`)?
    `` custom<RequantizeClauses>($tiles) attr-dict
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mxc::BlockFormat getFormat();       // of the elements
    ::mxc::BlockFormat getDestinationFormat();
  }];
}

#endif
