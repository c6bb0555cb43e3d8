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
    : Mx_Op<mnemonic, !listconcat(traits, [SingleBlockImplicitTerminator<"NextOp">, RecursiveMemoryEffects])> {
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

class Mx_PartOp<string mnemonic, list<Trait> traits = []> : Mx_Op<mnemonic, traits> {
  let hasVerifier = 1;
}

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

def Mx_TilesOp : Mx_StepOp<"tiles"> {
  let summary = "the tiles of this cluster, one after the other";
  let description = [{
    Every role walks the same tiles in the same order. The body gets the record of a tile: (batch, row, column), in tiles, and
    which of its `slices` along K; those of one tile come one after the other.
    Tiles go through a batch in supergroups of `supergroup` rows of tiles, columns first inside one, so that what runs at a
    time shares operands in L2.

    Without `from`, cluster c takes tiles c, c + clusters, ... With it a launch has a cluster for every tile; one that runs
    begins with its own and takes over others' as the ring's answers say (mx.take_over).
  }];
  let arguments = (ins I32:$rows, I32:$columns, I32:$batches, I32Attr:$supergroup, I32Attr:$slices, Optional<Mx_RingType>:$queue);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $rows `x` $columns `x` $batches `supergroup` `=` $supergroup `slices` `=` $slices (`from` $queue^)?
    attr-dict-with-keyword $body
  }];
}

def Mx_TakeOverOp : Mx_PartOp<"take_over", []> {
  let summary = "a role's whole work: ask for clusters that were not launched yet, until there is none";
  let description = [{
    Fills `queue`, whose stages have 16 bytes, with the answers of clusterlaunchcontrol.try_cancel, in every CTA of the
    cluster; its users are the mx.tiles of the other roles. An answer that took nothing over ends this cluster's work, and
    nothing else.
  }];
  let arguments = (ins Mx_RingType:$queue);
  let assemblyFormat = "$queue attr-dict";
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
    The body gets the stage's number. It may give the stage back early with `mx.release`. With `mx.warpgroup_mma` inside,
    which reads the stage later, a stage is given back once the next one is being multiplied; `mx.finish` ends with the last.
  }];
  let arguments = (ins Mx_RingType:$ring);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$ring (`->` type($results)^)? attr-dict-with-keyword $body";
}

def Mx_ReleaseOp : Mx_PartOp<"release", []> {
  let summary = "give the stage of this ring back, before the end of the use around it";
  let arguments = (ins Mx_RingType:$ring);
  let assemblyFormat = "$ring attr-dict";
}

