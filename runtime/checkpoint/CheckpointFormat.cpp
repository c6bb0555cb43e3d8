#include "runtime/checkpoint/CheckpointFormat.h"

#include "dialect/formats/Error.h"
#include "dialect/formats/PackedCodes.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace mxc {

// docs/checkpoints.md says where each of these was read.
static constexpr CheckpointFormat kFormats[] = {
    {"nvfp4", BlockFormat::NVFP4, "nvfp4-pack-quantized", "W4A16_NVFP4"},
    {"mxfp8", BlockFormat::MXFP8_E4M3, "mxfp8-quantized", "MXFP8"},
    {"mxfp4", BlockFormat::MXFP4, "mxfp4-pack-quantized", "mxfp4"},
};

std::span<const CheckpointFormat> checkpointFormats() { return kFormats; }

const CheckpointFormat *checkpointFormatNamed(std::string_view name) {
  const auto found = std::ranges::find(kFormats, name, &CheckpointFormat::name);
  return found == std::end(kFormats) ? nullptr : &*found;
}

const CheckpointFormat &checkpointFormatOf(BlockFormat format) {
  return *std::ranges::find(kFormats, format, &CheckpointFormat::format);
}

std::string checkpointFormatNames() {
  std::string names;
  for (const CheckpointFormat &format : kFormats)
    names += (names.empty() ? "" : ", ") + std::string(format.name);
  return names;
}

std::span<const Convention> conventions() {
  static const Convention kConventions[] = {
      {"compressed-tensors", "weight_packed", "weight_global_scale", true, {1}, {"input_global_scale"}},
      {"modelopt", "weight", "weight_scale_2", false, {}, {"input_scale"}},
  };
  return kConventions;
}

const Convention *conventionNamed(std::string_view name) {
  const auto found = std::ranges::find(conventions(), name, &Convention::name);
  return found == conventions().end() ? nullptr : &*found;
}

std::string_view codesType(BlockFormat format) {
  const ElementFormatInfo &element = info(info(format).element);
  return element.bits() < 8 ? "U8" : element.safetensorsType;
}

std::string_view scalesType(BlockFormat format) {
  const ScaleFormatInfo &scale = info(info(format).scale);
  return scale.rule == ScaleRule::PowerOfTwo ? "U8" : scale.safetensorsType;
}

int64_t elementsOfCodes(BlockFormat format, int64_t codes) {
  return codes * 8 / info(info(format).element).bits();
}

int64_t codesOfElements(BlockFormat format, int64_t elements) {
  return storageBytes(info(format).element, elements);
}

static std::string shortText(float number) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", double(number));
  return text;
}

// Beyond these blockScale takes another scale than the one that it is given.
static constexpr float kLeast = 0x1p-80f, kMost = 0x1p80f;

TensorScaleValue tensorScaleFor(float largest, BlockFormat format, const Convention &convention) {
  const ScaleFormatInfo &scale = info(info(format).scale);
  const float range = info(info(format).element).maxFinite * scaleValue(scale.format, scale.nan - 1);
  if (largest == 0) return {};
  if (largest / range > kMost)
    throw Error(ErrorKind::InvalidInput, "expected magnitudes of at most " + shortText(range) + " * 2^80 (" +
                                             std::string(info(format).name) + "), found " +
                                             shortText(largest));
  const float multiplier = std::max(largest / range, kLeast);
  if (!convention.dividesByTensorScale) return {multiplier, multiplier};
  // Readers have the divisor alone: what they make of it is what quantizes.
  const float divisor = std::min(range / largest, 1 / kLeast);
  return {1 / divisor, divisor};
}

TensorScaleValue storedTensorScale(float stored, const Convention &convention) {
  const bool isNumber = std::isfinite(stored) && stored >= 0;
  if (!isNumber || (convention.dividesByTensorScale && !std::isnormal(stored)))
    throw Error(ErrorKind::InvalidInput, std::string("expected a ") +
                                             (convention.dividesByTensorScale ? "divisor" : "factor") +
                                             " that is a number, found " + shortText(stored));
  return {convention.dividesByTensorScale ? 1 / stored : stored, stored};
}

} // namespace mxc
