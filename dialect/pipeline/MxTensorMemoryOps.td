#ifndef MXC_DIALECT_PIPELINE_MXTENSORMEMORYOPS_TD
#define MXC_DIALECT_PIPELINE_MXTENSORMEMORYOPS_TD

include "dialect/attributes/MxAttributes.td"
include "dialect/pipeline/MxPipeline.td"

// Products on tensor memory: scales to it, the tensor core, accumulators from it.

def Mx_CopyScalesOp : Mx_PartOp<"copy_scales", []> {
  let summary = "scale tiles, 512 bytes each, to the stage's tensor memory: tcgen05.cp.32x128b.warpx4";
  let description = [{
    All tiles of `parts`, one after the other, to the stage's columns from the first on, four each. `along` tiles along K of the same 128
    rows lie one after the other in a part; in tensor memory those of all its rows lie side by side, then the next along K.
  }];
  let arguments = (ins Mx_RingType:$ring, I32:$stage, DenseI32ArrayAttr:$parts, DefaultValuedAttr<I32Attr, "1">:$along,
                       UnitAttr:$pair);
  let assemblyFormat = "$ring `[` $stage `]` `parts` `=` $parts (`along` `=` $along^)? (`pair` $pair^)? attr-dict";
}

def Mx_BlockMmaKind : Mx_Enum<"BlockMmaKind", "the kind of a block-scaled tcgen05.mma",
    [I32EnumAttrCase<"Mxf8f6f4", 0, "mxf8f6f4">, I32EnumAttrCase<"Mxf4", 1, "mxf4">,
     I32EnumAttrCase<"Mxf4nvf4", 2, "mxf4nvf4">]>;
def Mx_BlockMmaKindAttr : Mx_EnumAttr<Mx_BlockMmaKind, "block_mma_kind">;

def Mx_BlockMmaOp : Mx_PartOp<"block_mma", []> {
  let summary = "accumulator += a * b with their scales, over the K of the stage";
  let description = [{
    `m` x `n` x `k`, as one instruction of `kind` for each of `selectors` (which byte of a scale's word its blocks have), in
    ascending order of K, from instruction `first` of the stage on. Operands are parts 0 and 1 of the stage, elements of `a` and `b`, K-major in 128-byte rows under the
    128B swizzle; for kind mxf8f6f4 16 elements take 16 bytes, whatever their bits, and their codes are packed at the beginning. Scales, of
    type `scale`, are columns of the stage from `scale_a` and `scale_b` on. `accumulate` false: the accumulator's old content counts as 0.
    `scale_tiles`: how many tiles of scales along K these instructions have for each 128 rows; those of the first come first. `b_column`: which
    column of the scales of b row 0 of b has (i32, counted in 32 rows).
  }];
  let arguments = (ins Mx_RingType:$ring, I32:$stage, Mx_RingType:$accumulator, I32:$place, I1:$accumulate,
                       I32:$b_column, Mx_BlockMmaKindAttr:$kind, I32Attr:$m, I32Attr:$n, I32Attr:$k, TypeAttr:$a,
                       TypeAttr:$b, TypeAttr:$scale, I32Attr:$scale_a, I32Attr:$scale_b, DenseI32ArrayAttr:$selectors,
                       DefaultValuedAttr<I32Attr, "1">:$scale_tiles, DefaultValuedAttr<I32Attr, "0">:$first, UnitAttr:$pair);
  let assemblyFormat = [{
    $ring `[` $stage `]` `into` $accumulator `[` $place `]` `accumulate` $accumulate `b_column` $b_column `kind` `=` $kind
    `m` `=` $m `n` `=` $n `k` `=` $k `a` `=` $a `b` `=` $b `scale` `=` $scale `scale_a` `=` $scale_a `scale_b` `=` $scale_b
    `selectors` `=` $selectors (`scale_tiles` `=` $scale_tiles^)? (`first` `=` $first^)? (`pair` $pair^)? attr-dict
  }];
  let extraClassDeclaration = [{
    /// Elements along K that one instruction multiplies: 32 bytes of shared memory.
    int64_t getKOfInstruction() { return getKind() == BlockMmaKind::Mxf8f6f4 ? 32 : 64; }
    static constexpr int32_t kInstructions = 4; // of a stage
  }];
}

def Mx_WideMmaOp : Mx_PartOp<"wide_mma", []> {
  let summary = "accumulator += a * b with their scales, over 96 elements of 4 bits along K an instruction (sm_103a)";
  let description = [{
    A step of 768 elements along K is eight instructions of 48 bytes, in three stages of 128 bytes of a row each, whose parts 0 and 1 are a and b as
    mx.block_mma has them. These are `count` of the eight from `first` on. They begin in `stage`; what of one lies beyond its rows' 128 bytes
    is at the beginning of those of `next`, the stage after it:

    | instruction | 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 |
    |---|---|---|---|---|---|---|---|---|
    | stage, byte | 0, 0 | 0, 48 | 0, 96 and 1 | 1, 16 | 1, 64 | 1, 112 and 2 | 2, 32 | 2, 80 |

    Their scales, of type `scale`, have a ring of their own, whose stages hold three tiles along K for each 128 rows: 12 of a
    row, which are those of two
    instructions with blocks of 16, of four with blocks of 32. A tile's columns lie after those of the tile before it, of a
    from the stage's first on, then of b.
    `accumulate` false: the accumulator's old content counts as 0 for the first of the instructions. `b_column` as in mx.block_mma.
  }];
  let arguments = (ins Mx_RingType:$ring, I32:$stage, I32:$next, Mx_RingType:$scales, I32:$scale_stage,
                       Mx_RingType:$accumulator, I32:$place, I1:$accumulate, I32:$b_column, I32Attr:$first, I32Attr:$count,
                       Mx_BlockMmaKindAttr:$kind, I32Attr:$m, I32Attr:$n, TypeAttr:$scale, UnitAttr:$pair);
  let assemblyFormat = [{
    $ring `[` $stage `,` $next `]` `scales` $scales `[` $scale_stage `]` `into` $accumulator `[` $place `]` `accumulate` $accumulate
    `b_column` $b_column `first` `=` $first `count` `=` $count `kind` `=` $kind `m` `=` $m `n` `=` $n `scale` `=` $scale
    (`pair` $pair^)? attr-dict
  }];
  let extraClassDeclaration = [{
    static constexpr int kInstructions = 8, kStages = 3, kBytes = 48; // of a step; of an instruction along K
    static constexpr int kScaleTiles = 3;                             // along K, of a stage of scales
    /// Instructions whose scales a stage holds: 12 of a row.
    int32_t getInstructionsOfScales() { return getKind() == BlockMmaKind::Mxf4 ? 4 : 2; }
  }];
}

def Mx_ReadAccumulatorOp : Mx_PartOp<"read_accumulator", []> {
  let summary = "columns of this lane's row of an accumulator in tensor memory";
  let arguments = (ins Mx_RingType:$ring, I32:$place, I32:$column);
  let results = (outs VectorOfRankAndType<[1], [F32]>:$values);
  let assemblyFormat = "$ring `[` $place `]` `column` $column attr-dict `:` type($values)";
}

#endif
