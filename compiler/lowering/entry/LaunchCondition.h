// When a tile may be launched, as the ABI's condition on the dimensions.
#pragma once

#include "compiler/lowering/entry/KernelSignature.h"

namespace mxc {

/// The largest extent that tiles with vector access take: they count rows and columns in 32 bits.
inline constexpr int64_t kNarrowExtent = (int64_t(1) << 31) - 65536;

/// What the tile `needs` of the dimensions and its own condition, with static extents put in: nothing =
/// always, nullopt = never. A null `tile` has no condition of its own. Failure after an error at `op`: the
/// tile's `when` is no expression over this kernel's dimensions.
mlir::FailureOr<std::optional<ShapeExpression>> launchCondition(mlir::Operation *op,
                                                                const KernelSignature &signature,
                                                                mx::TileAttrInterface tile,
                                                                llvm::ArrayRef<std::string> needs);

} // namespace mxc
