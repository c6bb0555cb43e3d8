#ifndef MXC_DIALECT_PIPELINE_MXRINGOPS_TD
#define MXC_DIALECT_PIPELINE_MXRINGOPS_TD

include "dialect/pipeline/MxPipeline.td"
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

    `within` shared memory that the kernel has: the pipeline is a step of the kernel, not all of it. It stands where all
    threads of the CTA come by, also deeper in the function, and its rings lie from the memory's beginning on. One thread makes
    the barriers and fills the rings whose mx.fill stands in no role; then all threads meet, in front of the first role or use.
    The kernel itself waits for earlier grids and says when the next one may start.
  }];
  let arguments = (ins Optional<LLVM_PointerInAddressSpace<3>>:$within, I32Attr:$warps, DefaultValuedAttr<I32Attr, "0">:$tensor_columns,
                       DefaultValuedAttr<I32Attr, "0">:$allocating_warp, UnitAttr:$pair, UnitAttr:$sharing,
                       DefaultValuedAttr<I32Attr, "1">:$splits, DefaultValuedAttr<DenseI32ArrayAttr, "{}">:$registers);
  let assemblyFormat = [{
    (`within` $within^)? `warps` `=` $warps (`tensor_columns` `=` $tensor_columns^)? (`allocating_warp` `=` $allocating_warp^)?
    (`pair` $pair^)? (`sharing` $sharing^)? (`splits` `=` $splits^)? (`registers` `=` $registers^)? attr-dict
    (`:` qualified(type($within))^)?
  }];
}

def Mx_RingOp : Mx_PartOp<"ring", []> {
  let summary = "a ring of stages with the barriers that hand them over";
  let description = [{
    A stage owns `parts` (bytes of shared memory each) and `columns` of tensor memory. A part that is a multiple of `alignment`
    lies on one, any other on a multiple of 128; the 128B swizzle repeats in 1024 bytes. `overlap`: the ring has two
    accumulators that share so many columns, and the first of them read frees both:
    one stage is handed over at a time, and the place alternates.

    Who fills and who uses decides barriers, counts and fences:

    | the body of `fill` or `use` holds, on this ring | full is completed by | empty is completed by |
    |---|---|---|
    | copies (`copy_box`), answers and records (`hand_out`) | their bytes | |
    | tensor core operations (`copy_scales`, `block_mma`) | a commit | a commit |
    | rows (`copy_row`) | an arrival a thread, and their bytes | |
    | pieces (`copy_pieces`) | an arrival a thread, when its copies have | |
    | none of these | an arrival a warp | an arrival a warp |

    A body has one of them; several roles may fill or use a ring, each in its own way, and a barrier counts them all.

    `once`: its one stage is filled once, by one mx.fill, and never empty again: nobody gives it back, it may be used as often as
    wanted, and its memory is the users' afterwards. The answers of mx.hand_out, which fills and uses it alone, come to such a ring, too.
  }];
  let arguments = (ins StrAttr:$name, I32Attr:$stages, UnitAttr:$once, DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$parts,
                       DefaultValuedAttr<I32Attr, "1024">:$alignment, DefaultValuedAttr<I32Attr, "0">:$columns,
                       DefaultValuedAttr<I32Attr, "0">:$overlap);
  let results = (outs Mx_RingType:$ring);
  let assemblyFormat = [{
    $name `stages` `=` $stages (`once` $once^)? (`parts` `=` $parts^)? (`alignment` `=` $alignment^)? (`columns` `=` $columns^)?
    (`overlap` `=` $overlap^)? attr-dict
  }];
}

def Mx_SharedOp : Mx_PartOp<"shared", []> {
  let summary = "a named region of shared memory outside of rings";
  let arguments = (ins StrAttr:$name, I64Attr:$bytes, I64Attr:$alignment);
  let results = (outs LLVM_AnyPointer:$address);
  let assemblyFormat = "$name `bytes` `=` $bytes `alignment` `=` $alignment attr-dict `:` type($address)";
}

#endif
