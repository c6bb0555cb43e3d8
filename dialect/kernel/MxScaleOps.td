#ifndef MXC_DIALECT_KERNEL_MXSCALEOPS_TD
#define MXC_DIALECT_KERNEL_MXSCALEOPS_TD

include "dialect/kernel/MxKernelOp.td"
include "dialect/attributes/MxTypes.td"

class Mx_ScaleCopyOp<string mnemonic>
    : Mx_Op<mnemonic, [HasParent<"KernelOp">, DeclareOpInterfaceMethods<Mx_KernelOpInterface>]> {
  let arguments = (ins
    Arg<Mx_ScaleMemRef, "scales", [MemRead]>:$source,
    Arg<Mx_ScaleMemRef, "the same scales", [MemWrite]>:$destination);
  let assemblyFormat = [{
    `ins` `(` $source `:` type($source) `)` `outs` `(` $destination `:` type($destination) `)`
    `` custom<NoClauses>(ref($source)) attr-dict
  }];
  let hasVerifier = 1;
}

def Mx_PackScalesOp : Mx_ScaleCopyOp<"pack_scales"> {
  let summary = "dense scales to the layout that the tensor cores read";
  let description = [{
    Padding bytes of whole tiles are written as 0x00.

    Constraints: S1 source is dense and destination tcgen05, a layout of scales of one byte; S2 both have one shape and one type of scales.
  }];
}

def Mx_UnpackScalesOp : Mx_ScaleCopyOp<"unpack_scales"> {
  let summary = "scales in the tensor cores' layout to dense ones";
  let description = "Constraints: S1 source is tcgen05 and destination dense; S2 both have one shape and one type of scales.";
}

def Mx_ConvertScalesOp : Mx_Op<"convert_scales", [HasParent<"KernelOp">,
    DeclareOpInterfaceMethods<Mx_KernelOpInterface, ["getAbiAttributes"]>]> {
  let summary = "scales of another format, in another layout, of smaller blocks";
  let description = [{
    Scales keep their format, or go from f32 to ue8m0 or back. An f32 that is no power of two becomes the nearest one
    (docs/semantics/layouts.md, "Convert scales"); `inexact` counts them: their number is added to what it held.

    `block = 1x128 to 1x32` repeats each scale for the smaller blocks that its own is made of, so that elements in blocks of 1x128, or of
    128x128, are MX elements with blocks of 32 and the same values. In rank 3 each matrix of the batch has a layout of its own.

    ```mlir
    mx.convert_scales ins(%s : memref<?x?xf32, #mx.scale_layout<mn_major>>) outs(%t : memref<?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>)
                      inexact(%n : memref<1xi64>) block = 1x128 to 1x32
    ```
    Constraints: S3 source and destination have one type of scales, or f32 and f8E8M0FNU, each in a layout of scales of its width; S4 the
    source's blocks are made of whole blocks of the destination, and it has shape [ceil(rows / rows of them), ceil(blocks / blocks of them)] of the
    destination's; without `block` they have one shape; a leading dimension, a batch, is the same of both; S5 `inexact` is
    memref<1xi64>, and is for f32 that become f8E8M0FNU.
  }];
  let arguments = (ins
    Arg<Mx_ProductScaleMemRef, "scales", [MemRead]>:$source,
    Arg<Mx_ProductScaleMemRef, "the same scales", [MemWrite]>:$destination,
    Arg<Optional<Mx_InexactMemRef>, "how many were no powers of two", [MemRead, MemWrite]>:$inexact,
    OptionalAttr<DenseI64ArrayAttr>:$block,
    OptionalAttr<DenseI64ArrayAttr>:$block_to);
  let assemblyFormat = [{
    `ins` `(` $source `:` type($source) `)` `outs` `(` $destination `:` type($destination) `)`
    (`inexact` `(` $inexact^ `:` type($inexact) `)`)? `` custom<ConvertScalesClauses>($block, $block_to) attr-dict
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Rows and blocks of the destination that one scale of the source is for.
    ::mxc::BlockShape getRepeats();
    bool isBatched() { return getDestination().getType().getRank() == 3; }
  }];
}

#endif
