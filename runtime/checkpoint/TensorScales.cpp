#include "runtime/checkpoint/TensorScales.h"

#include "dialect/formats/Error.h"
#include "runtime/checkpoint/RowConverter.h"
#include "runtime/checkpoint/WeightRows.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>

namespace mxc {

/// The element with the largest bits below the sign, which order floats by magnitude: finite ones, infinity,
/// NaN.
template <typename Bits> static Bits largestBits(std::span<const std::byte> bytes) {
  Bits largest = 0;
  for (size_t at = 0; at < bytes.size(); at += sizeof(Bits)) {
    Bits bits;
    std::memcpy(&bits, bytes.data() + at, sizeof bits);
    largest = std::max<Bits>(largest, bits & Bits(Bits(~Bits(0)) >> 1));
  }
  return largest;
}

/// The least magnitude that reads back as 2^128, an infinity: a power of two as scale leaves the element
/// format's precision, and this is the middle between 2^128 and the number before. Tensor scales keep
/// magnitudes away from there (tensorScaleFor).
static float leastTooLarge(BlockFormat format) {
  if (info(format).tensorScale != TensorScale::None) return std::numeric_limits<float>::infinity();
  return std::ldexp(2 - std::ldexp(1.0f, -info(info(format).element).mantissaBits - 1), 127);
}

float largestMagnitude(const Tensor &tensor, FloatType type, BlockFormat format, int64_t firstRow,
                       std::span<const std::byte> rows, const std::string &file) {
  const uint32_t bits = byteSize(type) == 4 ? largestBits<uint32_t>(rows) : largestBits<uint16_t>(rows);
  const float largest = loadFloat(type, &bits, 0); // little-endian
  const float tooLarge = leastTooLarge(format);
  if (std::isfinite(largest) && largest < tooLarge) return largest;
  const auto isRight = [&](float element) { return std::isfinite(element) && std::abs(element) < tooLarge; };
  int64_t at = 0;
  while (isRight(loadFloat(type, rows.data(), at)))
    ++at;
  const float element = loadFloat(type, rows.data(), at);
  const int64_t columns = tensor.shape[1];
  char found[64];
  std::snprintf(found, sizeof found,
                std::isnan(element)   ? "NaN"
                : std::isinf(element) ? "an infinity"
                                      : "%g",
                double(element));
  const std::string expected = std::isfinite(element) ? "magnitudes that do not read back as infinity (" +
                                                            std::string(checkpointFormatOf(format).name) + ")"
                                                      : "finite elements";
  throw Error(ErrorKind::InvalidInput,
              file + ": tensor '" + tensor.name + "': expected " + expected + ", found " + found +
                  " in row " + std::to_string(firstRow + at / columns) + ", column " +
                  std::to_string(at % columns) + "; leave it out with --except '" + tensor.name + "'");
}

static std::string pathOf(const Checkpoint &checkpoint, const std::string &tensor) {
  return checkpoint.shards()[checkpoint.find(tensor)->shard].path;
}

static TensorScaleValue scaleFor(const Checkpoint &checkpoint, const QuantizedWeight &weight, float largest) {
  try {
    return tensorScaleFor(largest, weight.format, *weight.convention);
  } catch (const Error &error) {
    throw Error(error.kind(), pathOf(checkpoint, weight.plainName()) + ": tensor '" + weight.plainName() +
                                  "', or one that is multiplied with it as one: " + error.what());
  }
}

std::map<std::string, TensorScaleValue>
tensorScales(const Checkpoint &checkpoint, const ConversionPlan &plan, int64_t slabElements,
             const std::function<void(const std::string &, std::span<const std::byte>)> &done) {
  std::map<std::string, TensorScaleValue> scales;
  std::map<std::string, float> largest; // of weights that share a scale
  for (const auto &[module, weight] : plan.weights) {
    scales[module] = plan.isBack ? tensorScaleOf(checkpoint, weight) : TensorScaleValue{};
    if (plan.isBack || weight.tensorScaleName().empty()) continue;
    const Tensor &source = *checkpoint.find(weight.plainName())->tensor;
    float &ofAll = largest[plan.scaleSets.at(module)];
    overSlabs(weight.rows, weight.columns, slabElements, [&](int64_t first, int64_t rows) {
      const std::span<const std::byte> part = rowsOf(source, first, rows);
      ofAll = std::max(ofAll, largestMagnitude(source, *floatTypeOfSafetensors(source.dtype), weight.format,
                                               first, part, pathOf(checkpoint, source.name)));
      done(source.name, part);
    });
  }
  for (const auto &[module, weight] : plan.weights)
    if (const auto its = largest.find(plan.scaleSets.at(module)); its != largest.end())
      scales[module] = scaleFor(checkpoint, weight, its->second);
  return scales;
}

} // namespace mxc
