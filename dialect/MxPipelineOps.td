#ifndef MXC_DIALECT_MXPIPELINEOPS_TD
#define MXC_DIALECT_MXPIPELINEOPS_TD

include "dialect/MxDialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Dialect/LLVMIR/LLVMOpBase.td"

// Tile level of kernels whose roles hand stages to each other. mx-lower-pipelines makes barriers, phases and elected
// lanes of it: nothing above writes a wait or an arrive.

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
    : Mx_Op<mnemonic, !listconcat(traits, [SingleBlockImplicitTerminator<"NextOp">, RecursiveMemoryEffects])>;

def Mx_PipelineOp : Mx_Op<"pipeline", []> {
  let summary = "what the roles of a kernel share";
  let description = [{
    `warps` of a CTA; `pair`: CTAs of rank 2i and 2i+1 work on one tile (cta_group::2), the even one leads.
    `tensor_columns`: tensor memory to allocate, by the role `allocates`; 0: none.
  }];
  let arguments = (ins I32Attr:$warps, I32Attr:$tensor_columns, I32Attr:$allocating_warp, UnitAttr:$pair);
  let assemblyFormat = "`warps` `=` $warps `tensor_columns` `=` $tensor_columns `allocating_warp` `=` $allocating_warp (`pair` $pair^)? attr-dict";
}

def Mx_RingOp : Mx_Op<"ring", []> {
  let summary = "a ring of stages with the barriers that hand them over";
  let description = [{
    A stage owns `parts` (bytes of shared memory each; multiples of 1024 lie on multiples of 1024) and `columns` of tensor
    memory. `overlap`: the ring has two accumulators that share so many columns, and the first of them read frees both:
    one stage is handed over at a time, and the place alternates.

    Who fills and who uses decides barriers, counts and fences:

    | the body of `fill` or `use` holds | full is completed by | empty is completed by |
    |---|---|---|
    | copies (`copy_box`) | their bytes | |
    | tensor core operations (`copy_scales`, `block_mma`) | a commit | a commit |
    | neither | an arrival a warp | an arrival a warp |
  }];
  let arguments = (ins StrAttr:$name, I32Attr:$stages, DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$parts,
                       DefaultValuedAttr<I32Attr, "0">:$columns, DefaultValuedAttr<I32Attr, "0">:$overlap);
  let results = (outs Mx_RingType:$ring);
  let assemblyFormat = [{
    $name `stages` `=` $stages (`parts` `=` $parts^)? (`columns` `=` $columns^)? (`overlap` `=` $overlap^)? attr-dict
  }];
  let hasVerifier = 1;
}

def Mx_SharedOp : Mx_Op<"shared", []> {
  let summary = "a named region of shared memory outside of rings";
  let arguments = (ins StrAttr:$name, I64Attr:$bytes, I64Attr:$alignment);
  let results = (outs LLVM_AnyPointer:$address);
  let assemblyFormat = "$name `bytes` `=` $bytes `alignment` `=` $alignment attr-dict `:` type($address)";
}

def Mx_RoleOp : Mx_StepOp<"role"> {
  let summary = "what some warps of every CTA do";
  let description = [{
    `first` .. `first + warps - 1` execute the body, all lanes with uniform values but where an operation says otherwise.
    `leader`: in a pair only the even CTA does.
  }];
  let arguments = (ins StrAttr:$name, I32Attr:$first, I32Attr:$warps, UnitAttr:$leader);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$name `first` `=` $first `warps` `=` $warps (`leader` $leader^)? attr-dict-with-keyword $body";
}

def Mx_Order : I32EnumAttr<"TileScheduler", "which tile a cluster works on next",
    [I32EnumAttrCase<"Static", 0, "static">, I32EnumAttrCase<"Clc", 1, "clc">]> {
  let cppNamespace = "::mxc::mx";
  let genSpecializedAttr = 0;
}
def Mx_OrderAttr : EnumAttr<Mx_Dialect, Mx_Order, "scheduler"> { let assemblyFormat = "$value"; }

def Mx_TilesOp : Mx_StepOp<"tiles"> {
  let summary = "the tiles of this cluster, one after the other";
  let description = [{
    Every role walks the same tiles in the same order. The body gets the record of a tile: (batch, row, column), in tiles.
    Tiles go through a batch in supergroups of `supergroup` rows of tiles, columns first inside one, so that what runs at a
    time shares operands in L2.
  }];
  let arguments = (ins I32:$rows, I32:$columns, I32:$batches, I32Attr:$supergroup, Mx_OrderAttr:$scheduler);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$rows `x` $columns `x` $batches `supergroup` `=` $supergroup `scheduler` `=` `` $scheduler attr-dict-with-keyword $body";
}

