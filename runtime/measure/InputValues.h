// Numbers to measure and to check kernels with: never zeros, and with heavy tails.
#pragma once

#include "compiler/abi/CompiledKernel.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace mxc::measure {

/// Fills `bytes` with elements of `argument`'s type: floats normal times 2^U(-12, 12) in each block of 32;
/// element codes at random, but no NaN and no infinity, whose sums say nothing; scales from 2^-12 to 2^11.
/// Throws mxc::Error (InvalidInput) for what is no number but a place: an index, ends, pointers.
void fillInput(const AbiArgument &argument, uint64_t seed, std::span<std::byte> bytes);

} // namespace mxc::measure
