#include "runtime/tune/ProductBound.h"

#include "compiler/reference/KernelReference.h"
#include "compiler/reference/SumDistance.h"
#include "dialect/formats/BlockFormat.h"

#include <algorithm>
#include <cmath>

namespace mxc::tune {

/// The norm of every row of an operand, one batch after the other.
static std::vector<double> rowNorms(std::span<const std::byte> codes, std::span<const std::byte> scales,
                                    const BlockFormatInfo &format, ScaleLayout layout, int64_t batches,
                                    int64_t rows, int64_t k) {
  double squares[256];
  for (int code = 0; code < 256; ++code) {
    const double value = decode(format.element, static_cast<uint8_t>(code));
    squares[code] = value * value;
  }
  const int64_t blocks = format.blocks(k), size = format.blockColumns, scaleRows = format.blocksOfRows(rows),
                scalesOfBatch = scaleCount(layout, scaleRows, blocks);
  const auto *scaleBytes = reinterpret_cast<const uint8_t *>(scales.data());
  std::vector<double> norms;
  for (int64_t batch = 0; batch < batches; ++batch)
    for (int64_t row = 0; row < rows; ++row) {
      const std::byte *elements = &codes[static_cast<size_t>((batch * rows + row) * k)];
      double sum = 0;
      for (int64_t block = 0; block < blocks; ++block) {
        double ofBlock = 0;
        for (int64_t i = block * size; i < std::min(k, (block + 1) * size); ++i)
          ofBlock += squares[static_cast<size_t>(elements[i])];
        const int64_t place =
            batch * scalesOfBatch + scaleOffset(layout, row / format.blockRows, block, scaleRows, blocks);
        const double factor = scaleValue(format.scale, loadScale(format.scale, scaleBytes, place));
        sum += ofBlock * factor * factor;
      }
      norms.push_back(std::sqrt(sum));
    }
  return norms;
}

std::optional<ProductBound> ProductBound::of(const KernelAbi &kernel, const Dimensions &dimensions,
                                             const InputBytes &input) {
  const AbiArgument *product = kernel.argumentOf(ArgumentRole::Product),
                    *left = kernel.argumentOf(ArgumentRole::Left),
                    *right = kernel.argumentOf(ArgumentRole::Right);
  if (!product || !left || !right) return std::nullopt;
  auto extent = [&](const AbiArgument &of, size_t fromBack) {
    return of.shape[of.rank() - fromBack].evaluate(dimensions);
  };
  const AbiArgument &a = *left, &b = *right;
  ProductBound bound;
  if (a.rank() == 3) bound.batches_ = extent(a, 3);
  bound.m_ = extent(a, 2), bound.n_ = extent(b, 2), bound.k_ = extent(a, 1);
  for (const auto &[operand, rows, norms] :
       {std::tuple(left, bound.m_, &bound.rowsOfA_), {right, bound.n_, &bound.rowsOfB_}}) {
    const AbiArgument *scales = kernel.argumentOf(ArgumentRole::Scales, operand->name);
    if (!scales) return std::nullopt;
    const std::optional<BlockFormat> format = blockFormatOf(kernel, *operand, *scales);
    if (!format || info(info(*format).element).bits() != 8) return std::nullopt; // packed codes
    *norms = rowNorms(input(operand->name), input(scales->name), info(*format), scaleLayoutOf(*scales),
                      bound.batches_, rows, bound.k_);
  }
  return bound;
}

uint64_t ProductBound::violations(const AbiArgument &output, std::span<const std::byte> a,
                                  std::span<const std::byte> b) const {
  // 1.01 allows for norms of operands rounded to bf16 (P3).
  const double relative = 1.01 * relativeSumDistance(k_), least = leastSumDistance(k_);
  const FloatType type = floatTypeOf(output);
  uint64_t violations = 0;
  for (int64_t row = 0; row < batches_ * m_; ++row)
    for (int64_t column = 0; column < n_; ++column) {
      const int64_t place = row * n_ + column;
      const double x = loadFloat(type, a.data(), place), y = loadFloat(type, b.data(), place);
      if (x == y || (std::isnan(x) && std::isnan(y))) continue;
      const double bound = relative * rowsOfA_[static_cast<size_t>(row)] *
                               rowsOfB_[static_cast<size_t>(row / m_ * n_ + column)] +
                           least;
      const double reach = bound + stepOf(type, std::max(std::fabs(x), std::fabs(y)) + bound);
      violations += !(std::fabs(x - y) <= 2 * reach); // NaN violates
    }
  return violations;
}

} // namespace mxc::tune
