#ifndef MXC_DIALECT_KERNEL_MXMATMULOPS_TD
#define MXC_DIALECT_KERNEL_MXMATMULOPS_TD

include "dialect/attributes/MxAttributes.td"
include "dialect/attributes/MxInterfaces.td"
include "dialect/kernel/MxKernelOp.td"
include "dialect/attributes/MxTypes.td"

def Mx_Reduction : Mx_Enum<"Reduction", "in which order the products along K are added",
    [I32EnumAttrCase<"Any", 0, "any">, I32EnumAttrCase<"Sequential", 1, "sequential">]>;
def Mx_ReductionAttr : Mx_EnumAttr<Mx_Reduction, "reduction">;
def Mx_OperandLoad : Mx_Enum<"OperandLoad", "how operands reach shared memory",
    [I32EnumAttrCase<"Tensor", 0, "tensor">, I32EnumAttrCase<"Element", 1, "element">]>;
def Mx_ResultStore : Mx_Enum<"ResultStore", "how results reach global memory",
    [I32EnumAttrCase<"Tensor", 0, "tensor">, I32EnumAttrCase<"Rows", 1, "rows">]>;

def Mx_LeftOperand : Mx_Enum<"LeftOperand", "where a's codes become bf16, on sm_90a",
    [I32EnumAttrCase<"Copied", 0, "copied">, I32EnumAttrCase<"InFlight", 1, "in_flight">,
     I32EnumAttrCase<"CopiedAlone", 2, "copied_alone">]>;

def Mx_SharedOperand : Mx_Enum<"SharedOperand", "which operand both CTAs of a cluster read",
    [I32EnumAttrCase<"B", 0, "b">, I32EnumAttrCase<"A", 1, "a">]>;

def Mx_InstructionK : Mx_Enum<"InstructionK", "elements of K of an instruction",
    [I32EnumAttrCase<"OfKind", 0, "of_kind">, I32EnumAttrCase<"Wide", 1, "96">]>;

def Mx_TileScheduler : Mx_Enum<"TileScheduler", "which tile a cluster works on next",
    [I32EnumAttrCase<"Static", 0, "static">, I32EnumAttrCase<"Clc", 1, "clc">, I32EnumAttrCase<"Counter", 2, "counter">]>;

def Mx_MatmulTileAttr : Mx_TileAttr<"MatmulTile", "matmul_tile", "MXC_MATMUL_TILE"> {
  let summary = "how a block-scaled product is cut over clusters, CTAs and stages";
  let description = [{
    A CTA, or with `ctas = 2` a pair of them, computes `m` x `n` elements of c in steps of 128 along K; `stages` steps are
    under way. Clusters are persistent: each takes tiles in supergroups of `supergroup` rows of tiles.

    - `load`: `tensor` copies by tensor maps (rows of a and b at multiples of 16 bytes); `element` takes everything.
    - `store`: `tensor` stores boxes (rows of c at multiples of 16 bytes, N a multiple of 16 bytes); `rows` takes everything.
    - `buffers`: boxes of 4 KB a warp of the epilogue through which results leave.
    - `slices`: clusters that share a tile's steps along K; their sums are added in the order of K, by the last of them.
    - `scheduler`: `static` launches a cluster for every pair of multiprocessors, or every one, which takes each so many-th tile; `clc`
      one for every tile, of which those that run take over others (cluster launch control); `counter` launches as many clusters as
      `static`, each of which takes the tile that a counter in a workspace comes to when it has room for one.
    - `a`: on sm_90a both operands become bf16 once, in a workspace, `copied`; or b does, and a's codes in the registers of whoever
      multiplies them, `in_flight`; or a does, and b's codes in the registers, `copied_alone`: b's rows are the tensor cores' M side then, and a
      pair has `share = a`.
    - `share`: the CTAs of a pair have tiles above each other and read the same rows of b, or side by side and the same of a.
    - `mma_k`: `96` has instructions of 96 elements along K, of two operands of 4 bits on sm_103a. A step is then 768 elements, which
      are three stages: 128 bytes of a row each, between which an instruction may cross. Absent: 32 bytes of K, as every kind has.
    - `when`: a condition on the dimensions, as in the ABI: `when = "M <= 128"`. Absent: always.
  }];
}

