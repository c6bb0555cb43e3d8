// MXC_INDEPENDENT before a loop: no iteration reads what another one writes, so the compiler may use vectors.
#pragma once

#ifdef __clang__
#define MXC_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define MXC_INDEPENDENT _Pragma("GCC ivdep")
#endif
