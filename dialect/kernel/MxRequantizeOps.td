#ifndef MXC_DIALECT_KERNEL_MXREQUANTIZEOPS_TD
#define MXC_DIALECT_KERNEL_MXREQUANTIZEOPS_TD

include "dialect/attributes/MxAttributes.td"
include "dialect/kernel/MxKernelOp.td"
include "dialect/attributes/MxTypes.td"

def Mx_RequantizeOp : Mx_Op<"requantize", [HasParent<"KernelOp">, AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<Mx_KernelOpInterface, ["getAbiAttributes"]>,
    DeclareOpInterfaceMethods<Mx_TiledOpInterface, ["getTileKinds"]>]> {
  let summary = "elements in other blocks, with scales that keep as much as can be kept";
  let description = [{
    From MXFP8, ue8m0 scales of 1x32, to FP8 with f32 scales of 1x128, or from MXFP4 to NVFP4. The new scale of larger blocks is the least power of two with which no element is
    too large; an element changes only where it becomes subnormal under it (docs/semantics/quantize.md, "Requantize"). `inexact` counts these: their
    number is added to what it held. `error` becomes their largest relative error, or keeps what it held.

    ```mlir
    mx.requantize ins(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>)
                  outs(%r, %t : memref<?x?xf8E4M3FN>, memref<?x?xf32, #mx.scale_layout<mn_major>>)
                  inexact(%n : memref<1xi64>) error(%e : memref<1xf32>)
    ```

    Blocks of NVFP4 take the scale of the larger block that they are part of, over `tensor_scale`: where that is a power of two, and the quotient is from 2^-9 to
    2^8, every element and its code stay as they were. `tensor_amax` and `tensor_divisor` are as mx.dequantize has them.

    ```mlir
    mx.requantize ins(%q, %s : memref<?x?xf4E2M1FN>, memref<?x?xf8E8M0FNU>) tensor_scale(%t : memref<1xf32>)
                  outs(%r, %u : memref<?x?xf4E2M1FN>, memref<?x?xf8E4M3FN, #mx.scale_layout<tcgen05>>)
    ```
    Constraints: RQ1 both matrices of elements have one shape; RQ2 scales have shape [rows, ceil(columns / block length)] of theirs and
    no strides; RQ3 the formats are MXFP8 and FP8 with blocks of 1x128, of one type of elements, or MXFP4 and NVFP4; RQ4 `inexact` is memref<1xi64>, `error`
    memref<1xf32>; RQ5 as Q6; RQ6 as Q14, of the result.
  }];
  let arguments = (ins
    Arg<Mx_DataMemRef, "elements", [MemRead]>:$data,
    Arg<Mx_ScaleMemRef, "their scales", [MemRead]>:$scales,
    Arg<Optional<Mx_TensorScaleMemRef>, "the scale above those of the results' blocks", [MemRead]>:$tensor_scale,
    Arg<Mx_DataMemRef, "elements in other blocks", [MemWrite]>:$destination,
    Arg<Mx_ScaleMemRef, "their scales", [MemWrite]>:$destination_scales,
    Arg<Optional<Mx_InexactMemRef>, "how many elements changed", [MemRead, MemWrite]>:$inexact,
    Arg<Optional<Mx_ErrorMemRef>, "their largest relative error", [MemRead, MemWrite]>:$error,
    OptionalAttr<Mx_TensorSenseAttr>:$tensor_sense,
    OptionalAttr<Mx_QuantizeTilesAttr>:$tiles);
  let assemblyFormat = [{
    `ins` `(` $data `,` $scales `:` type($data) `,` type($scales) `)`
    `` custom<TensorScale>($tensor_scale, type($tensor_scale), $tensor_sense)
    `outs` `(` $destination `,` $destination_scales `:` type($destination) `,` type($destination_scales) `)`
    (`inexact` `(` $inexact^ `:` type($inexact) `)`)? (`error` `(` $error^ `:` type($error) `)`)?
    `` custom<RequantizeClauses>($tiles) attr-dict
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mxc::BlockFormat getFormat();       // of the elements
    ::mxc::BlockFormat getDestinationFormat();
    TensorSense getSense() { return getTensorSense().value_or(TensorSense::Scale); }
  }];
}

#endif
