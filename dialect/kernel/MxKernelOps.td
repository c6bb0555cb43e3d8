// Operations that users write, a file a family.
include "dialect/kernel/MxCombineOps.td"
include "dialect/kernel/MxDequantizeOps.td"
include "dialect/kernel/MxGroupedMatmulOps.td"
include "dialect/kernel/MxKernelOp.td"
include "dialect/kernel/MxMatmulOps.td"
include "dialect/kernel/MxQuantizeOps.td"
include "dialect/kernel/MxRequantizeOps.td"
include "dialect/kernel/MxScaleOps.td"
