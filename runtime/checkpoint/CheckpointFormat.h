// How checkpoints hold quantized weights: block formats, and the tensors' names in two conventions.
#pragma once

#include "dialect/formats/BlockFormat.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mxc {

/// A block format of checkpoints, with what configurations call it.
struct CheckpointFormat {
  std::string_view name; // "nvfp4"
  BlockFormat format;
  std::string_view compressedTensors; // "format": "nvfp4-pack-quantized"
  std::string_view modelOpt;          // "quant_algo": "W4A16_NVFP4"
};
std::span<const CheckpointFormat> checkpointFormats();
const CheckpointFormat *checkpointFormatNamed(std::string_view name); // null if unknown
const CheckpointFormat &checkpointFormatOf(BlockFormat format);
std::string checkpointFormatNames(); // "nvfp4, mxfp8, mxfp4"

/// What writers agree on. Names follow the module's: "model.layers.0.mlp.up_proj.weight_packed".
struct Convention {
  std::string_view name;        // "compressed-tensors"
  std::string_view packedCodes; // of elements below 8 bits; others are "weight"
  std::string_view tensorScale;
  bool dividesByTensorScale;             // a value is code * scale / tensor scale, not times it
  std::vector<int64_t> tensorScaleShape; // one element
  std::vector<std::string_view>
      ofActivations; // tensors that go with a quantized weight and mean nothing without
};
std::span<const Convention> conventions();
const Convention *conventionNamed(std::string_view name); // null if unknown

inline constexpr std::string_view kPlainWeight = "weight", kScales = "weight_scale";

/// Types in files: elements below 8 bits and scales that are powers of two are bytes (U8), which is what both
/// conventions' readers take.
std::string_view codesType(BlockFormat format);
std::string_view scalesType(BlockFormat format);
/// Elements of a row in so many elements of codesType, and the reverse.
int64_t elementsOfCodes(BlockFormat format, int64_t codes);
int64_t codesOfElements(BlockFormat format, int64_t elements);

/// The scale of a tensor: as it multiplies (docs/semantics/nvfp4.md), and as a file says it.
struct TensorScaleValue {
  float multiplier = 1, stored = 1;
};
/// The one with which `largest`, the tensor's largest magnitude, has the largest scale and element. Of a
/// tensor of zeros it is 1, and it stays where quantizing obeys it, from 2^-80 to 2^80. Throws mxc::Error
/// (InvalidInput) for a magnitude that is too large for that.
TensorScaleValue tensorScaleFor(float largest, BlockFormat format, const Convention &convention);
/// The one that a file says. Throws mxc::Error (InvalidInput) unless it is a number that has a meaning there.
TensorScaleValue storedTensorScale(float stored, const Convention &convention);

} // namespace mxc
