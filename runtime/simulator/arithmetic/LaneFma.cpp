#include "runtime/simulator/arithmetic/LaneFma.h"

#include "runtime/simulator/arithmetic/HostVectors.h"
#include "runtime/simulator/arithmetic/IndependentIterations.h"

// Without wide vectors a call of the C library's fma for every lane remains.

namespace mxc::sim {

MXC_HOST_VECTORS void fmaLanes(float *d, const float *a, const float *b, const float *c, int count) {
  MXC_INDEPENDENT
  for (int k = 0; k < count / 8 * 8; ++k)
    d[k] = __builtin_fmaf(a[k], b[k], c[k]);
}

MXC_HOST_VECTORS void fmaLanes(double *d, const double *a, const double *b, const double *c, int count) {
  MXC_INDEPENDENT
  for (int k = 0; k < count / 8 * 8; ++k)
    d[k] = __builtin_fma(a[k], b[k], c[k]);
}

MXC_HOST_VECTORS void fmaLanesWithNan(float *d, const float *a, const float *b, const float *c, int count) {
  MXC_INDEPENDENT
  for (int k = 0; k < count / 8 * 8; ++k) { // in integers: to a C++ compiler one NaN is as good as another
    const auto bits = __builtin_bit_cast(uint32_t, __builtin_fmaf(a[k], b[k], c[k]));
    d[k] = __builtin_bit_cast(float, (bits & 0x7FFFFFFF) > 0x7F800000 ? 0x7FFFFFFF : bits);
  }
}

} // namespace mxc::sim
