#ifndef MXC_DIALECT_ATTRIBUTES_MXATTRIBUTES_TD
#define MXC_DIALECT_ATTRIBUTES_MXATTRIBUTES_TD

include "dialect/attributes/MxDialect.td"
include "dialect/attributes/MxInterfaces.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/EnumAttr.td"

//===-- Enumerations: the same names and order as dialect/formats (static_assert in MxAttributes.cpp) --===//

class Mx_Enum<string name, string summary, list<I32EnumAttrCase> cases> : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::mxc::mx";
  let genSpecializedAttr = 0;
}
class Mx_EnumAttr<EnumAttrInfo enum, string mnemonic> : EnumAttr<Mx_Dialect, enum, mnemonic> {
  let assemblyFormat = "custom<EnumWord>($value)";
}

def Mx_Axis : Mx_Enum<"Axis", "along which the blocks lie",
    [I32EnumAttrCase<"Row", 0, "row">, I32EnumAttrCase<"Column", 1, "column">, I32EnumAttrCase<"Both", 2, "both">]>;
def Mx_Rounding : Mx_Enum<"RoundingMode", "how the scale follows from the block's maximum",
    [I32EnumAttrCase<"Ceil", 0, "ceil">, I32EnumAttrCase<"Floor", 1, "floor">, I32EnumAttrCase<"Even", 2, "even">,
     I32EnumAttrCase<"Nearest", 3, "nearest">, I32EnumAttrCase<"Reciprocal", 4, "reciprocal">,
     I32EnumAttrCase<"Inverse", 5, "inverse">]>;
def Mx_Special : Mx_Enum<"SpecialMode", "what NaN and Inf in a block do",
    [I32EnumAttrCase<"Propagate", 0, "propagate">, I32EnumAttrCase<"Saturate", 1, "saturate">,
     I32EnumAttrCase<"NanScale", 2, "nan_scale">, I32EnumAttrCase<"Ieee", 3, "ieee">,
     I32EnumAttrCase<"UnitScale", 4, "unit_scale">]>;
def Mx_Tiny : Mx_Enum<"TinyMode", "what happens to blocks below the normal scales",
    [I32EnumAttrCase<"Exact", 0, "exact">, I32EnumAttrCase<"ByteOne", 1, "byte_one">, I32EnumAttrCase<"Clamp", 2, "clamp">]>;
def Mx_CodeRounding : Mx_Enum<"CodeRounding", "how an element is rounded to its code",
    [I32EnumAttrCase<"Nearest", 0, "nearest">, I32EnumAttrCase<"Stochastic", 1, "stochastic">]>;
def Mx_FourOverSix : Mx_Enum<"BlockError", "by which error one of two scales of a block is taken",
    [I32EnumAttrCase<"Mse", 0, "mse">]>;
def Mx_TensorSense : Mx_Enum<"TensorSense", "what a number given for the whole tensor is",
    [I32EnumAttrCase<"Scale", 0, "tensor_scale">, I32EnumAttrCase<"Amax", 1, "tensor_amax">,
     I32EnumAttrCase<"Divisor", 2, "tensor_divisor">]>;
def Mx_ScaleLayoutKind : Mx_Enum<"ScaleLayoutKind", "where the scale of (row, block) lies",
    [I32EnumAttrCase<"Dense", 0, "dense">, I32EnumAttrCase<"Tcgen05", 1, "tcgen05">,
     I32EnumAttrCase<"MnMajor", 2, "mn_major">, I32EnumAttrCase<"MnPacked", 3, "mn_packed">,
     I32EnumAttrCase<"Padded", 4, "padded">]>;
def Mx_TileVariant : Mx_Enum<"TileVariant", "how a tile of the input reaches the registers",
    [I32EnumAttrCase<"Direct", 0, "direct">, I32EnumAttrCase<"Bulk", 1, "bulk">]>;
def Mx_TileAccess : Mx_Enum<"TileAccess", "width of global loads and stores",
    [I32EnumAttrCase<"Vector", 0, "vector">, I32EnumAttrCase<"Element", 1, "element">]>;
def Mx_TileOrder : Mx_Enum<"TileOrder", "which way consecutive CTAs go",
    [I32EnumAttrCase<"Columns", 0, "columns">, I32EnumAttrCase<"Rows", 1, "rows">]>;

