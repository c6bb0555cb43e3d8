// MLIR's canonicalization as this compiler uses it.
#pragma once

#include "mlir/Pass/Pass.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

#include <memory>

namespace mxc {

/// MLIR's pass without the patterns that change a result: truncf(sitofp(x)) rounds twice, and MLIR makes one
/// conversion of it, which rounds once.
std::unique_ptr<mlir::Pass> createCanonicalizer(const mlir::GreedyRewriteConfig &config = {});

} // namespace mxc
