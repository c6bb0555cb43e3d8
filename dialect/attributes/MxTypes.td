#ifndef MXC_DIALECT_ATTRIBUTES_MXTYPES_TD
#define MXC_DIALECT_ATTRIBUTES_MXTYPES_TD

include "mlir/IR/CommonTypeConstraints.td"

// Types of kernel-level operands. What is scales and what is data says the operation, not the type.

def Mx_InputMemRef : MemRefRankOf<[BF16, F16, F32], [2]>;
// What is an element or a scale say the tables of dialect/formats; which belong together says the operation's verifier.
class Mx_FormatMemRef<string formatOf, string text, list<int> ranks>
    : Type<And<[MemRefRankOf<[AnyType], ranks>.predicate,
                CPred<"::mxc::mx::" # formatOf # "(::llvm::cast<::mlir::MemRefType>($_self).getElementType())">]>,
           text, "::mlir::MemRefType">;
def Mx_DataMemRef : Mx_FormatMemRef<"elementFormatOf", "2D memref of an element format", [2]>;
def Mx_ScaleMemRef : Mx_FormatMemRef<"scaleFormatOf", "2D memref of a scale format", [2]>;
// What stands in a clause: an error names it, and its constraint.
class Mx_ClauseMemRef<Type element, string text>
    : Type<MemRefRankOf<[element], [1]>.predicate, text, "::mlir::MemRefType">;
def Mx_EndsMemRef : Mx_ClauseMemRef<I32, "the groups' ends, memref<?xi32> [Q10]">;
def Mx_ProductEndsMemRef : Mx_ClauseMemRef<I32, "the groups' ends, memref<?xi32> [GM2]">;
def Mx_ProductGatherMemRef : Mx_ClauseMemRef<I32, "the rows of a to gather, memref<?xi32> [GM4]">;
def Mx_GatherMemRef : Mx_ClauseMemRef<I32, "the rows to gather, memref<?xi32> [Q11]">;
def Mx_RowValuesMemRef : Mx_ClauseMemRef<F32, "a value for each row, memref<?xf32> [Q15]">;
def Mx_AmaxMemRef : Mx_ClauseMemRef<F32, "amax, memref<1xf32> [Q12]">;
def Mx_ColumnSumMemRef : Mx_ClauseMemRef<F32, "column_sum, memref<?xf32> [Q13]">;
def Mx_TensorScaleMemRef : Mx_ClauseMemRef<F32, "tensor_scale, memref<1xf32> [Q14, D5]">;
def Mx_InexactMemRef : Mx_ClauseMemRef<I64, "inexact, memref<1xi64> [S5, RQ4]">;
def Mx_ErrorMemRef : Mx_ClauseMemRef<F32, "error, memref<1xf32> [RQ4]">;
def Mx_RandomMemRef : Mx_ClauseMemRef<I64, "random, memref<2xi64> [Q17]">;
def Mx_AlphaMemRef : Mx_ClauseMemRef<F32, "alpha, memref<1xf32> [M10]">;

class Mx_TableMemRef<Type element, string text>
    : Type<MemRefRankOf<[element], [2]>.predicate, text, "::mlir::MemRefType">;
def Mx_NamedRowsMemRef : Mx_TableMemRef<I32, "rows that are named, memref<?x8xi32> [C1]">;
def Mx_WeightsMemRef : Mx_TableMemRef<F32, "a number for each row that is named, memref<?x8xf32> [C2]">;

// Its rank and elements are M5's.
def Mx_WithMemRef : Type<IsMemRefTypePred, "a memref in with(..) (a scalar argument is used in the region itself)", "::mlir::MemRefType">;
def Mx_ProductMemRef : Mx_FormatMemRef<"elementFormatOf", "2D or 3D memref of an element format", [2, 3]>;
def Mx_ProductScaleMemRef : Mx_FormatMemRef<"scaleFormatOf", "2D or 3D memref of a scale format", [2, 3]>;
// For b, which may have a dimension of parts, too.
def Mx_PartsMemRef : Mx_FormatMemRef<"elementFormatOf", "2D to 4D memref of an element format", [2, 3, 4]>;
def Mx_PartsScaleMemRef : Mx_FormatMemRef<"scaleFormatOf", "2D to 4D memref of a scale format", [2, 3, 4]>;

#endif
