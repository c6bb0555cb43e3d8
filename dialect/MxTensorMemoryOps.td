#ifndef MXC_DIALECT_MXTENSORMEMORYOPS_TD
#define MXC_DIALECT_MXTENSORMEMORYOPS_TD

include "dialect/MxPipeline.td"

// Products on tensor memory: scales to it, the tensor core, accumulators from it.

def Mx_CopyScalesOp : Mx_PartOp<"copy_scales", []> {
  let summary = "scale tiles, 512 bytes each, to the stage's tensor memory: tcgen05.cp.32x128b.warpx4";
  let description = [{All tiles of `parts`, one after the other, to the stage's columns from the first on, four each.}];
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

#endif
