// Atomic operations on one element (PTX ISA 9.7.13.7 atom, 9.7.13.8 red). CTAs run on different host threads,
// so those in global memory are atomic on the host too; a cluster's shared memory belongs to one thread.
#pragma once

#include "runtime/simulator/ptx/Ast.h"

#include <cstddef>
#include <string_view>

namespace mxc::sim {

enum class AtomicPlace : uint8_t {
  Shared,
  Global,
  Bulk, // where a bulk reduction writes: BulkReduction.h
};

/// *at = *at op operand; `old` gets what was there. All of the type's size; `at` is aligned to it.
using AtomicUpdate = void (*)(std::byte *at, const std::byte *operand, std::byte *old, AtomicPlace place);

/// By operation ("add", "min", "max", "inc", "dec", "and", "or", "xor", "exch") and type; null: there is
/// none.
AtomicUpdate atomicUpdate(std::string_view operation, ptx::Type type);

/// "cas" of 16, 32, 64 or 128 bits: where *at == compare, *at = operand.
using AtomicCompare = void (*)(std::byte *at, const std::byte *compare, const std::byte *operand,
                               std::byte *old, AtomicPlace place);
AtomicCompare atomicCompare(uint32_t bits);

} // namespace mxc::sim
