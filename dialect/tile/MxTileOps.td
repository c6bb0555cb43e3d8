#ifndef MXC_DIALECT_TILE_MXTILEOPS_TD
#define MXC_DIALECT_TILE_MXTILEOPS_TD

include "dialect/attributes/MxAttributes.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Dialect/LLVMIR/LLVMOpBase.td"

// Tile level: what one lane of a warp holds and does. Its elements are a vector of consecutive ones of one row.

def Mx_LaneElements : VectorOfRankAndType<[1], [BF16, F16, F32]>;
// Codes of elements in the words of a lane, packed as in memory: element 0 in the lowest bits. How many, says the operation.
def Mx_LaneCodes : VectorOfRankAndType<[1], [I32]>;

def Mx_BlockAmaxOp : Mx_Op<"block_amax", [Pure, SameVariadicOperandSize]> {
  let summary = "absolute maxima of the blocks that the elements belong to";
  let description = [{
    `lanes` lanes hold a block, `stride` apart. For every vector of elements, all of them get the f32 bit pattern of the block's largest
    magnitude. A vector whose `valid` is false counts as zeros. Under `propagate`, NaN wins (a pattern above Inf's);
    else NaN is ignored.
  }];
  let arguments = (ins Variadic<Mx_LaneElements>:$values, Variadic<I1>:$valid, I32Attr:$lanes,
                       DefaultValuedAttr<I32Attr, "1">:$stride, Mx_SpecialAttr:$special);
  let results = (outs Variadic<I32>:$amax);
  let assemblyFormat = [{
    $values `valid` $valid `lanes` `=` $lanes (`stride` `=` $stride^)? `special` `=` `` $special attr-dict `:` type($values) `->` type($amax)
  }];
  let hasVerifier = 1;
}

def Mx_ColumnAmaxOp : Mx_Op<"column_amax", [Pure]> {
  let summary = "absolute maxima of the columns that a lane holds whole blocks of";
  let description = [{
    `rows`: one vector a row of the block, each of the same adjacent columns. The f32 bit pattern of every column's largest
    magnitude; `special` as in block_amax.
  }];
  let arguments = (ins Variadic<Mx_LaneElements>:$rows, Mx_SpecialAttr:$special);
  let results = (outs Variadic<I32>:$amax);
  let assemblyFormat = [{
    $rows `special` `=` `` $special attr-dict `:` type($rows) `->` type($amax)
  }];
  let hasVerifier = 1;
}

def Mx_EncodeScaleOp : Mx_Op<"encode_scale", [Pure]> {
  let summary = "the scale's code and the multiplier of a block";
  let description = [{
    `element` and `scale` are the types of a block format. The rule is that of the scale's format (docs/semantics/scales.md): of
    ue8m0 integers alone, and a multiplier that is a power of two; of f32 two divisions; of ue4m3 three, one of them by the
    magnitude of `tensor_scale`, which is for it alone. There under `rounding = reciprocal` `tensor_scale` is the scale's
    reciprocal. `to_four`, of ue4m3: a scale 3/2 as large,
    so that the block's largest element becomes 4.
  }];
  let arguments = (ins I32:$amax, Optional<F32>:$tensor_scale, TypeAttr:$element, TypeAttr:$scale, Mx_RoundingAttr:$rounding, Mx_SpecialAttr:$special,
                       Mx_TinyAttr:$tiny, UnitAttr:$to_four);
  let results = (outs I32:$code, F32:$multiplier);
  let assemblyFormat = [{
    $amax (`in` $tensor_scale^)? (`to_four` $to_four^)? `element` `=` $element `scale` `=` $scale `rounding` `=` `` $rounding `special` `=` `` $special `tiny` `=` `` $tiny attr-dict
  }];
  let hasVerifier = 1;
}

def Mx_DecodeScaleOp : Mx_Op<"decode_scale", [Pure]> {
  let summary = "the value of a scale's code";
  let arguments = (ins I32:$code, TypeAttr:$scale);
  let results = (outs F32:$value);
  let assemblyFormat = "$code `scale` `=` $scale attr-dict";
  let hasVerifier = 1;
}

def Mx_HadamardOp : Mx_Op<"hadamard", [Pure]> {
  let summary = "every 16 elements of a row times a Hadamard matrix with signs, rounded to bf16";
  let description = [{
    `lanes` neighbouring lanes have 16 elements, or each of them whole ones. The order of the sums is the contract's
    (docs/semantics/nvfp4.md, "Hadamard transform").
  }];
  let arguments = (ins Mx_LaneElements:$values, I32:$lane, I32Attr:$lanes);
  let results = (outs Mx_LaneElements:$transformed);
  let assemblyFormat = "$values `lane` $lane `lanes` `=` $lanes attr-dict `:` type($values) `->` type($transformed)";
  let hasVerifier = 1;
}

def Mx_HadamardColumnsOp : Mx_Op<"hadamard_columns", [Pure]> {
  let summary = "every 16 rows of columns times a Hadamard matrix with signs, rounded to bf16";
  let description = "As mx.hadamard, of column_amax's `rows`, a multiple of 16 of them: of two adjacent columns each.";
  let arguments = (ins Variadic<Mx_LaneElements>:$rows);
  let results = (outs Variadic<Mx_LaneElements>:$transformed);
  let assemblyFormat = "$rows attr-dict `:` type($rows) `->` type($transformed)";
  let hasVerifier = 1;
}

def Mx_RandomWordsOp : Mx_Op<"random_words", [Pure]> {
  let summary = "the random bits of 16 elements of a row";
  let description = [{
    Philox4x32-10 of the counter (offset, run, row) under the key `seed`, both from the lower half on; `run` is the elements' first column
    / 16. A word for every four elements (formats/RandomBits.h).
  }];
  let arguments = (ins I64:$seed, I64:$offset, I32:$run, I32:$row);
  let results = (outs I32:$first, I32:$second, I32:$third, I32:$fourth);
  let assemblyFormat = "`[` $row `,` $run `]` `seed` $seed `offset` $offset attr-dict";
}

def Mx_ConvertPackOp : Mx_Op<"convert_pack", [Pure]> {
  let summary = "codes of a lane's elements: round(x * multiplier), saturating";
  let description = [{
    `multiplier` is encode_scale's, of a scale of type `scale`: the product is rounded to f32 where that is no power of two.
    `rounding`, of the product to the element: to nearest even, or of 4 bits `stochastic`, by a word of `random` for every four
    elements: of byte 0, 2, 1, 3 for the first to the last of them.
  }];
  let arguments = (ins Mx_LaneElements:$values, F32:$multiplier, Variadic<I32>:$random, TypeAttr:$element, TypeAttr:$scale,
                       DefaultValuedAttr<Mx_CodeRoundingAttr, "CodeRounding::Nearest">:$rounding);
  let results = (outs Mx_LaneCodes:$codes);
  let assemblyFormat = [{
    $values `by` $multiplier (`random` $random^)? `element` `=` $element `scale` `=` $scale (`rounding` `=` $rounding^)? attr-dict
    `:` type($values) `->` type($codes)
  }];
  let hasVerifier = 1;
}

def Mx_BlockErrorOp : Mx_Op<"block_error", [Pure]> {
  let summary = "the squared error of a block of 16 elements, in units of the tensor's scale";
  let description = [{
    The error is that between `values` and what they became: `codes` under a scale of code `scale_code`. `lanes` neighbouring lanes have a
    block; all of them get the sum, in the contract's order (docs/semantics/nvfp4.md, "Four over six"). Where `valid` is false a lane's elements count as zeros.
  }];
  let arguments = (ins Mx_LaneElements:$values, Mx_LaneCodes:$codes, I32:$scale_code, F32:$tensor_scale, I1:$valid, I32Attr:$lanes,
                       TypeAttr:$element, TypeAttr:$scale);
  let results = (outs F32:$error);
  let assemblyFormat = [{
    $values `as` $codes `by` $scale_code `in` $tensor_scale `valid` $valid `lanes` `=` $lanes `element` `=` $element `scale` `=` $scale
    attr-dict `:` type($values) `,` type($codes)
  }];
  let hasVerifier = 1;
}

def Mx_ConvertColumnsOp : Mx_Op<"convert_columns", [Pure, AttrSizedOperandSegments]> {
  let summary = "codes of columns that a lane holds whole blocks of, every column with its multiplier";
  let description = [{
    As convert_pack, of column_amax's `rows`, to nearest. `transpose`: the codes of one column a result; else, of elements of 8 bits, of one row.
  }];
  let arguments = (ins Variadic<Mx_LaneElements>:$rows, Variadic<F32>:$multipliers, TypeAttr:$element, TypeAttr:$scale,
                       UnitAttr:$transpose);
  let results = (outs Variadic<Mx_LaneCodes>:$codes);
  let assemblyFormat = [{
    $rows `by` $multipliers `element` `=` $element `scale` `=` $scale (`transpose` $transpose^)? attr-dict `:` type($rows) `->` type($codes)
  }];
  let hasVerifier = 1;
}

def Mx_ConvertUnpackOp : Mx_Op<"convert_unpack", [Pure]> {
  let summary = "values of a lane's codes: decode(code) * scale [* tensor_scale], rounded to f32, then to the result's type";
  let arguments = (ins Mx_LaneCodes:$codes, F32:$scale, Optional<F32>:$tensor_scale, TypeAttr:$element);
  let results = (outs Mx_LaneElements:$values);
  let assemblyFormat = "$codes `by` $scale (`in` $tensor_scale^)? `element` `=` $element attr-dict `:` type($codes) `->` type($values)";
  let hasVerifier = 1;
}

def Mx_GatherScalesOp : Mx_Op<"gather_scales", [Pure]> {
  let summary = "four blocks' scales of a byte each of one row as a word";
  let description = [{
    Every `lanes` neighbouring lanes hold the bytes of one block, of one row or of four. Lane group g = (lane / lanes) mod 4
    gets the word of row g (four rows: a 4x4 byte transposition over the lanes) or of the only row: byte kb from group kb.
  }];
  let arguments = (ins Variadic<I32>:$bytes, I32:$lane, I32Attr:$lanes);
  let results = (outs I32:$word);
  let assemblyFormat = "$bytes `lane` $lane `lanes` `=` $lanes attr-dict";
  let hasVerifier = 1;
}

def Mx_ScaleOffsetOp : Mx_Op<"scale_offset", [Pure]> {
  let summary = "how many scales lie before that of (row, block), from the layout's affine map";
  let description = "`extent`: how many blocks the matrix has, or in the layout mn_major how many rows.";
  let arguments = (ins I64:$row, I64:$block, I64:$extent, Mx_ScaleLayoutAttr:$layout);
  let results = (outs I64:$offset);
  let assemblyFormat = "`[` $row `,` $block `]` `of` $extent `layout` `=` $layout attr-dict";
}

def Mx_SharedMemoryOp : Mx_Op<"shared_memory", [Pure]> {
  let summary = "the launch's dynamic shared memory";
  let description = "The kernels of a module share one symbol; its alignment is the largest that one of them needs.";
  let arguments = (ins I64Attr:$bytes, I32Attr:$alignment);
  let results = (outs LLVM_PointerInAddressSpace<3>:$address);
  let assemblyFormat = "`bytes` `=` $bytes `alignment` `=` $alignment attr-dict `:` type($address)";
}

#endif
