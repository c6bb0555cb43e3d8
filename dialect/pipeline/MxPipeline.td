#ifndef MXC_DIALECT_PIPELINE_MXPIPELINE_TD
#define MXC_DIALECT_PIPELINE_MXPIPELINE_TD

include "dialect/attributes/MxDialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

// Tile level of kernels whose roles hand stages to each other. mx-lower-pipelines makes barriers, phases and elected
// lanes of it: nothing above writes a wait or an arrive. This file holds what the families of its operations share.

def Mx_RingType : TypeDef<Mx_Dialect, "Ring"> {
  let mnemonic = "ring";
  let summary = "stages of memory that one role fills and another uses";
}

def Mx_NextOp : Mx_Op<"next", [Pure, Terminator, ParentOneOf<["RoleOp", "TilesOp", "FillOp", "UseOp"]>]> {
  let summary = "end of a step of a pipeline, with what it hands on";
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
  let builders = [OpBuilder<(ins), [{}]>];
}

class Mx_StepOp<string mnemonic, list<Trait> traits = []>
    : Mx_Op<mnemonic, !listconcat(traits, [SingleBlockImplicitTerminator<"NextOp">, RecursiveMemoryEffects])> {
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

class Mx_PartOp<string mnemonic, list<Trait> traits = []> : Mx_Op<mnemonic, traits> {
  let hasVerifier = 1;
}

#endif
