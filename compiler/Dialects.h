// The dialects that mxc's programs read and write.
#pragma once

namespace mlir {
class DialectRegistry;
}

namespace mxc {

/// mx with its lowerings, and what prologues and lowered kernels are made of; their translations to LLVM IR
/// too.
void registerDialects(mlir::DialectRegistry &registry);

} // namespace mxc
