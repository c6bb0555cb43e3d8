#include "compiler/reference/OperationReference.h"

#include <array>
#include <cmath>

namespace mxc {

namespace {

// The matrix whose rows an index names, and what it names.
struct NamedRows {
  std::vector<float> values;
  HostExtent extent; // of the matrix
  std::vector<int32_t> rows;
  int64_t count; // for each row of the result

  explicit NamedRows(const ReferenceRun &run) : rows(run.integers(ArgumentRole::Index)) {
    const AbiArgument &index = run.argument(ArgumentRole::Index), &named = argumentOf(run.kernel, index.of);
    extent = run.extent(named), values = run.floats(named, extent), count = run.extent(index).columns;
    if (int64_t(rows.size()) != run.extent(index).rows * count)
      throw run.damaged("'" + index.name + "' has " + std::to_string(rows.size()) + " rows");
  }
  /// Null: there is none.
  const float *row(int64_t i) const {
    const int32_t row = rows[size_t(i)];
    return row >= 0 && row < extent.rows ? values.data() + row * extent.columns : nullptr;
  }
};

} // namespace

static void writeOutput(ReferenceRun &run, const AbiArgument &output, const std::vector<float> &values) {
  const FloatType type = floatTypeOf(output);
  std::vector<uint8_t> &bytes = run.output(output, int64_t(values.size()) * byteSize(type));
  for (size_t i = 0; i < values.size(); ++i)
    storeFloat(type, bytes.data(), int64_t(i), values[i]);
}

static const AbiArgument &outputOf(const ReferenceRun &run) {
  const auto outputs = run.kernel.argumentsOf(ArgumentRole::Data, /*areOutputs=*/true);
  if (outputs.size() != 1) throw run.damaged("expected one output");
  return *outputs.front();
}

static void combine(ReferenceRun &run) {
  const NamedRows named(run);
  const auto inputs = run.kernel.argumentsOf(ArgumentRole::Data, /*areOutputs=*/false);
  std::vector<float> weights;
  if (inputs.size() > 1) weights = run.floats(*inputs[1], run.extent(*inputs[1]));
  const AbiArgument &output = outputOf(run);
  const HostExtent extent = run.extent(output);
  std::vector<float> sums(size_t(extent.rows * extent.columns), 0.0f);
  for (int64_t i = 0; i < extent.rows * named.count; ++i) {
    const float *row = named.row(i);
    if (!row) continue;
    float *sum = sums.data() + i / named.count * extent.columns;
    for (int64_t k = 0; k < extent.columns; ++k)
      sum[k] = weights.empty() ? sum[k] + row[k] : std::fma(weights[size_t(i)], row[k], sum[k]);
  }
  writeOutput(run, output, sums);
}

// 32 sums of pieces of 8 elements, every 32nd piece in the same one; then their tree.
static float dot(const float *left, const float *right, int64_t columns) {
  std::array<float, 32> sums = {};
  for (int64_t k = 0; k < columns; ++k) {
    float &sum = sums[size_t(k / 8 % 32)];
    sum = std::fma(left[k], right[k], sum);
  }
  for (size_t distance = 16; distance; distance /= 2)
    for (size_t lane = 0; lane < distance; ++lane)
      sums[lane] += sums[lane + distance];
  return sums[0];
}

static void gatherDot(ReferenceRun &run) {
  const NamedRows named(run);
  const AbiArgument &matrix = run.argument(ArgumentRole::Data);
  const HostExtent extent = run.extent(matrix);
  const std::vector<float> left = run.floats(matrix, extent);
  std::vector<float> dots(size_t(extent.rows * named.count), 0.0f);
  for (size_t i = 0; i < dots.size(); ++i)
    if (const float *row = named.row(int64_t(i)))
      dots[i] = dot(left.data() + int64_t(i) / named.count * extent.columns, row, extent.columns);
  writeOutput(run, outputOf(run), dots);
}

std::span<const OperationReference> referencesOfCombine() {
  static constexpr OperationReference references[] = {{"combine", combine}, {"gather_dot", gatherDot}};
  return references;
}

} // namespace mxc
