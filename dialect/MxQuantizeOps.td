#ifndef MXC_DIALECT_MXQUANTIZEOPS_TD
#define MXC_DIALECT_MXQUANTIZEOPS_TD

include "dialect/MxAttributes.td"
include "dialect/MxKernelOps.td"
include "dialect/MxTypes.td"

def Mx_QuantizeOp : Mx_Op<"quantize", [HasParent<"KernelOp">, SingleBlock, RecursiveMemoryEffects,
    DeclareOpInterfaceMethods<Mx_KernelOpInterface, ["getAbiAttributes"]>,
    DeclareOpInterfaceMethods<Mx_TiledOpInterface, ["getTileKinds"]>]> {
  let summary = "quantize a matrix to an MX format";
  let description = [{
    Blocks of consecutive elements along `axis` share a scale: the types of data and scales name the block format. `rounding` (default ceil), `special` (default
    propagate) and `tiny` (default exact) are the numerics contract's (docs/semantics.md); `compat` names a triple of them
    that is bit-exact with a peer: te, torchao, megatron, cublas.

    The optional prologue computes the value to quantize from one element of every input, in f32, with arith and math
    operations. `fastmath<afn>` on math operations and arith.divf allows the hardware's approximations.

    ```mlir
    mx.quantize ins(%gate, %up : memref<?x?xbf16>, memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>)
        axis = row rounding = ceil {
    ^bb0(%g: f32, %u: f32):
      %y = arith.mulf %g, %u : f32
      mx.yield %y : f32
    }
    ```
    Constraints: Q1 at least one input, and exactly one without a prologue; Q2 inputs and data have one shape; Q3 scales
    have shape [rows, ceil(columns / block length)] (axis = row) and no strides; Q4 the prologue takes one f32 an input and holds only
    arith, math and mx.yield operations; Q5 `compat` excludes rounding, special and tiny, and names a preset; Q6 tiles: the
    last one takes everything (no condition); Q7 data and scales make a block format (formats/BlockFormats.def).
  }];
  let arguments = (ins
    Arg<Variadic<Mx_InputMemRef>, "matrices of one shape", [MemRead]>:$inputs,
    Arg<Mx_DataMemRef, "quantized elements", [MemWrite]>:$data,
    Arg<Mx_ScaleMemRef, "scales", [MemWrite]>:$scales,
    OptionalAttr<Mx_AxisAttr>:$axis,
    OptionalAttr<Mx_RoundingAttr>:$rounding,
    OptionalAttr<Mx_SpecialAttr>:$special,
    OptionalAttr<Mx_TinyAttr>:$tiny,
    OptionalAttr<StrAttr>:$compat,
    OptionalAttr<Mx_QuantizeTilesAttr>:$tiles);
  let regions = (region AnyRegion:$prologue);
  let assemblyFormat = [{
    `ins` `(` $inputs `:` type($inputs) `)` `outs` `(` $data `,` $scales `:` type($data) `,` type($scales) `)`
    `` custom<QuantizeClauses>($axis, $rounding, $special, $tiny, $compat, $tiles)
    attr-dict-with-keyword ($prologue^)?
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let hasCanonicalizer = 1;
  let extraClassDeclaration = [{
    /// The rule with defaults filled in and the preset resolved.
    ::mxc::QuantizeRule getRule();
    Axis getQuantizedAxis() { return getAxis().value_or(Axis::Row); }
    bool hasPrologue() { return !getPrologue().empty(); }
  }];
}

#endif
