// Element-wise reductions of bulk copies (PTX ISA 9.7.9.25.4: cp.reduce.async.bulk, red.async).
#pragma once

#include "runtime/simulator/memory/Atomics.h"

namespace mxc::sim {

struct BulkReduction {
  AtomicUpdate update = nullptr; // of an element; null: no reduction
  AtomicPlace place = AtomicPlace::Bulk;
  uint32_t elementBytes = 0;

  explicit operator bool() const { return update != nullptr; }
  /// to[i] = to[i] op from[i] for `bytes` of elements, each of them atomic. Both aligned to an element.
  void operator()(std::byte *to, const std::byte *from, size_t bytes) const;
};

/// By operation ("add", "min", "max", "inc", "dec", "and", "or", "xor") and element type ("u32", "s32",
/// "u64", "s64", "b32", "b64", "f16", "bf16", "f32", "f32.ftz", "f64"); none if there is no such reduction.
BulkReduction bulkReduction(std::string_view operation, std::string_view type);

} // namespace mxc::sim
