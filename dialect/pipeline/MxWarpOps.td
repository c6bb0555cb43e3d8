#ifndef MXC_DIALECT_PIPELINE_MXWARPOPS_TD
#define MXC_DIALECT_PIPELINE_MXWARPOPS_TD

include "dialect/pipeline/MxTensorMemoryOps.td"
include "dialect/pipeline/MxWarpgroupOps.td"

// Products of single warps: mma.sync with scales, accumulators in registers.

def Mx_WarpMmaOp : Mx_PartOp<"warp_mma", [
    RangedTypesMatchWith<"results have the accumulators' types", "accumulators", "results",
                         "::llvm::make_range($_self.begin(), $_self.end())">]> {
  let summary = "accumulators += a * b with their scales, over the K of the stage: mma.sync of each warp of the role";
  let description = [{
    Two warps lie along the tile's rows, half of the role's along its columns. Warp w has the 16 rows of a from 16 (w % 2) on in
    every 32, an accumulator each, and the n rows of b from n (w / 2) on: 64 x 64 of a tile of 128 x 128, by four warps.
    Instructions are of `kind`, one for each of `selectors` (which byte of a scale's word its blocks have), in ascending order of K, from
    instruction `first` of the stage on. Operands are parts 0 and 1 of the stage, elements of `a` and `b`, K-major in 128-byte rows
    under the 128B swizzle, as mx.block_mma has them; parts 2 and 3 are their tiles of scales, of type `scale`: for each of
    `scale_tiles` along K that the instructions have, the tiles of all rows. `b_column`: which column of the scales of b row 0 of b has (i32, counted in 32
    rows). With `parts` the rows of b are so many matrices', one after another, each with tiles of scales of its own; a warp has as many
    columns of each, one part's after another's. An accumulator's elements are where mx.warpgroup_mma has them; it may be read at once.
  }];
  let arguments = (ins Mx_RingType:$ring, I32:$stage, Variadic<Mx_AccumulatorType>:$accumulators, I32:$b_column,
                       Mx_BlockMmaKindAttr:$kind, TypeAttr:$a, TypeAttr:$b, TypeAttr:$scale,
                       DenseI32ArrayAttr:$selectors, DefaultValuedAttr<I32Attr, "1">:$scale_tiles,
                       DefaultValuedAttr<I32Attr, "0">:$first, DefaultValuedAttr<I32Attr, "1">:$parts);
  let results = (outs Variadic<Mx_AccumulatorType>:$results);
  let assemblyFormat = [{
    $ring `[` $stage `]` `onto` $accumulators `b_column` $b_column `kind` `=` $kind `a` `=` $a `b` `=` $b `scale` `=` $scale
    `selectors` `=` $selectors (`scale_tiles` `=` $scale_tiles^)? (`first` `=` $first^)? (`parts` `=` $parts^)? attr-dict `:` type($accumulators)
  }];
  let extraClassDeclaration = [{
    static constexpr int32_t kInstructions = 4; // of a stage
  }];
}

#endif
