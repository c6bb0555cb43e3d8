// The launch a CTA belongs to: its place in the grid, and the grids before and after it.
#pragma once

#include "compiler/lowering/build/ValueBuilder.h"

namespace mxc::nvvm {

using mlir::Value;

enum class Dim { X, Y, Z };
Value ctaId(const ValueBuilder &v, Dim dim);    // i32
Value gridSize(const ValueBuilder &v, Dim dim); // i32, in CTAs
Value ctaSize(const ValueBuilder &v);           // i32, in threads along x

void launchDependents(const ValueBuilder &v);     // griddepcontrol: a dependent grid may start
void waitForPrerequisites(const ValueBuilder &v); // griddepcontrol: earlier grids' writes are visible

} // namespace mxc::nvvm
