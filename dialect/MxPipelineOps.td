// Operations of kernels whose roles hand stages to each other, a file a family.
include "dialect/MxRingOps.td"
include "dialect/MxStepOps.td"
include "dialect/MxTileSchedules.td"
include "dialect/MxBoxOps.td"
include "dialect/MxTensorMemoryOps.td"
include "dialect/MxWarpgroupOps.td"
include "dialect/MxClusterOps.td"
include "dialect/MxCounterOps.td"
