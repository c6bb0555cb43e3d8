// Random matrices that hold what kernels get wrong: NaN, infinities, zeros of both signs, subnormals, maxima
// at the scales' boundaries, and otherwise heavy tails.
#pragma once

#include "dialect/formats/Reference.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

/// Bytes of rows x columns elements, the same for the same arguments. Kinds change every 32 elements of a
/// row. `finite` leaves NaN, infinities and raw bit patterns out.
std::vector<std::byte> matrixData(mxc::FloatType type, int64_t rows, int64_t columns, uint64_t seed,
                                  bool finite = false);

/// Ends of groups of these lengths, each of which begins at a multiple of `align`.
std::vector<int32_t> endsOf(const std::vector<int32_t> &lengths, int32_t align);

std::vector<std::byte> randomBytes(size_t count, uint64_t seed);

mxc::FloatType floatTypeNamed(const std::string &name); // "bf16", "f16", "f32"
