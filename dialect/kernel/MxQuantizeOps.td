#ifndef MXC_DIALECT_KERNEL_MXQUANTIZEOPS_TD
#define MXC_DIALECT_KERNEL_MXQUANTIZEOPS_TD

include "dialect/attributes/MxAttributes.td"
include "dialect/kernel/MxKernelOp.td"
include "dialect/attributes/MxTypes.td"

def Mx_ColumnLoad : Mx_Enum<"ColumnLoad", "how a tile of the inputs reaches the lanes",
    [I32EnumAttrCase<"Bulk", 0, "bulk">, I32EnumAttrCase<"Direct", 1, "direct">, I32EnumAttrCase<"Element", 2, "element">]>;

def Mx_ColumnTileAttr : Mx_TileAttr<"ColumnTile", "column_tile", "MXC_COLUMN_TILE"> {
  let summary = "how a quantization along columns, or along both axes, cuts the matrix over CTAs";
  let description = [{
    A CTA takes 128 rows of `columns` columns: of 128 or more whole tiles of both copies' tcgen05 scales. A lane has 32 rows of two
    adjacent columns in registers, a block of each or a quarter of one; codes leave through shared memory as runs along the copy's rows.

    - `load`: `bulk` copies the tile to shared memory by one bulk tensor copy an input (rows at multiples of 16 bytes);
      `direct` loads pairs of elements (K even); `element` takes everything.
    - `store_bytes`: of the smallest store of codes: the copies' rows lie at multiples of it and are multiples of it long. Below 16 each
      copy takes the widest stores that its own rows allow.
    - `order`: consecutive CTAs go along `rows` (M), so that a transposed copy is written in runs, or along `columns`.
    - `cluster_rows`, `cluster_columns`: so many CTAs along M and along K are a cluster, at most 8; they wait for one another
      before they store, so that what lies side by side in a copy reaches memory together.
    - `ctas_per_sm`: registers are spent so that as many CTAs are resident on a multiprocessor; 0: as the assembler likes.
    - `when`: a condition on the dimensions, as in the ABI: `when = "M <= 128"`. Absent: always.
  }];
}

