// Every operation of the mx dialect, a room a level.
include "dialect/kernel/MxKernelOps.td"
include "dialect/pipeline/MxPipelineOps.td"
include "dialect/tile/MxTileOps.td"
