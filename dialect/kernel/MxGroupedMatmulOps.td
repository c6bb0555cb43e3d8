#ifndef MXC_DIALECT_KERNEL_MXGROUPEDMATMULOPS_TD
#define MXC_DIALECT_KERNEL_MXGROUPEDMATMULOPS_TD

include "dialect/kernel/MxMatmulOps.td"

def Mx_Ragged : Mx_Enum<"Ragged", "which dimension groups cut",
    [I32EnumAttrCase<"M", 0, "m">, I32EnumAttrCase<"K", 1, "k">]>;
def Mx_RaggedAttr : Mx_EnumAttr<Mx_Ragged, "ragged">;

def Mx_GroupedMatmulOp : Mx_Op<"grouped_matmul", [HasParent<"KernelOp">, SingleBlock, RecursiveMemoryEffects, AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<Mx_KernelOpInterface, ["getAbiAttributes", "getMultiplyAdds"]>,
    DeclareOpInterfaceMethods<Mx_TiledOpInterface, ["getTileKinds"]>, Mx_ProductOpInterface]> {
  let summary = "block-scaled products of groups whose ends lie on the device: a mixture of experts";
  let description = [{
    Group g of a's rows [M, K], which `groups` cuts as mx.quantize does, times its b [G, N, K] is the same rows of c [M, N]:
    those from roundup(ends[g-1], align) to ends[g]. Rows that are no group's are not written, whatever a has there. Every
    group's rows of c have the bits that mx.matmul gives them with the same tile. The scales of a are those that mx.quantize
    with the same groups writes; those of b begin at whole tiles for every group, as a batch's.

    With `ragged = k` the groups cut K: c [G, M, N] has a product for each of a's [M, K] and b's [N, K] columns from
    roundup(ends[g-1], 128) to ends[g], which is the gradient of each expert's weights. The operands are copies that mx.quantize with
    these groups wrote along columns, whose padding is zero. An empty group's product is 0; with `accumulate` its c stays as it is.

    Epilogue, `with`, `block`, `reduction`, `accumulate` and results that are quantized are those of mx.matmul (copies are
    those that mx.quantize with these groups writes); an input of `with` may also be a group's
    own, [G, 1, 1 or N]. docs/semantics/groups.md says what is computed.

    `parts = 2` is mx.matmul's, of b [G, 2, N, K].

    With `gather` a is [T, K], and row m of the groups is row index[m] of a: a permutation that no pass over memory makes. -1
    stands for a row of zeros. The scales of a are those of its T rows, as mx.quantize without groups writes them.

    ```mlir
    mx.grouped_matmul ins(%a, %sa, %b, %sb : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>, memref<?x?x?xf8E4M3FN>, memref<?x?x?xf8E8M0FNU, #scales>)
                      groups(%ends : memref<?xi32>) outs(%c : memref<?x?xbf16>) align = 128
    ```
    Constraints: M2 to M12 (of which M11 and M12 refuse `ragged = k`), where b, its scales and a group's inputs have the group in place of a batch, and: GM1 a and its
    scales are matrices, b and its scales have a leading dimension of groups, and so have inputs of `with` of rank 3, of one
    row; with `ragged = k` b and its scales are matrices, and results have a leading dimension of groups; GM2 `groups` takes i32 [G],
    `align` is 1 or 128, with `ragged = k` 128; GM3 tiles are #mx.matmul_tile of one slice, with `ragged = k` no `mma_k`, or
    with `ragged = m` #mx.swap_tile with code stages; GM4 `gather` takes i32 [M], for `ragged = m`, and its tiles do not share a.
  }];
  let arguments = (ins
    Arg<Mx_ProductMemRef, "a [M, K]", [MemRead]>:$a,
    Arg<Mx_ProductScaleMemRef, "its scales", [MemRead]>:$scales_a,
    Arg<Mx_PartsMemRef, "b [G, N, K], [G, 2, N, K], or [N, K]", [MemRead]>:$b,
    Arg<Mx_PartsScaleMemRef, "its scales", [MemRead]>:$scales_b,
    Arg<Mx_ProductEndsMemRef, "the groups' ends", [MemRead]>:$ends,
    Arg<Optional<Mx_ProductGatherMemRef>, "a's row of each row", [MemRead]>:$gather,
    Arg<Variadic<Mx_WithMemRef>, "further inputs of the epilogue", [MemRead]>:$with,
    Arg<Optional<Mx_AlphaMemRef>, "what the products are multiplied by", [MemRead]>:$alpha,
    Arg<Variadic<AnyMemRef>, "results", [MemRead, MemWrite]>:$outs,
    ArrayAttr:$out_kinds,
    OptionalAttr<Mx_RaggedAttr>:$ragged,
    OptionalAttr<I64Attr>:$align,
    OptionalAttr<I64Attr>:$parts,
    OptionalAttr<DenseI64ArrayAttr>:$block,
    OptionalAttr<DenseI64ArrayAttr>:$block_b,
    OptionalAttr<Mx_ReductionAttr>:$reduction,
    UnitAttr:$accumulate,
    OptionalAttr<Mx_RoundingAttr>:$rounding,
    OptionalAttr<Mx_SpecialAttr>:$special,
    OptionalAttr<Mx_TinyAttr>:$tiny,
    OptionalAttr<StrAttr>:$compat,
    OptionalAttr<ArrayAttr>:$tiles);
  let regions = (region AnyRegion:$epilogue);
  let assemblyFormat = [{
    `ins` `(` custom<Factors>($a, $scales_a, $b, $scales_b, type($a), type($scales_a), type($b), type($scales_b)) `)`
    `groups` `(` $ends `:` type($ends) `)`
    (`gather` `(` $gather^ `:` type($gather) `)`)?
    (`with` `(` $with^ `:` type($with) `)`)? (`alpha` `(` $alpha^ `:` type($alpha) `)`)?
    `outs` `(` custom<MatmulOuts>($outs, type($outs), $out_kinds) `)`
    `` custom<GroupedMatmulClauses>($ragged, $align, $parts, $block, $block_b, $reduction, $accumulate, $rounding, $special, $tiny, $compat, $tiles)
    attr-dict-with-keyword `` custom<ScalarRegion>($epilogue)
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    bool isBatched() { return false; }
    bool isSequential() { return getReduction() == Reduction::Sequential; }
    /// As of mx.matmul.
    ::mxc::QuantizeRule getRule() { return quantizeRule(getRounding(), getSpecial(), getTiny(), getCompat()); }
    bool isRaggedK() { return getRagged() == Ragged::K; }
    int64_t getGroupAlignment() { return getAlign().value_or(128); }
    /// The formats of a and b.
    ::mxc::BlockFormat getFormatA();
    ::mxc::BlockFormat getFormatB();
  }];
}

#endif
