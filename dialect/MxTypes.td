#ifndef MXC_DIALECT_MXTYPES_TD
#define MXC_DIALECT_MXTYPES_TD

include "mlir/IR/CommonTypeConstraints.td"

// Types of kernel-level operands. What is scales and what is data says the operation, not the type.

def Mx_InputMemRef : MemRefRankOf<[BF16, F16, F32], [2]>;
def Mx_DataMemRef : MemRefRankOf<[F8E4M3FN, F8E5M2, F6E2M3FN, F6E3M2FN, F4E2M1FN], [2]>;
def Mx_ScaleMemRef : MemRefRankOf<[F8E8M0FNU, F8E4M3FN], [2]>; // ue8m0, ue4m3
// What stands in a clause: an error names it, and its constraint.
class Mx_ClauseMemRef<Type element, string text>
    : Type<MemRefRankOf<[element], [1]>.predicate, text, "::mlir::MemRefType">;
def Mx_EndsMemRef : Mx_ClauseMemRef<I32, "the groups' ends, memref<?xi32> [Q10]">;
def Mx_GatherMemRef : Mx_ClauseMemRef<I32, "the rows to gather, memref<?xi32> [Q11]">;
def Mx_AmaxMemRef : Mx_ClauseMemRef<F32, "amax, memref<1xf32> [Q12]">;
def Mx_ColumnSumMemRef : Mx_ClauseMemRef<F32, "column_sum, memref<?xf32> [Q13]">;
def Mx_Ue8m0MemRef : MemRefRankOf<[F8E8M0FNU], [2]>;

def Mx_ProductMemRef : MemRefRankOf<[F8E4M3FN, F8E5M2], [2, 3]>;
def Mx_ProductScaleMemRef : MemRefRankOf<[F8E8M0FNU], [2, 3]>;
def Mx_ResultMemRef : MemRefRankOf<[BF16, F16, F32], [2, 3]>;

#endif