def Mx_AxisAttr : Mx_EnumAttr<Mx_Axis, "axis">;
def Mx_RoundingAttr : Mx_EnumAttr<Mx_Rounding, "rounding">;
def Mx_SpecialAttr : Mx_EnumAttr<Mx_Special, "special">;
def Mx_TinyAttr : Mx_EnumAttr<Mx_Tiny, "tiny">;
def Mx_FourOverSixAttr : Mx_EnumAttr<Mx_FourOverSix, "block_error">;
def Mx_TensorSenseAttr : Mx_EnumAttr<Mx_TensorSense, "tensor_sense">;
def Mx_CodeRoundingAttr : Mx_EnumAttr<Mx_CodeRounding, "code_rounding">;

class Mx_Attr<string name, string attrMnemonic, list<Trait> traits = []> : AttrDef<Mx_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

def Mx_ScaleLayoutAttr : Mx_Attr<"ScaleLayout", "scale_layout",
    [DeclareAttrInterfaceMethods<MemRefLayoutAttrInterface, ["verifyLayout", "getStridesAndOffset", "isIdentity"]>]> {
  let summary = "layout of a matrix of scales [rows, blocks]";
  let description = [{
    A row of dialect/formats/ScaleLayouts.def. `dense` is row-major. `tcgen05` is what tcgen05 block-scaled MMA (and cuBLAS "1D
    block scaling") reads: tiles of 128 rows x 4 blocks, 512 scales of one byte each, tiles row-major over
    `[ceil(rows/128), ceil(blocks/4)]`. As an affine map to
    (row tile, block tile, row in 32, 32-row group, block in 4):

    ```
    (r, kb) -> (r floordiv 128, kb floordiv 4, r mod 32, (r floordiv 32) mod 4, kb mod 4)
    ```
    `mn_major` are lines of rows, one a block along the columns, which tensor maps read in runs of 16 bytes:
    (r, kb) -> (kb, r floordiv 4, r mod 4). Other libraries' layouts, which mx.convert_scales alone reads and writes, are `mn_packed`
    (scales of one byte, four blocks of a row a word: (r, kb) -> (kb floordiv 4, r floordiv 4, r mod 4, kb mod 4)) and `padded` (rows of
    blocks up to a multiple of 4). Padding of whole tiles is part of the buffer and is written as 0.
  }];
  let parameters = (ins EnumParameter<Mx_ScaleLayoutKind>:$kind);
  let hasCustomAssemblyFormat = 1;
}

// A tile: its members, of which dialect/TileMembers.h has the list `members`, and an accessor of each.
class Mx_TileAttr<string name, string attrMnemonic, string members>
    : Mx_Attr<name, attrMnemonic, [DeclareAttrInterfaceMethods<Mx_TileAttrInterface, ["takesEverything", "getFallback"]>]> {
  let parameters = (ins name # "Members":$members);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  code accessors = members # "(MXC_TILE_GETTER)\n";
  let extraClassDeclaration = accessors;
}

def Mx_QuantizeTileAttr : Mx_TileAttr<"QuantizeTile", "quantize_tile", "MXC_QUANTIZE_TILE"> {
  let summary = "how quantize and dequantize cut the matrix over CTAs, warps and lanes";
  let description = [{
    A warp takes `32 * lane_elements` columns of `rows_per_warp` rows that lie 32 apart (rows r, r+32, r+64, r+96 of a
    128-row block), so that with the tcgen05 layout its scales are runs of 16 bytes. A CTA's `warps` take consecutive r.

    - `variant`: `direct` loads from global memory; `bulk` copies the CTA's tile to shared memory by bulk tensor copies on
      one mbarrier, then reads it from there.
    - `access`: `vector` needs 16-byte aligned rows and K a multiple of `lane_elements`; `element` takes everything.
    - `order`: consecutive CTAs go along `columns` (K) or `rows` (M).
    - `when`: a condition on the dimensions, as in the ABI: `when = "M <= 128"`. Absent: always.
  }];
  let extraClassDeclaration = accessors # [{
    unsigned getColumns() const { return 32 * getLaneElements(); }
    /// Lanes that share a block of `blockColumns` elements; 0: a lane holds several, or part of one is left over.
    unsigned getLanesPerBlock(unsigned blockColumns) const {
      return blockColumns % getLaneElements() ? 0 : blockColumns / getLaneElements();
    }
  }];
}

def Mx_QuantizeTilesAttr : TypedArrayAttrBase<Mx_QuantizeTileAttr, "tiles, the first whose condition holds is launched">;

#endif
