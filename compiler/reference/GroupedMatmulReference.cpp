// mx.grouped_matmul on the host: every group's rows, or its part of K, as a product of its own.
#include "compiler/reference/BlockwiseReference.h"
#include "compiler/reference/GroupedReference.h"
#include "compiler/reference/MatmulReference.h"

#include <algorithm>

namespace mxc {

static void raggedRows(ReferenceRun &run) {
  const AbiArgument &a = run.argument(ArgumentRole::Left), &b = run.argument(ArgumentRole::Right);
  auto extent = [&](const AbiArgument &argument, size_t dimension) {
    return argument.shape[dimension].evaluate(run.dimensions);
  };
  const AbiArgument *gather = run.kernel.argumentOf(ArgumentRole::Index);
  const std::vector<int32_t> index = run.integers(ArgumentRole::Index);
  const int64_t rowsOfA = extent(a, 0), rows = gather ? int64_t(index.size()) : rowsOfA;
  ProductSizes s{1, rows, extent(b, b.rank() - 2), extent(a, 1), std::vector<int64_t>(size_t(rows), -1)};
  const int64_t parts = partsOf(run, b, 1);
  HostFactor left(run, a, rowsOfA, s.k), right(run, b, extent(b, 0) * parts * s.n, s.k);
  std::vector<HostProduct> products(size_t(parts), {std::vector<double>(size_t(s.m * s.n)),
                                                    std::vector<double>(size_t(s.m * s.n)),
                                                    hasBlockwiseBits(left.format())});
  int64_t scaleRows = run.scalesOf(a).shape[0].evaluate(run.dimensions);
  const std::vector<RowGroup> groups = groupsOf(run, s.m);
  if (gather) {
    if (std::string fault = faultOfIndex(index, rowsOfA, groups); !fault.empty())
      throw Error(ErrorKind::InvalidInput, "kernel '" + run.kernel.name + "': gather: " + fault);
    scaleRows = scaleRowsOf(s.m, int64_t(groups.size()), run.argument(ArgumentRole::Ends).groupRows);
    left.gather(index, rowsOfA, groups, scaleRows);
  }
  for (int64_t g = 0; g < int64_t(groups.size()); ++g) {
    const RowGroup &group = groups[size_t(g)];
    if (group.rows() == 0) continue;
    ProductSizes own = s;
    own.m = group.rows();
    const size_t at = size_t(group.begin * s.n);
    for (int64_t part = 0; part < parts; ++part) {
      HostProduct &product = products[size_t(part)];
      const int64_t matrix = g * parts + part;
      if (product.isExact)
        multiplyBlockwise({left, group.begin, 0, group.scaleRow, scaleRows},
                          {right, matrix * s.n, matrix, 0, s.n}, own, product, at);
      else
        multiply(left.rows(group.begin, own.m, group.scaleRow), right.batch(matrix, s.n), own, product, at);
    }
    std::fill_n(s.groupOfRow.begin() + group.begin, own.m, g);
  }
  for (int64_t group : s.groupOfRow)
    s.leftRows.push_back(group < 0);
  finishProduct(run, s, std::move(products));
}

static void raggedK(ReferenceRun &run) {
  const AbiArgument &a = run.argument(ArgumentRole::Left), &b = run.argument(ArgumentRole::Right);
  auto extent = [&](const AbiArgument &argument, size_t dimension) {
    return argument.shape[dimension].evaluate(run.dimensions);
  };
  const int64_t k = extent(a, 1);
  const std::vector<RowGroup> groups = groupsOf(run, k);
  ProductSizes s{int64_t(groups.size()), extent(a, 0), extent(b, 0)};
  const size_t perGroup = size_t(s.m * s.n);
  HostFactor left(run, a, s.m, k), right(run, b, s.n, k);
  HostProduct product = {std::vector<double>(perGroup * groups.size()),
                         std::vector<double>(perGroup * groups.size()), hasBlockwiseBits(left.format())};
  const bool accumulates = std::ranges::any_of(
      run.kernel.arguments, [](const AbiArgument &argument) { return argument.isOutput && argument.isRead; });
  int64_t longest = 0;
  for (size_t g = 0; g < groups.size(); ++g) {
    const RowGroup &group = groups[g];
    if (accumulates) s.leftRows.insert(s.leftRows.end(), size_t(s.m), group.rows() == 0);
    if (group.rows() == 0) continue;
    s.k = group.rows();
    if (product.isExact)
      multiplyBlockwise({left, 0, 0, 0, s.m, group.begin}, {right, 0, 0, 0, s.n, group.begin}, s, product,
                        perGroup * g);
    else
      multiply(left.columns(s.m, group.begin, group.end), right.columns(s.n, group.begin, group.end), s,
               product, perGroup * g);
    longest = std::max(longest, s.k);
  }
  s.k = longest;
  finishProduct(run, s, {std::move(product)});
}

static void groupedMatmul(ReferenceRun &run) {
  run.attribute("ragged") == "k" ? raggedK(run) : raggedRows(run);
}

std::span<const OperationReference> referencesOfGroupedMatmul() {
  static constexpr OperationReference references[] = {{"grouped_matmul", groupedMatmul}};
  return references;
}

} // namespace mxc
