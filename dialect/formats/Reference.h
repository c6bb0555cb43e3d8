// The host reference: whole matrices, bit for bit what every kernel must produce. Meant to be read.
#pragma once

#include "dialect/formats/BlockScale.h"
#include "dialect/formats/ScaleLayout.h"

#include <cstdint>
#include <span>
#include <vector>

namespace mxc {

/// Storage types of inputs and of dequantized outputs.
enum class FloatType : uint8_t { BF16, F16, F32 };

/// Element `index` of an array of `type`, exactly; NaN stays NaN. No alignment is needed.
float loadFloat(FloatType type, const void *base, int64_t index);

/// To nearest even, beyond the largest finite to Inf; NaN as 0x7FFF / 0x7FFFFFFF.
void storeFloat(FloatType type, void *base, int64_t index, float value);

int64_t byteSize(FloatType type);

/// Quantizes the row-major matrix values[rows][k] along rows. `codes`: rows*k bytes, one code a byte.
/// `scales`: scaleCount(layout, blocks of the rows, blocks of k) scales, padding included. Throws mxc::Error
/// (InvalidInput) when a size does not fit and for formats without a rule. Large matrices are split over
/// threads. `rowNumbers`: of each row, for the rule's random bits; empty: their order.
void quantizeRows(std::span<const float> values, int64_t rows, int64_t k, const QuantizeRule &rule,
                  ScaleLayout layout, std::span<uint8_t> codes, std::span<uint8_t> scales,
                  std::span<const int64_t> rowNumbers = {});

/// values[r][k] = decode(code) * scale, in f32: one rounding where the product leaves f32's range. A NaN
/// scale or element gives NaN. A tensor scale, where the format has one, is the caller's. `scales` has
/// scaleCount(layout, blocks of the rows, blocks of k) scales.
void dequantizeRows(std::span<const uint8_t> codes, std::span<const uint8_t> scales, int64_t rows, int64_t k,
                    BlockFormat format, ScaleLayout layout, std::span<float> values);

} // namespace mxc