def Mx_SwapTileAttr : Mx_TileAttr<"SwapTile", "swap_tile", "MXC_SWAP_TILE"> {
  let summary = "how a product with few rows of a is cut: the rows of b are the tensor cores' M side, and pass by once";
  let description = [{
    A cluster of `splits` CTAs computes `columns` columns of c for `tokens` rows of a: each multiplies its part of K, then they
    add their sums in the order of K. A warpgroup has 64 of the columns; within a CTA `parts` of them, or pairs of them, share
    its part of K in the same way. `stages` of 128 elements of K of b are under way for each part, `token_stages` of a as bf16
    and `code_stages` as codes; with `code_stages = 0` a becomes bf16 once for all CTAs, by way of a workspace.
    `ctas_per_sm`: registers are spent so that as many CTAs are resident on a multiprocessor, of this grid or of the next; 0: as
    the assembler likes.
    Rows of a and b at multiples of 16 bytes, K a multiple of 16; not with `reduction = sequential`.

    - `when`: a condition on the dimensions, as in the ABI: `when = "M <= 16"`. Absent: always.
  }];
}

def Mx_MatmulOp : Mx_Op<"matmul", [HasParent<"KernelOp">, SingleBlock, RecursiveMemoryEffects, AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<Mx_KernelOpInterface, ["getAbiAttributes", "getMultiplyAdds"]>,
    DeclareOpInterfaceMethods<Mx_TiledOpInterface, ["getTileKinds"]>, Mx_ProductOpInterface]> {
  let summary = "block-scaled matrix product: c = a b^T with their scales";
  let description = [{
    a [M, K] and b [N, K] hold elements of an MX format, K-major; their scales those of the blocks along K, in the layout
    that the tensor cores read; `block = RxC` as mx.quantize has it. c [M, N] is bf16, f16 or f32. A leading dimension of all is a batch.
    docs/semantics/product.md says what is computed.

    `alpha` is a number on the device that the product is multiplied by, before the epilogue: of operands with a scale for
    the tensor (nvfp4), the product of both.

    The optional epilogue computes what is stored from the f32 product and one f32 of each input of `with`, whose shape
    says how it is broadcast ([1, N], [M, 1], [M, N]); it may use the kernel's scalar arguments. `accumulate` adds the
    result to c. `constant = b`: no grid that may still run when this one starts writes b or its scales (weights), so that
    they are loaded before the launch waits for earlier grids.

    With `parts = 2` b [.., 2, N, K] holds two matrices, and the epilogue takes both products of an element of c before the
    inputs of `with`: gate and up of SwiGLU from one pass over a.

    A result is a matrix, or codes with their scales, `(%q, %s) {axis = row}`: what mx.quantize makes of the same f32, by the
    rule that `rounding`, `special`, `tiny` or `compat` say as there. With `{axis = column}` they are the copy along columns, [N, M].

    docs/semantics/product.md has the grammar.

    ```mlir
    mx.matmul ins(%a, %sa, %b, %sb : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>, memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>)
              with(%bias : memref<1x?xbf16>) outs(%c : memref<?x?xbf16>) {
    ^bb0(%acc: f32, %shift: f32):
      %y = arith.addf %acc, %shift : f32
      mx.yield %y : f32
    }
    ```
    Constraints: M1 a and b have one rank, 2 or 3; M2 shapes agree: a [.., M, K], b [.., N, K], outputs [.., M, N], a copy along columns [N, M];
    M3 element and scales of an operand make a block format, scales are [.., rows, ceil(K/block length)] of their operand, in
    the layout tcgen05, and both operands' blocks have one length; M4 at least one output; each is a matrix, all of one
    width, or codes with scales; reductions are not yet there; M5 inputs of `with` are [1 or M, 1 or N]; M6 the epilogue takes
    the product and one f32 an input of `with`, yields one f32 an output, and holds scalar arith and math operations;
    M7 several outputs need an epilogue; M8 tiles: the last one takes everything (no condition);
    M9 with `reduction = sequential` every tile adds in the order of K: it is an #mx.matmul_tile with one slice, `a = copied` and without `mma_k`;
    M10 `alpha` is memref<1xf32>;
    M11 results that are codes with scales make a block format of 8-bit elements with blocks of 32 and scales that are powers of two; scales are
    [rows, ceil(columns/32)] of the codes; there is neither a batch nor `accumulate`; tiles are #mx.matmul_tile without `a = copied_alone`, or
    #mx.swap_tile where all of these results lie along rows; `rounding`, `special`, `tiny` and `compat` are for them, and
    `compat` excludes the others;
    M12 `parts` is 2: b and its scales have a dimension of 2 before their rows, and an epilogue makes one value of both products; there is neither a
    batch nor `ragged = k`; tiles are #mx.matmul_tile with one slice, without `mma_k` and `a = copied_alone`, or #mx.swap_tile with 128 columns.
  }];
  let arguments = (ins
    Arg<Mx_ProductMemRef, "a [M, K]", [MemRead]>:$a,
    Arg<Mx_ProductScaleMemRef, "its scales", [MemRead]>:$scales_a,
    Arg<Mx_PartsMemRef, "b [N, K], or [2, N, K]", [MemRead]>:$b,
    Arg<Mx_PartsScaleMemRef, "its scales", [MemRead]>:$scales_b,
    Arg<Variadic<Mx_WithMemRef>, "further inputs of the epilogue", [MemRead]>:$with,
    Arg<Optional<Mx_AlphaMemRef>, "what the product is multiplied by", [MemRead]>:$alpha,
    Arg<Variadic<AnyMemRef>, "results", [MemRead, MemWrite]>:$outs,
    ArrayAttr:$out_kinds,
    OptionalAttr<I64Attr>:$parts,
    OptionalAttr<DenseI64ArrayAttr>:$block,
    OptionalAttr<DenseI64ArrayAttr>:$block_b,
    OptionalAttr<Mx_ReductionAttr>:$reduction,
    UnitAttr:$accumulate,
    UnitAttr:$constant_b,
    OptionalAttr<Mx_RoundingAttr>:$rounding,
    OptionalAttr<Mx_SpecialAttr>:$special,
    OptionalAttr<Mx_TinyAttr>:$tiny,
    OptionalAttr<StrAttr>:$compat,
    OptionalAttr<ArrayAttr>:$tiles);
  let regions = (region AnyRegion:$epilogue);
  let assemblyFormat = [{
    `ins` `(` custom<Factors>($a, $scales_a, $b, $scales_b, type($a), type($scales_a), type($b), type($scales_b)) `)`
    (`with` `(` $with^ `:` type($with) `)`)? (`alpha` `(` $alpha^ `:` type($alpha) `)`)?
    `outs` `(` custom<MatmulOuts>($outs, type($outs), $out_kinds) `)`
    `` custom<MatmulClauses>($parts, $block, $block_b, $reduction, $accumulate, $constant_b, $rounding, $special, $tiny, $compat, $tiles)
    attr-dict-with-keyword `` custom<ScalarRegion>($epilogue)
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    bool isBatched() { return ::llvm::cast<::mlir::MemRefType>(getA().getType()).getRank() == 3; }
    /// The formats of a and b.
    ::mxc::BlockFormat getFormatA();
    ::mxc::BlockFormat getFormatB();
    /// The rule of results that are quantized, with defaults filled in and the preset resolved.
    ::mxc::QuantizeRule getRule() { return quantizeRule(getRounding(), getSpecial(), getTiny(), getCompat()); }
    bool isSequential() { return getReduction() == Reduction::Sequential; }
  }];
}

#endif
