#ifndef MXC_DIALECT_KERNEL_MXDEQUANTIZEOPS_TD
#define MXC_DIALECT_KERNEL_MXDEQUANTIZEOPS_TD

include "dialect/attributes/MxAttributes.td"
include "dialect/kernel/MxKernelOp.td"
include "dialect/attributes/MxTypes.td"

def Mx_DequantizeOp : Mx_Op<"dequantize", [HasParent<"KernelOp">, DeclareOpInterfaceMethods<Mx_KernelOpInterface, ["getAbiAttributes"]>,
    DeclareOpInterfaceMethods<Mx_TiledOpInterface, ["getTileKinds"]>]> {
  let summary = "the values of an MX matrix";
  let description = [{
    values = element * scale, rounded once to the output's type, to nearest even. A NaN scale or element gives
    NaN (0x7FFF, 0x7FFFFFFF). `block = RxC` and `tensor_scale` as mx.quantize has them: values = (element * scale) * tensor_scale.
    In its place `tensor_amax` takes the tensor's largest magnitude, of which 1/2688 is the scale, and `tensor_divisor` its reciprocal.

    Constraints: D1 data and values have one shape; D2 scales have shape [rows, ceil(columns / block
    length)] and no strides; D3 as Q6; D4 as Q7; D5 as Q14.
  }];
  let arguments = (ins
    Arg<Mx_DataMemRef, "quantized elements", [MemRead]>:$data,
    Arg<Mx_ScaleMemRef, "scales", [MemRead]>:$scales,
    Arg<Optional<Mx_TensorScaleMemRef>, "the scale above the blocks'", [MemRead]>:$tensor_scale,
    Arg<Mx_InputMemRef, "the values", [MemWrite]>:$values,
    OptionalAttr<Mx_TensorSenseAttr>:$tensor_sense,
    OptionalAttr<DenseI64ArrayAttr>:$block,
    OptionalAttr<Mx_QuantizeTilesAttr>:$tiles);
  let assemblyFormat = [{
    `ins` `(` $data `,` $scales `:` type($data) `,` type($scales) `)`
    `` custom<TensorScale>($tensor_scale, type($tensor_scale), $tensor_sense) `outs` `(` $values `:` type($values) `)`
    `` custom<DequantizeClauses>($block, $tiles) attr-dict
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mxc::BlockFormat getFormat();
    TensorSense getSense() { return getTensorSense().value_or(TensorSense::Scale); }
  }];
}

#endif
