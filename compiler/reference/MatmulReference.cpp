// mx.matmul on the host: the product in f64, rounded once, and what a kernel's sum may differ by
// (docs/semantics/product.md).
#include "compiler/reference/MatmulReference.h"
#include "compiler/reference/BlockwiseReference.h"
#include "compiler/reference/MatmulTolerance.h"
#include "compiler/reference/ProductCopies.h"
#include "dialect/formats/BlockFormat.h"

#include <algorithm>
#include <cmath>

namespace mxc {

namespace {

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

const BlockFormatInfo &formatOf(ReferenceRun &run, const AbiArgument &data, const AbiArgument &scales) {
  std::optional<BlockFormat> format = blockFormatOf(run.kernel, data, scales);
  if (!format) throw run.damaged("an operand of type " + data.type + " with scales of type " + scales.type);
  return info(*format);
}

} // namespace

HostFactor::HostFactor(ReferenceRun &run, const AbiArgument &argument, int64_t rows, int64_t k)
    : format_(formatOf(run, argument, run.scalesOf(argument))), k_(k) {
  const AbiArgument &scales = run.scalesOf(argument);
  const auto &attributes = run.kernel.operation.attributes;
  auto rounding = attributes.find("operands");
  isBf16_ = rounding != attributes.end() && rounding->second == "bf16";
  codes_ = run.codes(argument, format_.element, {rows, k});
  scales_ = run.bytes(scales);
  layout_ = scaleLayoutOf(scales);
}

void HostFactor::gather(std::span<const int32_t> index, int64_t rows, std::span<const RowGroup> groups,
                        int64_t scaleRows) {
  const int64_t blocks = format_.blocks(k_), bytes = info(format_.scale).bytes();
  std::vector<uint8_t> codes(index.size() * size_t(k_));
  gatheredScales_.assign(size_t(scaleCount(layout_, scaleRows, blocks) * bytes), 0);
  for (const RowGroup &group : groups)
    for (int64_t row = group.begin; row < group.end; ++row) {
      const int64_t source = index[size_t(row)], place = group.scaleRow + row - group.begin;
      if (source < 0) continue;
      std::copy_n(codes_.begin() + source * k_, k_, codes.begin() + row * k_);
      for (int64_t block = 0; block < blocks; ++block)
        std::copy_n(scales_.begin() + scaleOffset(layout_, source, block, rows, blocks) * bytes, bytes,
                    gatheredScales_.begin() + scaleOffset(layout_, place, block, scaleRows, blocks) * bytes);
    }
  codes_ = std::move(codes), scales_ = gatheredScales_;
}

std::vector<uint8_t> HostFactor::codes(int64_t first, int64_t rows, int64_t column, int64_t columns) const {
  std::vector<uint8_t> codes;
  codes.reserve(size_t(rows * columns));
  for (int64_t row = first; row < first + rows; ++row)
    codes.insert(codes.end(), codes_.begin() + row * k_ + column,
                 codes_.begin() + row * k_ + column + columns);
  return codes;
}

float HostFactor::scale(int64_t batch, int64_t row, int64_t block, int64_t rows) const {
  const int64_t blocks = format_.blocks(k_), scaleRows = format_.blocksOfRows(rows);
  const int64_t at = batch * scaleCount(layout_, scaleRows, blocks) +
                     scaleOffset(layout_, row / format_.blockRows, block, scaleRows, blocks);
  return scaleValue(format_.scale, loadScale(format_.scale, scales_.data(), at));
}

std::vector<double> HostFactor::batch(int64_t number, int64_t rows) const {
  return decoded(codes_, scales_, format_, layout_, isBf16_, number, rows, k_);
}

std::vector<double> HostFactor::rows(int64_t first, int64_t rows, int64_t scaleRow) const {
  const int64_t blocks = format_.blocks(k_);
  const int64_t before =
      scaleCount(layout_, format_.blocksOfRows(scaleRow), blocks) * info(format_.scale).bytes();
  return decoded(std::span(codes_).subspan(size_t(first * k_)), scales_.subspan(size_t(before)), format_,
                 layout_, isBf16_, 0, rows, k_);
}

std::vector<double> HostFactor::columns(int64_t rows, int64_t first, int64_t end) const {
  const std::vector<double> all = batch(0, rows);
  std::vector<double> columns;
  for (int64_t r = 0; r < rows; ++r)
    columns.insert(columns.end(), all.begin() + r * k_ + first, all.begin() + r * k_ + end);
  return columns;
}

// A row of c at a time: the inner loop runs along n.
void multiply(const std::vector<double> &a, const std::vector<double> &b, const ProductSizes &s,
              HostProduct &product, size_t at) {
  std::vector<double> transposed(b.size());
  for (int64_t n = 0; n < s.n; ++n)
    for (int64_t k = 0; k < s.k; ++k)
      transposed[size_t(k * s.n + n)] = b[size_t(n * s.k + k)];
  for (int64_t m = 0; m < s.m; ++m) {
    double *row = product.sums.data() + at + m * s.n, *sizes = product.magnitudes.data() + at + m * s.n;
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

// An input of the epilogue, broadcast to the product's shape.
static std::vector<float> broadcast(ReferenceRun &run, const AbiArgument &argument, const ProductSizes &s) {
  size_t rank = argument.rank();
  int64_t rows = argument.shape[rank - 2].evaluate(run.dimensions),
          columns = argument.shape[rank - 1].evaluate(run.dimensions),
          matrices = rank == 3 ? argument.shape[0].evaluate(run.dimensions) : 1;
  std::vector<float> given = run.floats(argument, {matrices * rows, columns}), all;
  all.reserve(size_t(s.batches * s.m * s.n));
  for (int64_t b = 0; b < s.batches; ++b)
    for (int64_t m = 0; m < s.m; ++m) {
      int64_t matrix = rank == 3 ? b : 0;
      if (rank == 3 && !s.groupOfRow.empty()) matrix = std::max<int64_t>(s.groupOfRow[size_t(m)], 0);
      for (int64_t n = 0; n < s.n; ++n)
        all.push_back(
            given[size_t((matrix * rows + (rows == 1 ? 0 : m)) * columns + (columns == 1 ? 0 : n))]);
    }
  return all;
}

// They hold what c held, or whatever was there.
static void leaveRows(ReferenceRun &run, const AbiArgument &output, const ProductSizes &s) {
  if (s.leftRows.empty()) return;
  constexpr uint8_t kUntouched = 0xA5;
  std::vector<uint8_t> &bytes = run.result.outputs[output.name],
                       &untouched = run.result.untouched[output.name];
  untouched.assign(bytes.size(), 0);
  const size_t row = size_t(s.n) * size_t(byteSize(floatTypeOf(output)));
  for (size_t i = 0; i < bytes.size(); ++i) {
    if (!s.leftRows[i / row]) continue;
    untouched[i] = 1;
    bytes[i] = output.isRead ? run.bytes(output)[i] : kUntouched;
  }
}

int64_t partsOf(const ReferenceRun &run, const AbiArgument &b, size_t leading) {
  return b.rank() > leading + 2 ? b.shape[leading].evaluate(run.dimensions) : 1;
}

void finishProduct(ReferenceRun &run, const ProductSizes &s, std::vector<HostProduct> products) {
  if (run.kernel.operation.hasPrologue && !run.prologue)
    throw Error(ErrorKind::InvalidInput, "kernel '" + run.kernel.name +
                                             "' has an epilogue, which an image does not carry "
                                             "as source: give the .mlir file to have it verified");
  std::vector<std::vector<float>> inputs;
  for (const AbiArgument *argument : run.kernel.argumentsOf(ArgumentRole::Data, /*areOutputs=*/false))
    inputs.push_back(broadcast(run, *argument, s));
  const bool isExact = products.front().isExact;
  std::vector<MatmulBound> sums;
  for (HostProduct &product : products) {
    sums.push_back(isExact ? MatmulBound(std::move(product.sums))
                           : MatmulBound(std::move(product.sums), product.magnitudes, s.k));
    if (run.kernel.argumentOf(ArgumentRole::Alpha)) sums.back().multiply(run.number(ArgumentRole::Alpha));
  }
  std::vector<MatmulOutput> outputs;
  std::vector<ToleratedCopy> copies;
  for (const AbiArgument *argument : productResults(run)) {
    const size_t number = outputs.size() + copies.size();
    MatmulBound bound = run.prologue ? MatmulBound::after(sums, *run.prologue, inputs, number) : sums.front();
    if (argument->role == ArgumentRole::Codes || argument->role == ArgumentRole::ColumnCodes) {
      copies.push_back(quantizeResult(run, s, bound, *argument));
      continue;
    }
    FloatType type = floatTypeOf(*argument);
    if (argument->isRead) bound.add(run.floats(*argument, {s.batches * s.m, s.n}));
    std::vector<uint8_t> &bytes = run.output(*argument, int64_t(bound.size()) * byteSize(type));
    for (size_t i = 0; i < bound.size(); ++i)
      storeFloat(type, bytes.data(), int64_t(i), bound.value(i));
    leaveRows(run, *argument, s);
    outputs.push_back({argument->name, type, std::move(bound)});
  }
  if (isExact && !run.prologue && copies.empty()) return; // the only bytes that are right
  run.result.tolerance = productTolerance(std::move(outputs), std::move(copies));
}

static void matmul(ReferenceRun &run) {
  const AbiArgument &a = run.argument(ArgumentRole::Left), &b = run.argument(ArgumentRole::Right);
  auto extent = [&](const AbiArgument &argument, size_t fromBack) {
    return argument.shape[argument.rank() - fromBack].evaluate(run.dimensions);
  };
  ProductSizes s{a.rank() == 3 ? extent(a, 3) : 1, extent(a, 2), extent(b, 2), extent(a, 1)};
  size_t perBatch = size_t(s.m * s.n);
  const int64_t parts = partsOf(run, b, a.rank() - 2);
  HostFactor left(run, a, s.batches * s.m, s.k), right(run, b, s.batches * parts * s.n, s.k);
  std::vector<HostProduct> products;
  for (int64_t part = 0; part < parts; ++part) {
    HostProduct &product = products.emplace_back(std::vector<double>(perBatch * size_t(s.batches)),
                                                 std::vector<double>(perBatch * size_t(s.batches)),
                                                 hasBlockwiseBits(left.format()));
    for (int64_t batch = 0; batch < s.batches; ++batch) {
      const int64_t matrix = batch * parts + part;
      if (product.isExact)
        multiplyBlockwise({left, batch * s.m, batch, 0, s.m}, {right, matrix * s.n, matrix, 0, s.n}, s,
                          product, perBatch * size_t(batch));
      else
        multiply(left.batch(batch, s.m), right.batch(matrix, s.n), s, product, perBatch * size_t(batch));
    }
  }
  finishProduct(run, s, std::move(products));
}

std::span<const OperationReference> referencesOfMatmul() {
  static constexpr OperationReference references[] = {{"matmul", matmul}};
  return references;
}

} // namespace mxc
