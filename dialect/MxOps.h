// The mx dialect's public header: the operations of every level. The .td files are the reference.
#pragma once

#include "dialect/kernel/MxKernelOps.h"
#include "dialect/pipeline/MxPipelineOps.h"
#include "dialect/tile/MxTileOps.h"