def Mx_FillOp : Mx_StepOp<"fill"> {
  let summary = "fill the ring's next stage: wait until it is empty, execute the body, publish";
  let description = [{The body gets the stage's number. Bytes of the copies inside are announced: their sum, computed.}];
  let arguments = (ins Mx_RingType:$ring);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$ring attr-dict-with-keyword $body";
}

def Mx_UseOp : Mx_StepOp<"use"> {
  let summary = "use the ring's next stage: wait until it is full, execute the body, give it back";
  let description = [{
    The body gets the stage's number. It may give the stage back early with `mx.release`. `lag`: the stage is given back
    when the one behind it was used (an asynchronous reader: wgmma); the last ones stay with the role.
  }];
  let arguments = (ins Mx_RingType:$ring, DefaultValuedAttr<I32Attr, "0">:$lag);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$ring (`lag` `=` $lag^)? (`->` type($results)^)? attr-dict-with-keyword $body";
}

def Mx_ReleaseOp : Mx_Op<"release", []> {
  let summary = "give the stage of this ring back, before the end of the use around it";
  let arguments = (ins Mx_RingType:$ring);
  let assemblyFormat = "$ring attr-dict";
}

def Mx_CopyBoxOp : Mx_Op<"copy_box", [AttrSizedOperandSegments]> {
  let summary = "bulk tensor copy of one box into a part of the stage that is being filled";
  let description = [{
    `coordinates`, innermost first, in elements of the map. `bytes` of the whole box; it lies `offset` bytes behind the
    part's beginning. `multicast`: into both CTAs of the pair at the same place; `bytes` are counted in each.
  }];
  let arguments = (ins LLVM_AnyPointer:$map, Variadic<I32>:$coordinates, Mx_RingType:$ring, I32:$stage,
                       Optional<I32>:$offset, I32Attr:$part, I64Attr:$bytes, UnitAttr:$multicast);
  let assemblyFormat = [{
    $map `[` $coordinates `]` `to` $ring `[` $stage `]` `part` `=` $part (`offset` $offset^)? `bytes` `=` $bytes
    (`multicast` $multicast^)? attr-dict `:` type($map)
  }];
}

def Mx_StageAddressOp : Mx_Op<"stage_address", []> {
  let summary = "where a part of a stage lies in shared memory: for threads that fill or use it themselves";
  let arguments = (ins Mx_RingType:$ring, I32:$stage, I32Attr:$part);
  let results = (outs LLVM_AnyPointer:$address);
  let assemblyFormat = "$ring `[` $stage `]` `part` `=` $part attr-dict `:` type($address)";
}

def Mx_CtaRankOp : Mx_Op<"cta_rank", []> {
  let summary = "this CTA's rank in its pair, 0 without pairs";
  let results = (outs I32:$rank);
  let assemblyFormat = "attr-dict";
}

def Mx_RoleThreadOp : Mx_Op<"role_thread", []> {
  let summary = "this thread's number among those of its role";
  let results = (outs I32:$thread);
  let assemblyFormat = "attr-dict";
}

def Mx_CopyScalesOp : Mx_Op<"copy_scales", []> {
  let summary = "scale tiles, 512 bytes each, to the stage's tensor memory: tcgen05.cp.32x128b.warpx4";
  let description = [{All tiles of `parts`, one behind the other, to the stage's columns from the first on, four each.}];
  let arguments = (ins Mx_RingType:$ring, I32:$stage, DenseI32ArrayAttr:$parts, UnitAttr:$pair);
  let assemblyFormat = "$ring `[` $stage `]` `parts` `=` $parts (`pair` $pair^)? attr-dict";
}

def Mx_BlockMmaOp : Mx_Op<"block_mma", []> {
  let summary = "accumulator += a * b with their scales, over the K of the stage";
  let description = [{
    `m` x `n` x 128, as instructions of K = 32 in ascending order. Operands are parts of the stage, K-major in 128-byte
    rows under the 128B swizzle; scales are columns of the stage. `accumulate` false: the accumulator's old content counts
    as 0. `b_column`: which column of the scales of b row 0 of b has (i32, counted in 32 rows).
  }];
  let arguments = (ins Mx_RingType:$ring, I32:$stage, Mx_RingType:$accumulator, I32:$place, I1:$accumulate,
                       I32:$b_column, I32Attr:$m, I32Attr:$n, TypeAttr:$a, TypeAttr:$b, I32Attr:$scale_a,
                       I32Attr:$scale_b, UnitAttr:$pair);
  let assemblyFormat = [{
    $ring `[` $stage `]` `into` $accumulator `[` $place `]` `accumulate` $accumulate `b_column` $b_column `m` `=` $m
    `n` `=` $n `a` `=` $a `b` `=` $b `scale_a` `=` $scale_a `scale_b` `=` $scale_b (`pair` $pair^)? attr-dict
  }];
}

def Mx_ReadAccumulatorOp : Mx_Op<"read_accumulator", []> {
  let summary = "columns of this lane's row of an accumulator in tensor memory";
  let arguments = (ins Mx_RingType:$ring, I32:$place, I32:$column);
  let results = (outs VectorOfRankAndType<[1], [F32]>:$values);
  let assemblyFormat = "$ring `[` $place `]` `column` $column attr-dict `:` type($values)";
}

def Mx_StoreBoxOp : Mx_Op<"store_box", [AttrSizedOperandSegments]> {
  let summary = "a warp's box through its staging memory to global memory by a bulk tensor store";
  let description = [{
    Each lane has one row of 128 bytes, as words. `buffers` boxes of 4096 bytes a warp lie at `staging`; `box` counts the
    warp's boxes and chooses one.
  }];
  let arguments = (ins Variadic<AnyType>:$rows, LLVM_AnyPointer:$map, Variadic<I32>:$coordinates,
                       LLVM_AnyPointer:$staging, I32:$box, I32Attr:$buffers);
  let assemblyFormat = [{
    $rows `to` $map `[` $coordinates `]` `through` $staging `box` $box `buffers` `=` $buffers attr-dict `:` type($rows)
    `to` qualified(type($map)) `through` qualified(type($staging))
  }];
}

def Mx_DrainStoresOp : Mx_Op<"drain_stores", []> {
  let summary = "wait until the warp's bulk tensor stores have read shared memory";
  let assemblyFormat = "attr-dict";
}

#endif