def Mx_QuantizeOp : Mx_Op<"quantize", [HasParent<"KernelOp">, SingleBlock, RecursiveMemoryEffects, AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<Mx_KernelOpInterface, ["getAbiAttributes"]>,
    DeclareOpInterfaceMethods<Mx_TiledOpInterface, ["getTileKinds"]>]> {
  let summary = "quantize a matrix to an MX format";
  let description = [{
    Blocks of consecutive elements along `axis` share a scale. A copy with blocks along columns is transposed, [K, M], unless
    `transpose = false`; its scales are those of the rows of [K, M] either way. `axis = both` writes a copy along rows and
    one along columns from one reading:

    ```mlir
    mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s, %qt, %st : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>,
        memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>) axis = both
    ```

    `groups` takes the rows in groups, whose ends lie on the device: group g has the rows from roundup(ends[g-1], align) to
    ends[g]. No block along columns crosses a group's edge. With `align = 128` (the default) codes and scales are plain
    layouts; with `align = 1` codes lie side by side, and the scales of group g begin at tile row begin / 128 + g. `gather`
    names a row of the inputs for each row that is quantized, -1 for a row of zeros.

    ```mlir
    mx.quantize ins(%x : memref<?x?xbf16>) groups(%ends : memref<?xi32>) gather(%index : memref<?xi32>)
        outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU, #scales>) align = 1
    ```

    A format with a scale for the tensor above those of its blocks (nvfp4) takes it from `tensor_scale`, which is on the device. In its place
    `tensor_amax` takes the tensor's largest magnitude, as `amax` of another launch gives it, and `tensor_divisor` the scale's reciprocal:

    ```mlir
    mx.quantize ins(%x : memref<?x?xbf16>) tensor_scale(%t : memref<1xf32>)
        outs(%q, %s : memref<?x?xf4E2M1FN>, memref<?x?xf8E4M3FN, #scales>)
    ```

    `random` rounds elements of 4 bits up or down by random bits, which follow from a seed, an offset (both on the device) and the
    element's place:

    ```mlir
    mx.quantize ins(%x : memref<?x?xbf16>) random(%r : memref<2xi64>) outs(%q, %s : memref<?x?xf4E2M1FN>, memref<?x?xf8E8M0FNU>)
    ```

    `hadamard = 16` multiplies every 16 elements along the blocks' axis by a Hadamard matrix with fixed signs, which spreads outliers;
    what is quantized are the results, rounded to bf16. With `axis = both` each copy is transformed along its own blocks, or one of them
    alone: `hadamard = 16 along column`. The copies then have values of their own, and `tensor_scale` and `amax` two elements, of the copy along
    rows and of the one along columns:

    ```mlir
    mx.quantize ins(%x : memref<?x?xbf16>) tensor_amax(%a : memref<2xf32>) outs(%q, %s, %qt, %st : memref<?x?xf4E2M1FN>,
        memref<?x?xf8E4M3FN, #scales>, memref<?x?xf4E2M1FN>, memref<?x?xf8E4M3FN, #scales>) axis = both hadamard = 16 along column
    ```

    `four_over_six = mse` quantizes every block of NVFP4 twice, so that its largest element becomes 6, or 4, and takes what has the
    smaller squared error.

    `amax` takes the largest magnitude of what is quantized, by the rules of the blocks' maxima; `column_sum` the sums of its
    columns (the gradient of a bias), in an order that tiles do not change:

    ```mlir
    mx.quantize ins(%dy : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>)
        amax(%amax : memref<1xf32>) column_sum(%dbias : memref<?xf32>)
    ```

    The rules: the types of data and scales name the block format (dialect/formats/BlockFormats.def), `block = RxC` the size of
    its blocks where several formats have them; the first of them is meant without. C lies along `axis`.
    `block = 1x128 to 1x32` takes maxima of blocks of 1x128 and
    writes each scale for the blocks of 1x32 that its own is made of; so does `block = 16x16 to 1x16`, of weights whose
    copies have the same codes. `rounding` (default ceil), `special` (default
    propagate) and `tiny` (default exact) are the numerics contract's (docs/semantics/scales.md); `compat` names a triple of them
    that is bit-exact with a peer: te, torchao, megatron, cublas, for scales of f32 deepseek, te_blockwise, te_blockwise_f32, and for those of
    f8E4M3FN te, torchao; and flashinfer, which is near its peer.

    The optional prologue computes the value to quantize from one element of every input, in f32, with arith and math
    operations. `fastmath<afn>` on math operations and arith.divf allows the hardware's approximations. With
    `rows(%f : memref<?xf32>)` it takes one f32 more, after the inputs: that of the row that is quantized (of a token's expert
    its weight).

    ```mlir
    mx.quantize ins(%gate, %up : memref<?x?xbf16>, memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>)
        axis = row rounding = ceil {
    ^bb0(%g: f32, %u: f32):
      %y = arith.mulf %g, %u : f32
      mx.yield %y : f32
    }
    ```
    Constraints: Q1 at least one input, and exactly one without a prologue; Q2 inputs and data have one shape, a transposed
    copy the exchanged one; Q3 scales
    have shape [rows, ceil(columns / block length)] and no strides, those of a copy along columns that of [K, M]; Q4 the
    prologue takes one f32 an input and holds only
    arith, math and mx.yield operations; Q5 `compat` excludes rounding, special and tiny, and names a preset for the scales'
    format, each of which has words of
    its own; Q6 tiles: the
    last one takes everything (no condition); Q7 data and scales make a block format (formats/BlockFormats.def), of two
    copies the same; Q8 `axis = both` has data and
    scales of two copies, the others of one; Q9 `transpose` is for copies along columns;
    Q10 `groups` takes i32 [G], `align` is 1 or 128, and is for groups; Q11 `gather` names a row for each row of the data, and the inputs have one
    shape, with the data's columns; Q12 `amax` is memref<1xf32>, of two copies of which one is transformed memref<2xf32>; Q13
    `column_sum` has the data's columns, and is not for groups; Q14 `tensor_scale` is as amax,
    and given where the format has one; Q15 `rows` is f32 [M], and for a prologue; Q16 of `block = A to B` B is a block of a
    format, A of another or 16x16, and made of whole ones of B;
    Q17 `random` is memref<2xi64>, and for elements of 4 bits; Q18 `hadamard` is 16, for elements of 4 bits, and not for
    blocks of several rows; `along` is for axis = both;
    Q19 `four_over_six` is for nvfp4, with `rounding = nearest`, and not beside `random`.
  }];
  let arguments = (ins
    Arg<Variadic<Mx_InputMemRef>, "matrices of one shape", [MemRead]>:$inputs,
    Arg<Optional<Mx_EndsMemRef>, "the groups' ends", [MemRead]>:$ends,
    Arg<Optional<Mx_GatherMemRef>, "the inputs' row of each row", [MemRead]>:$gather,
    Arg<Optional<Mx_TensorScaleMemRef>, "the scale above the blocks'", [MemRead]>:$tensor_scale,
    Arg<Optional<Mx_RowValuesMemRef>, "an argument of the prologue for each row", [MemRead]>:$row_values,
    Arg<Optional<Mx_RandomMemRef>, "seed and offset of the random bits", [MemRead]>:$random,
    Arg<Mx_DataMemRef, "quantized elements", [MemWrite]>:$data,
    Arg<Mx_ScaleMemRef, "scales", [MemWrite]>:$scales,
    Arg<Optional<Mx_DataMemRef>, "axis = both: quantized along columns", [MemWrite]>:$column_data,
    Arg<Optional<Mx_ScaleMemRef>, "its scales", [MemWrite]>:$column_scales,
    Arg<Optional<Mx_AmaxMemRef>, "the largest magnitude", [MemWrite]>:$amax,
    Arg<Optional<Mx_ColumnSumMemRef>, "sums of the columns", [MemWrite]>:$column_sum,
    OptionalAttr<Mx_AxisAttr>:$axis,
    OptionalAttr<DenseI64ArrayAttr>:$block,
    OptionalAttr<DenseI64ArrayAttr>:$block_to,
    OptionalAttr<BoolAttr>:$transpose,
    OptionalAttr<I64Attr>:$align,
    OptionalAttr<Mx_RoundingAttr>:$rounding,
    OptionalAttr<Mx_SpecialAttr>:$special,
    OptionalAttr<Mx_TinyAttr>:$tiny,
    OptionalAttr<I64Attr>:$hadamard,
    OptionalAttr<Mx_AxisAttr>:$hadamard_axis,
    OptionalAttr<Mx_TensorSenseAttr>:$tensor_sense,
    OptionalAttr<Mx_FourOverSixAttr>:$four_over_six,
    OptionalAttr<StrAttr>:$compat,
    OptionalAttr<ArrayAttr>:$tiles);
  let regions = (region AnyRegion:$prologue);
  let assemblyFormat = [{
    `ins` `(` $inputs `:` type($inputs) `)`
    `` custom<RowClauses>($ends, type($ends), $gather, type($gather), $tensor_scale, type($tensor_scale), $tensor_sense, $row_values, type($row_values), $random, type($random))
    `outs` `(` $data `,` $scales (`,` $column_data^ `,` $column_scales)? `:` type($data) `,` type($scales) (`,` type($column_data)^ `,` type($column_scales))? `)`
    `` custom<TotalClauses>($amax, type($amax), $column_sum, type($column_sum))
    `` custom<QuantizeClauses>($axis, $block, $block_to, $transpose, $align, $rounding, $special, $tiny, $hadamard, $hadamard_axis, $four_over_six, $compat, $tiles)
    attr-dict-with-keyword `` custom<ScalarRegion>($prologue)
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let hasCanonicalizer = 1;
  let extraClassDeclaration = [{
    ::mxc::BlockFormat getFormat();
    /// The format's blocks, where `block` names larger ones too.
    ::mlir::DenseI64ArrayAttr getScaleBlock() { return getBlockTo() ? getBlockToAttr() : getBlockAttr(); }
    /// The rule with defaults filled in and the preset resolved.
    ::mxc::QuantizeRule getRule();
    Axis getQuantizedAxis() { return getAxis().value_or(Axis::Row); }
    /// Whether the copy along that axis quantizes results of the Hadamard transform.
    bool isTransformed(Axis copy);
    /// Whether each copy has a number: both have values of their own.
    bool hasTwoTensors() { return getQuantizedAxis() == Axis::Both && getHadamard(); }
    TensorSense getSense() { return getTensorSense().value_or(TensorSense::Scale); }
    /// Cut by #mx.column_tile: whatever looks at whole columns, or at all elements.
    bool hasColumnTiles() { return getQuantizedAxis() != Axis::Row || getAmax() || getColumnSum() || hasSmallSquares(); }
    bool hasSmallSquares(); // 16x16 elements have one maximum
    bool hasGroups() { return bool(getEnds()); }
    bool isGathered() { return bool(getGather()); }
    int64_t getGroupAlignment() { return getAlign().value_or(128); }
    /// Groups lie side by side: their scales have tiles of their own.
    bool hasCompactGroups() { return hasGroups() && getGroupAlignment() == 1; }
    bool hasPrologue() { return !getPrologue().empty(); }
    /// The copies that it writes, the one along rows first.
    ::llvm::SmallVector<QuantizedCopy> getCopies();
  }];
}

#endif
