#include "dialect/pipeline/PipelineChecks.h"

using namespace mlir;
using namespace mxc;
using namespace mxc::mx;

LogicalResult CtaRankOp::verify() { return success(succeeded(pipelineBefore(*this))); }
LogicalResult ClusterBarrierOp::verify() { return success(succeeded(pipelineBefore(*this))); }
LogicalResult ClusterLoadOp::verify() { return success(succeeded(pipelineBefore(*this))); }
