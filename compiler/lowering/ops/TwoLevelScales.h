// NVFP4's scales (docs/semantics/nvfp4.md): of one block, or of two at once, which chips with two f32 an
// instruction do in half the instructions.
#pragma once

#include "compiler/lowering/build/ValueBuilder.h"
#include "dialect/MxOps.h"

namespace mxc {

struct TwoLevelScales {
  mlir::Value codes;       // i16: the first block's in the low byte
  mlir::Value multipliers; // f32, or vector<2xf32>
};

/// `maxima`: bits of f32, an i32 or a vector<2xi32>.
TwoLevelScales encodeTwoLevel(const ValueBuilder &v, mx::EncodeScaleOp rule, mlir::Value maxima);

/// 1 / T to nearest, T being what the contract takes for the scale of a tensor.
mlir::Value reciprocalOfTensorScale(const ValueBuilder &v, mlir::Value tensorScale);

/// The scales of one block whose scale was a power of two (f32; NaN gives anything), as mxc::rescaled says.
TwoLevelScales rescaled(const ValueBuilder &v, mlir::Type scale, mlir::Value power, mlir::Value tensorScale);

/// f32 of the lower of two codes of ue4m3.
mlir::Value decodeUe4m3(const ValueBuilder &v, mlir::Type scale, mlir::Value codes);

} // namespace mxc
