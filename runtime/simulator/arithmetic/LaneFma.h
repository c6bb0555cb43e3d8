// Fused multiply-add of 32 lanes, rounded to nearest even, by the host's own instruction where it has one.
#pragma once

#include <cstdint>

namespace mxc::sim {

/// d[k] = a[k] * b[k] + c[k] for k < count, a multiple of 8. d may be any of the others.
void fmaLanes(float *d, const float *a, const float *b, const float *c, int count = 32);
void fmaLanes(double *d, const double *a, const double *b, const double *c, int count = 32);

/// The same, any NaN being the chip's one.
void fmaLanesWithNan(float *d, const float *a, const float *b, const float *c, int count = 32);

} // namespace mxc::sim
