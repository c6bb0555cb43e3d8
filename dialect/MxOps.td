// Every operation of the mx dialect, a file a family.
include "dialect/MxDequantizeOps.td"
include "dialect/MxGroupedMatmulOps.td"
include "dialect/MxKernelOps.td"
include "dialect/MxMatmulOps.td"
include "dialect/MxPipelineOps.td"
include "dialect/MxQuantizeOps.td"
include "dialect/MxScaleOps.td"
include "dialect/MxTileOps.td"
