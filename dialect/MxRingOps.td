#ifndef MXC_DIALECT_MXRINGOPS_TD
#define MXC_DIALECT_MXRINGOPS_TD

include "dialect/MxPipeline.td"
include "mlir/Dialect/LLVMIR/LLVMOpBase.td"

// What the roles of a kernel share: the pipeline, its rings, other shared memory.

def Mx_PipelineOp : Mx_PartOp<"pipeline", []> {
  let summary = "what the roles of a kernel share";
  let description = [{
    `warps` of a CTA; `pair`: CTAs of rank 2i and 2i+1 work on one tile (cta_group::2), the even one leads.
    `sharing`: they work on neighbouring tiles, and each copies into both what both read: a stage is empty when the users
    in both CTAs gave it back. `tensor_columns`: tensor memory to allocate, by the role `allocates`; 0: none.
    `splits`: so many CTAs of a cluster share the tile's K; each fills rings of its own.
    `registers`: of a thread, one number a warpgroup (setmaxnreg); none: what the launch gives.
  }];
  let arguments = (ins I32Attr:$warps, I32Attr:$tensor_columns, I32Attr:$allocating_warp, UnitAttr:$pair, UnitAttr:$sharing, DefaultValuedAttr<I32Attr, "1">:$splits,
                       DefaultValuedAttr<DenseI32ArrayAttr, "{}">:$registers);
  let assemblyFormat = [{
    `warps` `=` $warps `tensor_columns` `=` $tensor_columns `allocating_warp` `=` $allocating_warp (`pair` $pair^)?
    (`sharing` $sharing^)? (`splits` `=` $splits^)? (`registers` `=` $registers^)? attr-dict
  }];
}

def Mx_RingOp : Mx_PartOp<"ring", []> {
  let summary = "a ring of stages with the barriers that hand them over";
  let description = [{
    A stage owns `parts` (bytes of shared memory each; multiples of 1024 lie on multiples of 1024) and `columns` of tensor
    memory. `overlap`: the ring has two accumulators that share so many columns, and the first of them read frees both:
    one stage is handed over at a time, and the place alternates.

    Who fills and who uses decides barriers, counts and fences:

    | the body of `fill` or `use` holds, on this ring | full is completed by | empty is completed by |
    |---|---|---|
    | copies (`copy_box`), answers (`take_over`) | their bytes | |
    | tensor core operations (`copy_scales`, `block_mma`) | a commit | a commit |
    | neither | an arrival a warp | an arrival a warp |

    A body has one of them; several roles may fill or use a ring, each in its own way, and a barrier counts them all.
  }];
  let arguments = (ins StrAttr:$name, I32Attr:$stages, DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$parts,
                       DefaultValuedAttr<I32Attr, "0">:$columns, DefaultValuedAttr<I32Attr, "0">:$overlap);
  let results = (outs Mx_RingType:$ring);
  let assemblyFormat = [{
    $name `stages` `=` $stages (`parts` `=` $parts^)? (`columns` `=` $columns^)? (`overlap` `=` $overlap^)? attr-dict
  }];
}

def Mx_SharedOp : Mx_PartOp<"shared", []> {
  let summary = "a named region of shared memory outside of rings";
  let arguments = (ins StrAttr:$name, I64Attr:$bytes, I64Attr:$alignment);
  let results = (outs LLVM_AnyPointer:$address);
  let assemblyFormat = "$name `bytes` `=` $bytes `alignment` `=` $alignment attr-dict `:` type($address)";
}

#endif
