// Which arithmetic of tensor cores a launch wants.
#pragma once

#include "runtime/simulator/arithmetic/TensorDot.h"
#include "runtime/simulator/machine/Warp.h"

namespace mxc::sim {

/// The chip's model, or that with sums in f64.
inline DotModel modelInUse(Warp &warp, DotModel model) {
  model.isDouble = gridOf(warp).options->tensorArithmetic == TensorArithmetic::Double;
  return model;
}

} // namespace mxc::sim
