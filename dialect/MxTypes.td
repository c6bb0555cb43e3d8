#ifndef MXC_DIALECT_MXTYPES_TD
#define MXC_DIALECT_MXTYPES_TD

include "mlir/IR/CommonTypeConstraints.td"

// Types of kernel-level operands. What is scales and what is data says the operation, not the type.

def Mx_InputMemRef : MemRefRankOf<[BF16, F16, F32], [2]>;
def Mx_DataMemRef : MemRefRankOf<[F8E4M3FN, F8E5M2, F6E2M3FN, F6E3M2FN, F4E2M1FN], [2]>;
def Mx_ScaleMemRef : MemRefRankOf<[F8E8M0FNU, F8E4M3FN], [2]>; // ue8m0, ue4m3
def Mx_IndexMemRef : MemRefRankOf<[I32], [1]>; // ends of groups, rows to gather
def Mx_VectorMemRef : MemRefRankOf<[F32], [1]>; // sums, maxima
def Mx_Ue8m0MemRef : MemRefRankOf<[F8E8M0FNU], [2]>;

def Mx_ProductMemRef : MemRefRankOf<[F8E4M3FN, F8E5M2], [2, 3]>;
def Mx_ProductScaleMemRef : MemRefRankOf<[F8E8M0FNU], [2, 3]>;
def Mx_ResultMemRef : MemRefRankOf<[BF16, F16, F32], [2, 3]>;

#endif
