// A region of f32 scalars applied to a lane's elements: prologues before, epilogues after the tile's own
// work.
#pragma once

#include "compiler/lowering/build/ValueBuilder.h"

#include "mlir/IR/IRMapping.h"

namespace mxc {

/// The region once for every element. `inputs`, one a block argument, are vectors of one length or scalars
/// that every element gets, bf16, f16 or f32. Returns a vector<n x f32> for every value that the region
/// yields. With `valid` (i1, one an element) the others are zero, whatever the region makes of them.
/// `outer`: what stands for values that the region takes from around it.
llvm::SmallVector<mlir::Value> applyScalarRegion(const ValueBuilder &v, mlir::Block &region,
                                                 llvm::ArrayRef<mlir::Value> inputs,
                                                 llvm::ArrayRef<mlir::Value> valid = {},
                                                 const mlir::IRMapping &outer = {});

} // namespace mxc
