// The compiler's version: part of every ABI record and cache key.
#pragma once

namespace mxc {

inline constexpr const char *kVersion = "0.1.0";

} // namespace mxc
