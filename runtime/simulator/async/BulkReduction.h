// Element-wise reductions of bulk copies (PTX ISA 9.7.9.25.4: cp.reduce.async.bulk, red.async).
#pragma once

#include <cstddef>
#include <string_view>

namespace mxc::sim {

/// to[i] = to[i] op from[i] for `bytes` of elements, each of them atomic. Both aligned to an element.
using BulkReduction = void (*)(std::byte *to, const std::byte *from, size_t bytes);

/// By operation ("add", "min", "max", "inc", "dec", "and", "or", "xor") and element type ("u32", "s32",
/// "u64", "s64", "b32", "b64", "f16", "bf16", "f32", "f32.ftz", "f64"); null: there is no such reduction.
BulkReduction bulkReduction(std::string_view operation, std::string_view type);

} // namespace mxc::sim
