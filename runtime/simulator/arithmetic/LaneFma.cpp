#include "runtime/simulator/arithmetic/LaneFma.h"

#include "runtime/simulator/arithmetic/IndependentIterations.h"

// Without this a call of the C library's fma for every lane remains, unless the whole program is built for
// such a host.
#ifdef __x86_64__
#define MXC_FMA_VERSIONS __attribute__((target_clones("arch=x86-64-v3", "default")))
#else
#define MXC_FMA_VERSIONS
#endif

namespace mxc::sim {

MXC_FMA_VERSIONS void fmaLanes(float *d, const float *a, const float *b, const float *c, int count) {
  MXC_INDEPENDENT
  for (int k = 0; k < count / 8 * 8; ++k)
    d[k] = __builtin_fmaf(a[k], b[k], c[k]);
}

MXC_FMA_VERSIONS void fmaLanes(double *d, const double *a, const double *b, const double *c, int count) {
  MXC_INDEPENDENT
  for (int k = 0; k < count / 8 * 8; ++k)
    d[k] = __builtin_fma(a[k], b[k], c[k]);
}

} // namespace mxc::sim
