// What a multiprocessor of every target has, where a plan counts how many CTAs are resident.
#pragma once

#include "compiler/targets/Target.h"

namespace mxc {

inline constexpr int kMultiprocessorRegisters = 64 * 1024;
inline constexpr int kSharedOfLaunch = 1024; // bytes that a CTA takes beside its own
/// Shared memory: one CTA may have all but what its launch takes.
constexpr int sharedOfMultiprocessor(const Target &target) { return target.maxSharedBytes + kSharedOfLaunch; }

} // namespace mxc
