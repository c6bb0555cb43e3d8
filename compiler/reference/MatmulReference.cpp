// mx.matmul on the host: the product in f64, rounded once, and what a kernel's sum may differ by
// (docs/semantics.md, "Block-scaled product").
#include "compiler/reference/MatmulTolerance.h"
#include "compiler/reference/OperationReference.h"
#include "dialect/formats/BlockFormat.h"

#include <algorithm>
#include <cmath>

namespace mxc {

namespace {

struct Sizes {
  int64_t batches = 1, m = 0, n = 0, k = 0;
};

double roundedToBf16(double value) { // a code times a power of two has few digits: f32 loses none of them
  uint16_t bits;
  storeFloat(FloatType::BF16, &bits, 0, float(value));
  return loadFloat(FloatType::BF16, &bits, 0);
}

// The values of one operand's batch; NaN where the element or its scale is. Exact, or rounded to bf16 (P3).
std::vector<double> decoded(std::span<const uint8_t> codes, std::span<const uint8_t> scales,
                            const BlockFormatInfo &format, ScaleLayout layout, bool isBf16, int64_t batch,
                            int64_t rows, int64_t k) {
  double values[256];
  for (int code = 0; code < 256; ++code)
    values[code] = decode(format.element, uint8_t(code));
  const int64_t size = format.blockColumns, blocks = format.blocks(k), scaleRows = format.blocksOfRows(rows),
                perBatch = scaleCount(layout, scaleRows, blocks);
  std::vector<double> result(size_t(rows * k));
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t block = 0; block < blocks; ++block) {
      int64_t at = batch * perBatch + scaleOffset(layout, r / format.blockRows, block, scaleRows, blocks);
      double scale = scaleValue(format.scale, loadScale(format.scale, scales.data(), at));
      for (int64_t i = block * size; i < std::min(k, (block + 1) * size); ++i) {
        double value = values[codes[size_t((batch * rows + r) * k + i)]] * scale;
        result[size_t(r * k + i)] = isBf16 ? roundedToBf16(value) : value;
      }
    }
  return result;
}

// c += a b^T and |a| |b|^T, of finite terms, a row of c at a time: the inner loop runs along n.
void multiply(const std::vector<double> &a, const std::vector<double> &b, const Sizes &s, double *product,
              double *magnitude) {
  std::vector<double> transposed(b.size());
  for (int64_t n = 0; n < s.n; ++n)
    for (int64_t k = 0; k < s.k; ++k)
      transposed[size_t(k * s.n + n)] = b[size_t(n * s.k + k)];
  for (int64_t m = 0; m < s.m; ++m) {
    double *row = product + m * s.n, *sizes = magnitude + m * s.n;
    for (int64_t k = 0; k < s.k; ++k) {
      const double x = a[size_t(m * s.k + k)], *y = &transposed[size_t(k * s.n)];
      for (int64_t n = 0; n < s.n; ++n) {
        double term = x * y[n];
        row[n] += term;
        sizes[n] += std::isfinite(term) ? std::fabs(term) : 0;
      }
    }
  }
}

const BlockFormatInfo &formatOf(ReferenceRun &run, const AbiArgument &data, const AbiArgument &scales) {
  std::optional<BlockFormat> format = blockFormatOf(run.kernel, data, scales);
  if (!format) throw run.damaged("an operand of type " + data.type + " with scales of type " + scales.type);
  return info(*format);
}

// An input of the epilogue, broadcast to the product's shape.
std::vector<float> broadcast(ReferenceRun &run, const AbiArgument &argument, const Sizes &s) {
  size_t rank = argument.rank();
  int64_t rows = argument.shape[rank - 2].evaluate(run.dimensions),
          columns = argument.shape[rank - 1].evaluate(run.dimensions);
  std::vector<float> given = run.floats(argument, {s.batches * rows, columns}), all;
  all.reserve(size_t(s.batches * s.m * s.n));
  for (int64_t b = 0; b < s.batches; ++b)
    for (int64_t m = 0; m < s.m; ++m)
      for (int64_t n = 0; n < s.n; ++n)
        all.push_back(given[size_t((b * rows + (rows == 1 ? 0 : m)) * columns + (columns == 1 ? 0 : n))]);
  return all;
}

void matmul(ReferenceRun &run) {
  const AbiArgument &a = run.argument(ArgumentRole::Left), &b = run.argument(ArgumentRole::Right);
  const auto &attributes = run.kernel.operation.attributes;
  auto rounding = attributes.find("operands");
  bool isBf16 = rounding != attributes.end() && rounding->second == "bf16";
  auto extent = [&](const AbiArgument &argument, size_t fromBack) {
    return argument.shape[argument.rank() - fromBack].evaluate(run.dimensions);
  };
  Sizes s{a.rank() == 3 ? extent(a, 3) : 1, extent(a, 2), extent(b, 2), extent(a, 1)};
  size_t perBatch = size_t(s.m * s.n);
  std::vector<double> product(perBatch * size_t(s.batches)), magnitude(product.size());
  auto operand = [&](const AbiArgument &argument, int64_t batch, int64_t rows) {
    const AbiArgument &scales = run.scalesOf(argument);
    const BlockFormatInfo &format = formatOf(run, argument, scales);
    std::vector<uint8_t> codes = run.codes(argument, format.element, {s.batches * rows, s.k});
    return decoded(codes, run.bytes(scales), format, scaleLayoutOf(scales), isBf16, batch, rows, s.k);
  };
  for (int64_t batch = 0; batch < s.batches; ++batch)
    multiply(operand(a, batch, s.m), operand(b, batch, s.n), s, &product[perBatch * size_t(batch)],
             &magnitude[perBatch * size_t(batch)]);

  if (run.kernel.operation.hasPrologue && !run.prologue)
    throw Error(ErrorKind::InvalidInput, "kernel '" + run.kernel.name +
                                             "' has an epilogue, which an image does not carry "
                                             "as source: give the .mlir file to have it verified");
  std::vector<std::vector<float>> inputs;
  for (const AbiArgument *argument : run.kernel.argumentsOf(ArgumentRole::Data, /*areOutputs=*/false))
    inputs.push_back(broadcast(run, *argument, s));
  MatmulBound sum(std::move(product), magnitude, s.k);
  if (run.kernel.argumentOf(ArgumentRole::Alpha)) sum.multiply(run.number(ArgumentRole::Alpha));
  std::vector<MatmulOutput> outputs;
  std::vector<const AbiArgument *> results =
      run.kernel.argumentsOf(ArgumentRole::Product, /*areOutputs=*/true);
  if (results.empty()) results = run.kernel.argumentsOf(ArgumentRole::Data, /*areOutputs=*/true);
  for (const AbiArgument *argument : results) {
    FloatType type = floatTypeOf(*argument);
    MatmulBound bound = run.prologue ? sum.behind(*run.prologue, inputs, outputs.size()) : sum;
    if (argument->isRead) bound.add(run.floats(*argument, {s.batches * s.m, s.n}));
    std::vector<uint8_t> &bytes = run.output(*argument, int64_t(bound.size()) * byteSize(type));
    for (size_t i = 0; i < bound.size(); ++i)
      storeFloat(type, bytes.data(), int64_t(i), bound.value(i));
    outputs.push_back({argument->name, type, std::move(bound)});
  }
  run.result.tolerance = matmulTolerance(std::move(outputs));
}

} // namespace

std::span<const OperationReference> referencesOfMatmul() {
  static constexpr OperationReference references[] = {{"matmul", matmul}};
  return references;
}

} // namespace mxc
