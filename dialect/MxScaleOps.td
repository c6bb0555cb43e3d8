#ifndef MXC_DIALECT_MXSCALEOPS_TD
#define MXC_DIALECT_MXSCALEOPS_TD

include "dialect/MxKernelOps.td"
include "dialect/MxTypes.td"

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

#endif
