// Numbers to measure and check kernels with: never zeros, and with heavy tails.
#pragma once

#include "compiler/abi/CompiledKernel.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace mxc::measure {

/// Fills `bytes` with elements of `argument`'s type: normal floats times 2^U(-12, 12) in each block of 32;
/// random element codes without NaN and infinity, whose sums say nothing; scales from 2^-16 to 2^7, since
/// above it, which no quantized weights reach, products on Hopper convert codes the long way. Throws
/// mxc::Error (InvalidInput) for types that are places, not numbers: an index, ends, pointers.
void fillInput(const AbiArgument &argument, uint64_t seed, std::span<std::byte> bytes);

} // namespace mxc::measure
