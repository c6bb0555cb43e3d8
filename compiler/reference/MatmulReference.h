// Products on the host, in f64: what mx.matmul and mx.grouped_matmul share.
#pragma once

#include "compiler/reference/OperationReference.h"
#include "dialect/formats/RowGroups.h"

namespace mxc {

struct ProductSizes {
  int64_t batches = 1, m = 0, n = 0, k = 0;
  std::vector<int64_t> groupOfRow = {}; // -1: nobody's row; empty: there are no groups of rows
  std::vector<uint8_t> leftRows = {};   // of results: whether they stay as they were; empty: none
};

/// Sums of products, and of their finite terms' magnitudes.
struct HostProduct {
  std::vector<double> sums, magnitudes;
  bool isExact = false; // sums are a kernel's, to the bit; magnitudes say nothing
};

/// An operand of a product: all its codes and scales.
class HostFactor {
public:
  /// For `rows` rows of `k` elements, all batches counted.
  HostFactor(ReferenceRun &run, const AbiArgument &argument, int64_t rows, int64_t k);
  HostFactor(const HostFactor &) = delete;

  /// Its `rows` rows become those that `index` names for the groups, -1 zeros, and lie with their scales, of
  /// `scaleRows` rows, where mx.quantize with these groups writes them.
  void gather(std::span<const int32_t> index, int64_t rows, std::span<const RowGroup> groups,
              int64_t scaleRows);

  const BlockFormatInfo &format() const { return format_; }
  /// Codes of `rows` rows from `first` on, of each `columns` elements of K from `column` on, one a byte.
  std::vector<uint8_t> codes(int64_t first, int64_t rows, int64_t column, int64_t columns) const;
  /// The scale of an element's row and block, of a batch of `rows` rows.
  float scale(int64_t batch, int64_t row, int64_t block, int64_t rows) const;
  /// The values of a batch of `rows` rows.
  std::vector<double> batch(int64_t number, int64_t rows) const;
  /// Those of `rows` rows from `first` on, whose scales begin with row `scaleRow` of a matrix of scales, at a
  /// tile of its layout.
  std::vector<double> rows(int64_t first, int64_t rows, int64_t scaleRow) const;
  /// The elements of K from `first` to `end` of all `rows` rows.
  std::vector<double> columns(int64_t rows, int64_t first, int64_t end) const;

private:
  std::vector<uint8_t> codes_, gatheredScales_;
  std::span<const uint8_t> scales_;
  const BlockFormatInfo &format_;
  ScaleLayout layout_;
  bool isBf16_; // P3
  int64_t k_;
};

/// Adds a b^T, of s.m x s.n, from element `at` of the product on.
void multiply(const std::vector<double> &a, const std::vector<double> &b, const ProductSizes &s,
              HostProduct &product, size_t at);

/// The run's results, of the product of each part: the epilogue, what c held, rounding, and how far a
/// kernel's may be off.
void finishProduct(ReferenceRun &run, const ProductSizes &s, std::vector<HostProduct> products);

/// How many parts b has: a dimension between its `leading` ones and its rows.
int64_t partsOf(const ReferenceRun &run, const AbiArgument &b, size_t leading);

} // namespace mxc
