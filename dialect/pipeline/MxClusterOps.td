#ifndef MXC_DIALECT_PIPELINE_MXCLUSTEROPS_TD
#define MXC_DIALECT_PIPELINE_MXCLUSTEROPS_TD

include "dialect/pipeline/MxPipeline.td"
include "mlir/Dialect/LLVMIR/LLVMOpBase.td"

// What the CTAs of a cluster know of each other.

def Mx_CtaRankOp : Mx_PartOp<"cta_rank", []> {
  let summary = "this CTA's rank in its pair or among its splits; 0 without a cluster";
  let results = (outs I32:$rank);
  let assemblyFormat = "attr-dict";
}

def Mx_ClusterBarrierOp : Mx_PartOp<"cluster_barrier", []> {
  let summary = "all threads of the cluster's CTAs, or of the CTA, meet; what they wrote to shared memory is visible";
  let assemblyFormat = "attr-dict";
}

def Mx_ClusterLoadOp : Mx_PartOp<"cluster_load", []> {
  let summary = "four f32 at the place of `address` in the shared memory of the cluster's CTA `rank`";
  let arguments = (ins LLVM_PointerInAddressSpace<3>:$address, I32:$rank);
  let results = (outs VectorOfLengthAndType<[4], [F32]>:$value);
  let assemblyFormat = "$address `of` $rank attr-dict `:` type($address) `->` type($value)";
}

#endif
