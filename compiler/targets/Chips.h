// The chips that have a file in this folder; Targets.cpp lists them.
#pragma once

#include "compiler/targets/Target.h"

namespace mxc {

extern const Target kSm90a, kSm100a, kSm103a, kSm100f, kSm120a, kSm121a, kSm120f;

} // namespace mxc
