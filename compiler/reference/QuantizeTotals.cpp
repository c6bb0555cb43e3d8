#include "compiler/reference/QuantizeTotals.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace mxc {

// One after the other, whatever the format's blocks (docs/semantics/quantize.md).
static constexpr int64_t kSummedRows = 32;
static constexpr double kTolerance = 0x1p-12; // of a value that an approximation makes

// Whose largest magnitudes are the elements of the output.
static std::vector<const QuantizedValues *> tensorsOf(const ReferenceRun &run, const AbiArgument &amax,
                                                      std::span<const ToleratedCopy> copies) {
  const HostExtent extent = run.extent(amax);
  std::vector<const QuantizedValues *> tensors;
  for (const ToleratedCopy &copy : copies.first(size_t(extent.rows * extent.columns)))
    tensors.push_back(copy.values ? copy.values.get() : &run.result);
  return tensors;
}

static uint32_t amaxOf(const QuantizedValues &result) {
  constexpr uint32_t infinity = 0x7F800000;
  uint32_t largest = 0;
  for (float value : result.values) {
    const uint32_t bits = std::bit_cast<uint32_t>(value) & 0x7FFFFFFF;
    if (bits <= infinity || countsNan(result.rule.special)) largest = std::max(largest, bits);
  }
  return largest > infinity ? 0x7FFFFFFF : largest;
}

static float columnSum(std::span<const float> values, int64_t columns, int64_t column) {
  const int64_t rows = int64_t(values.size()) / columns;
  float total = 0;
  for (int64_t tile = 0; tile < rows; tile += kScaleTileRows) {
    float blocks[kScaleTileRows / kSummedRows] = {};
    for (int64_t r = tile; r < std::min(tile + kScaleTileRows, rows); ++r)
      blocks[(r - tile) / kSummedRows] += values[size_t(r * columns + column)];
    total += ((blocks[0] + blocks[1]) + blocks[2]) + blocks[3];
  }
  return total;
}

void quantizeTotals(ReferenceRun &run, std::span<const ToleratedCopy> copies, int64_t columns) {
  auto write = [](std::vector<uint8_t> &bytes, int64_t index, float value) {
    storeFloat(FloatType::F32, bytes.data(), index, value);
  };
  if (const AbiArgument *amax = run.kernel.argumentOf(ArgumentRole::Amax)) {
    const auto tensors = tensorsOf(run, *amax, copies);
    std::vector<uint8_t> &bytes = run.output(*amax, 4 * int64_t(tensors.size()));
    for (size_t i = 0; i < tensors.size(); ++i)
      write(bytes, int64_t(i), std::bit_cast<float>(amaxOf(*tensors[i])));
  }
  const AbiArgument *columnSums = run.kernel.argumentOf(ArgumentRole::ColumnSum);
  if (!columnSums) return;
  std::vector<uint8_t> &sums = run.output(*columnSums, 4 * columns);
  for (int64_t column = 0; column < columns; ++column)
    write(sums, column, columnSum(run.result.values, columns, column));
}

// What is transformed may be off by more.
static double boundOfAmax(const QuantizedValues &tensor) {
  double largest = 0, bound = 0;
  for (float value : tensor.values)
    largest = std::max<double>(largest, std::isfinite(value) ? std::abs(value) : 0);
  for (float its : tensor.bounds)
    bound = std::max<double>(bound, its);
  return std::max(kTolerance * largest, bound);
}

std::map<std::string, std::vector<double>>
totalBounds(const ReferenceRun &run, std::span<const ToleratedCopy> copies, int64_t columns) {
  std::map<std::string, std::vector<double>> bounds;
  const std::vector<float> &values = run.result.values;
  if (const AbiArgument *amax = run.kernel.argumentOf(ArgumentRole::Amax))
    for (const QuantizedValues *tensor : tensorsOf(run, *amax, copies))
      bounds[amax->name].push_back(boundOfAmax(*tensor));
  if (const AbiArgument *columnSums = run.kernel.argumentOf(ArgumentRole::ColumnSum)) {
    std::vector<double> &sums = bounds[columnSums->name];
    sums.assign(size_t(columns), 0);
    for (size_t i = 0; i < values.size(); ++i)
      sums[i % size_t(columns)] += kTolerance * std::abs(double(values[i]));
  }
  return bounds;
}

} // namespace mxc
