// Rows of a weight to a block format and back: on the host, or by kernels on a device.
#pragma once

#include "dialect/formats/Reference.h"
#include "runtime/device/Device.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

namespace mxc {

/// Some rows of a weight, one after another.
struct RowsShape {
  int64_t rows = 0, columns = 0; // elements; columns are whole blocks, or rows of codes whole bytes
};

/// Codes are packed, scales dense. All implementations make the same bytes, those of docs/semantics.
/// Calls throw what they compute with throws.
class RowConverter {
public:
  virtual ~RowConverter() = default;

  virtual void quantize(RowsShape shape, FloatType type, std::span<const std::byte> values,
                        const QuantizeRule &rule, std::span<std::byte> codes,
                        std::span<std::byte> scales) = 0;

  /// To bf16.
  virtual void dequantize(RowsShape shape, BlockFormat format, float tensorScale,
                          std::span<const std::byte> codes, std::span<const std::byte> scales,
                          std::span<std::byte> values) = 0;
};

/// The host reference, on as many threads as the machine has.
std::unique_ptr<RowConverter> hostConverter();

/// Kernels that are compiled for the device, or found in the user's kernel cache.
std::unique_ptr<RowConverter> deviceConverter(const Device &device);

/// The type of a tensor's elements, where they are floats of at least 16 bits: "BF16".
std::optional<FloatType> floatTypeOfSafetensors(std::string_view dtype);

/// The elements as f32: (code * scale) * tensorScale, each product rounded once, as docs/semantics says.
void decodeRows(RowsShape shape, BlockFormat format, float tensorScale, std::span<const std::byte> codes,
                std::span<const std::byte> scales, std::span<float> values);

} // namespace mxc
