#ifndef MXC_DIALECT_PIPELINE_MXWARPGROUPOPS_TD
#define MXC_DIALECT_PIPELINE_MXWARPGROUPOPS_TD

include "dialect/pipeline/MxPipeline.td"

// Products of warpgroups: accumulators in registers, and the operations that add to them.

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
    swizzle. Asynchronous: the accumulator may be read after `mx.finish`. Thread t of a warpgroup holds, of 8 columns each,
    columns 2 (t % 4) and + 1 of rows 16 (t / 32) + t % 32 / 4 and + 8 (PTX ISA, wgmma fragment D).
  }];
  let arguments = (ins Mx_RingType:$ring, I32:$stage, Mx_AccumulatorType:$accumulator, I32Attr:$steps);
  let results = (outs Mx_AccumulatorType:$result);
  let assemblyFormat = [{
    $ring `[` $stage `]` `onto` $accumulator `steps` `=` $steps attr-dict `:` type($accumulator)
  }];
}

def Mx_FullRateProductOp : Mx_PartOp<"full_rate_product", []> {
  let summary = "a * b of the stage's 128 elements of K alone, in FP8: wgmma of each warpgroup of the role";
  let description = [{
    64 rows a warpgroup, from row 128 `half` + 64 w of a on, x the accumulator's n; part 0 of the stage is a, part 1 b, codes of
    `elements`, K-major in 128-byte rows under the 128B swizzle: four wgmma of K = 32, the first from nothing. Asynchronous: the result
    is there, and the stage has been read, after `mx.finish` with `last`. `after` a product it takes its registers, read by then.

    A stage has `blocks` of 128 elements of K, one after the other in each part, whose products lie side by side in the result
    (mx.accumulator_block). Where part 0 has fewer rows than the warpgroups multiply, what lies after them in the stage takes
    their place, and those rows of the products are nobody's.
  }];
  let arguments = (ins Mx_RingType:$ring, I32:$stage, I32Attr:$half, TypeAttr:$element_a, TypeAttr:$element_b,
                       Optional<Mx_AccumulatorType>:$after, DefaultValuedAttr<I32Attr, "1">:$blocks);
  let results = (outs Mx_AccumulatorType:$result);
  let assemblyFormat = [{
    $ring `[` $stage `]` `half` `=` $half (`blocks` `=` $blocks^)? `elements` $element_a `,` $element_b (`after` $after^ `:` type($after))? attr-dict `:` type($result)
  }];
}

def Mx_AccumulatorBlockOp : Mx_PartOp<"accumulator_block", [Pure]> {
  let summary = "one of the products that lie side by side in an accumulator: the columns from `block` * n on";
  let arguments = (ins Mx_AccumulatorType:$accumulator, I32Attr:$block);
  let results = (outs Mx_AccumulatorType:$result);
  let assemblyFormat = "$accumulator `[` $block `]` attr-dict `:` type($accumulator) `->` type($result)";
}

def Mx_PromoteOp : Mx_PartOp<"promote", [Pure, AllTypesMatch<["accumulator", "product", "result"]>]> {
  let summary = "accumulator + product * scales in f32, each element with one rounding to nearest even";
  let description = "`scales`: one for each of the lane's elements, in the accumulator's order.";
  let arguments = (ins Mx_AccumulatorType:$accumulator, Mx_AccumulatorType:$product, VectorOfRankAndType<[1], [F32]>:$scales);
  let results = (outs Mx_AccumulatorType:$result);
  let assemblyFormat = "$product `by` $scales `onto` $accumulator attr-dict `:` type($scales) `,` type($accumulator)";
  let hasVerifier = 1;
}

def Mx_LoadFragmentsOp : Mx_PartOp<"load_fragments", []> {
  let summary = "rows of codes in shared memory as bf16 operands in the registers of a warpgroup, scaled";
  let description = [{
    Part 0 of the stage holds rows of 128 codes, of 8 bits under the 128B swizzle, of 4 one after the other; part 1 the scale tiles of
    those 128 in which `first` is the first row (two of `scale` f8E4M3FN, one a 16 codes; one of f8E8M0FNU, the default). Warpgroup w
    of the role takes rows 64 w to 64 w + 63. Lane t has the codes 32 (t % 4) to + 31 of each row: step j of 8 gets the codes
    32 (t % 4) + 4 j to + 3 at the fragment's places 2 (t % 4), + 1, + 8, + 9. These are the steps 4 `half` to 4 `half` + 3. The other
    operand lies in memory in the same order. Blocks from `blocks` on (of the stage) count as 0 whatever their scales are.

    `apart`: part 1 has a scale tile for the rows of each warpgroup, in which `first` is the first of them.
  }];
  let arguments = (ins Mx_RingType:$ring, I32:$stage, I32Attr:$half, I32:$first, I32:$blocks, TypeAttr:$element, OptionalAttr<TypeAttr>:$scale,
                       UnitAttr:$apart);
  let results = (outs VectorOfLengthAndType<[16], [I32]>:$fragments);
  let assemblyFormat = [{
    $ring `[` $stage `]` `half` `=` $half `first` $first `blocks` $blocks (`apart` $apart^)? $element (`scale` `=` $scale^)? attr-dict
    `:` type($fragments)
  }];
  let extraClassDeclaration = [{
    /// Whether scales are ue4m3, of blocks of 16.
    bool hasShortBlocks() { return getScale() && !llvm::isa<mlir::Float8E8M0FNUType>(*getScale()); }
    /// Along the row, of 128 rows each.
    int64_t scaleTiles() { return hasShortBlocks() ? 2 : 1; }
  }];
}

def Mx_FragmentMmaOp : Mx_PartOp<"fragment_mma", [AllTypesMatch<["accumulator", "result"]>]> {
  let summary = "accumulator += fragments * b over K = 64: four wgmma with a in registers";
  let description = [{
    `part` of the stage holds rows of 64 bf16 of b under the 128B swizzle. Asynchronous, as mx.warpgroup_mma is.
  }];
  let arguments = (ins Mx_RingType:$ring, I32:$stage, I32Attr:$part, VectorOfLengthAndType<[16], [I32]>:$fragments,
                       Mx_AccumulatorType:$accumulator);
  let results = (outs Mx_AccumulatorType:$result);
  let assemblyFormat = [{
    $fragments `,` $ring `[` $stage `]` `part` `=` $part `onto` $accumulator attr-dict `:` type($fragments) `,` type($accumulator)
  }];
}

def Mx_FinishOp : Mx_PartOp<"finish", [AllTypesMatch<["accumulator", "result"]>]> {
  let summary = "wait until the products of this ring are in the accumulator, and give back its last stage";
  let description = [{`last`: nothing is given back, for nobody fills the ring again, or (mx.full_rate_product) the use does it.}];
  let arguments = (ins Mx_RingType:$ring, Mx_AccumulatorType:$accumulator, UnitAttr:$last);
  let results = (outs Mx_AccumulatorType:$result);
  let assemblyFormat = "$ring `,` $accumulator (`last` $last^)? attr-dict `:` type($accumulator)";
}

#endif