def Mx_CopyBoxOp : Mx_PartOp<"copy_box", [AttrSizedOperandSegments]> {
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

def Mx_StageAddressOp : Mx_PartOp<"stage_address", []> {
  let summary = "where a part of a stage lies in shared memory: for threads that fill or use it themselves";
  let arguments = (ins Mx_RingType:$ring, I32:$stage, I32Attr:$part);
  let results = (outs LLVM_AnyPointer:$address);
  let assemblyFormat = "$ring `[` $stage `]` `part` `=` $part attr-dict `:` type($address)";
}

def Mx_CtaRankOp : Mx_PartOp<"cta_rank", []> {
  let summary = "this CTA's rank in its pair or among its splits; 0 without a cluster";
  let results = (outs I32:$rank);
  let assemblyFormat = "attr-dict";
}

def Mx_RoleThreadOp : Mx_PartOp<"role_thread", []> {
  let summary = "this thread's number among those of its role";
  let results = (outs I32:$thread);
  let assemblyFormat = "attr-dict";
}

def Mx_CopyScalesOp : Mx_PartOp<"copy_scales", []> {
  let summary = "scale tiles, 512 bytes each, to the stage's tensor memory: tcgen05.cp.32x128b.warpx4";
  let description = [{All tiles of `parts`, one behind the other, to the stage's columns from the first on, four each.}];
  let arguments = (ins Mx_RingType:$ring, I32:$stage, DenseI32ArrayAttr:$parts, UnitAttr:$pair);
  let assemblyFormat = "$ring `[` $stage `]` `parts` `=` $parts (`pair` $pair^)? attr-dict";
}

def Mx_BlockMmaOp : Mx_PartOp<"block_mma", []> {
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

def Mx_ReadAccumulatorOp : Mx_PartOp<"read_accumulator", []> {
  let summary = "columns of this lane's row of an accumulator in tensor memory";
  let arguments = (ins Mx_RingType:$ring, I32:$place, I32:$column);
  let results = (outs VectorOfRankAndType<[1], [F32]>:$values);
  let assemblyFormat = "$ring `[` $place `]` `column` $column attr-dict `:` type($values)";
}

def Mx_AccumulatorType : TypeDef<Mx_Dialect, "Accumulator"> {
  let mnemonic = "accumulator";
  let summary = "64 x n f32 in the registers of a warpgroup, as wgmma leaves them";
  let parameters = (ins "unsigned":$n);
  let assemblyFormat = "`<` $n `>`";
  let genVerifyDecl = 1;
}

def Mx_ZeroAccumulatorOp : Mx_Op<"zero_accumulator", [Pure]> {
  let summary = "an accumulator of zeros";
  let results = (outs Mx_AccumulatorType:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def Mx_AccumulatorColumnsOp : Mx_PartOp<"accumulator_columns", [Pure]> {
  let summary = "what this lane has of the columns `first` and up: two elements of each of two rows per 8 columns";
  let arguments = (ins Mx_AccumulatorType:$accumulator, I32Attr:$first);
  let results = (outs VectorOfRankAndType<[1], [F32]>:$values);
  let assemblyFormat = "$accumulator `[` $first `]` attr-dict `:` type($accumulator) `->` type($values)";
}

def Mx_WarpgroupMmaOp : Mx_PartOp<"warpgroup_mma", [AllTypesMatch<["accumulator", "result"]>]> {
  let summary = "accumulator += a * b in bf16, over the K of the stage: wgmma of each warpgroup of the role";
  let description = [{
    64 rows a warpgroup x the accumulator's n x `steps` * 16. Part 0 of the stage is a, part 1 b, K-major in 128-byte rows under the 128B
    swizzle. Asynchronous: the accumulator may be read behind `mx.finish`. Thread t of a warpgroup holds, of 8 columns each,
    columns 2 (t % 4) and + 1 of rows 16 (t / 32) + t % 32 / 4 and + 8 (PTX ISA, wgmma fragment D).
  }];
  let arguments = (ins Mx_RingType:$ring, I32:$stage, Mx_AccumulatorType:$accumulator, I32Attr:$steps);
  let results = (outs Mx_AccumulatorType:$result);
  let assemblyFormat = [{
    $ring `[` $stage `]` `onto` $accumulator `steps` `=` $steps attr-dict `:` type($accumulator)
  }];
}

def Mx_LoadFragmentsOp : Mx_PartOp<"load_fragments", []> {
  let summary = "rows of codes in shared memory as bf16 operands in the registers of a warpgroup, scaled";
  let description = [{
    Part 0 of the stage holds 128 rows of 128 codes under the 128B swizzle, part 1 their scale tile; warpgroup w of the role
    takes rows 64 w to 64 w + 63. Of each row lane t takes the codes 32 (t % 4) to + 31, one block: step j of 8 gets the codes
    32 (t % 4) + 4 j to + 3 at the fragment's places 2 (t % 4), + 1, + 8, + 9. The other operand lies in memory in the same
    order. Blocks from `blocks` on (of the stage) count as 0 whatever their scales are.
  }];
  let arguments = (ins Mx_RingType:$ring, I32:$stage, I32:$blocks, TypeAttr:$element);
  let results = (outs VectorOfLengthAndType<[32], [I32]>:$fragments);
  let assemblyFormat = "$ring `[` $stage `]` `blocks` $blocks $element attr-dict `:` type($fragments)";
}

def Mx_FragmentMmaOp : Mx_PartOp<"fragment_mma", [AllTypesMatch<["accumulator", "result"]>]> {
  let summary = "accumulator += fragments * b over K = 128: eight wgmma with a in registers";
  let description = [{
    Parts 0 and 1 of the stage hold the two halves of b's K, rows of 64 bf16 under the 128B swizzle. Asynchronous, as
    mx.warpgroup_mma is.
  }];
  let arguments = (ins Mx_RingType:$ring, I32:$stage, VectorOfLengthAndType<[32], [I32]>:$fragments,
                       Mx_AccumulatorType:$accumulator);
  let results = (outs Mx_AccumulatorType:$result);
  let assemblyFormat = "$fragments `,` $ring `[` $stage `]` `onto` $accumulator attr-dict `:` type($fragments) `,` type($accumulator)";
}

def Mx_RoleBarrierOp : Mx_PartOp<"role_barrier", [ParentOneOf<["RoleOp"]>]> {
  let summary = "the role's warps meet; what they wrote to shared memory is visible among them";
  let assemblyFormat = "attr-dict";
}

def Mx_ClusterBarrierOp : Mx_PartOp<"cluster_barrier", []> {
  let summary = "all threads of the cluster's CTAs, or of the CTA, meet; what they wrote to shared memory is visible";
  let assemblyFormat = "attr-dict";
}

def Mx_ClusterLoadOp : Mx_PartOp<"cluster_load", []> {
  let summary = "an f32 at the place of `address` in the shared memory of the cluster's CTA `rank`";
  let arguments = (ins LLVM_PointerInAddressSpace<3>:$address, I32:$rank);
  let results = (outs F32:$value);
  let assemblyFormat = "$address `of` $rank attr-dict `:` type($address)";
}

def Mx_FinishOp : Mx_PartOp<"finish", [AllTypesMatch<["accumulator", "result"]>]> {
  let summary = "wait until the products of this ring are in the accumulator, and give back its last stage";
  let arguments = (ins Mx_RingType:$ring, Mx_AccumulatorType:$accumulator);
  let results = (outs Mx_AccumulatorType:$result);
  let assemblyFormat = "$ring `,` $accumulator attr-dict `:` type($accumulator)";
}

def Mx_TicketOp : Mx_PartOp<"ticket", []> {
  let summary = "the next number of a counter in global memory, one a warp";
  let arguments = (ins LLVM_AnyPointer:$counter);
  let results = (outs I32:$number);
  let assemblyFormat = "$counter attr-dict `:` type($counter)";
}

def Mx_PublishOp : Mx_PartOp<"publish", []> {
  let summary = "the warp's writes to global memory may be read, by bulk copies too: count one up";
  let arguments = (ins LLVM_AnyPointer:$count);
  let assemblyFormat = "$count attr-dict `:` type($count)";
}

def Mx_AwaitOp : Mx_PartOp<"await", []> {
  let summary = "wait until count `index` of each of these arrays has reached `complete`; bulk copies may read then";
  let description = [{Indices go up from 0 to `length` - 1; the lanes ask for 32 of them at a time.}];
  let arguments = (ins Variadic<LLVM_AnyPointer>:$counts, I32:$index, I32:$length, I32Attr:$complete);
  let assemblyFormat = "$counts `[` $index `]` `of` $length `complete` `=` $complete attr-dict `:` type($counts)";
}

def Mx_LastOfOp : Mx_PartOp<"last_of", []> {
  let summary = "whether this warp is the last of `count` that count themselves here; it leaves a zero behind";
  let description = [{The last one sees what the others wrote to global memory before.}];
  let arguments = (ins LLVM_AnyPointer:$counter, I32Attr:$count);
  let results = (outs I1:$last);
  let assemblyFormat = "$counter `count` `=` $count attr-dict `:` type($counter)";
}

def Mx_LeaveOp : Mx_PartOp<"leave", []> {
  let summary = "the warp is through with shared counts; the last of `warps` of each CTA writes zeros to `words` words from `address` on";
  let arguments = (ins LLVM_AnyPointer:$through, I32Attr:$warps, LLVM_AnyPointer:$address, I32:$words);
  let assemblyFormat = "$address `words` $words `through` $through `warps` `=` $warps attr-dict `:` type($address) `,` type($through)";
}

def Mx_StoreBoxOp : Mx_PartOp<"store_box", [AttrSizedOperandSegments]> {
  let summary = "a warp's box through its staging memory to global memory by a bulk tensor store";
  let description = [{
    Each lane has one row of 128 bytes, as words; or, with `fragments`, what mx.warpgroup_mma gives it of 16 rows: vectors of
    words, of row t / 4 and of row t / 4 + 8 in turn, 8 columns after 8 columns. `buffers` boxes a warp (4096 bytes, of
    fragments 2048) lie at `staging`; `box` counts the warp's boxes and chooses one.
  }];
  let arguments = (ins Variadic<AnyType>:$rows, LLVM_AnyPointer:$map, Variadic<I32>:$coordinates,
                       LLVM_AnyPointer:$staging, I32:$box, I32Attr:$buffers, UnitAttr:$fragments);
  let assemblyFormat = [{
    (`fragments` $fragments^)? $rows `to` $map `[` $coordinates `]` `through` $staging `box` $box `buffers` `=` $buffers attr-dict `:` type($rows)
    `to` qualified(type($map)) `through` qualified(type($staging))
  }];
}

def Mx_DrainStoresOp : Mx_PartOp<"drain_stores", []> {
  let summary = "wait until the warp's bulk tensor stores have read shared memory";
  let assemblyFormat = "attr-dict";
}

#endif
