// mx.grouped_matmul on the host: every group's rows as a product of their own.
#include "compiler/reference/GroupedReference.h"
#include "compiler/reference/MatmulReference.h"

namespace mxc {

static void groupedMatmul(ReferenceRun &run) {
  const AbiArgument &a = run.argument(ArgumentRole::Left), &b = run.argument(ArgumentRole::Right);
  auto extent = [&](const AbiArgument &argument, size_t dimension) {
    return argument.shape[dimension].evaluate(run.dimensions);
  };
  ProductSizes s{1, extent(a, 0), extent(b, 1), extent(a, 1), std::vector<int64_t>(size_t(extent(a, 0)), -1)};
  HostProduct product = {std::vector<double>(size_t(s.m * s.n)), std::vector<double>(size_t(s.m * s.n))};
  HostFactor left(run, a, s.m, s.k), right(run, b, extent(b, 0) * s.n, s.k);
  const std::vector<RowGroup> groups = groupsOf(run, s.m);
  for (int64_t g = 0; g < int64_t(groups.size()); ++g) {
    const RowGroup &group = groups[size_t(g)];
    if (group.rows() == 0) continue;
    ProductSizes own = s;
    own.m = group.rows();
    multiply(left.rows(group.begin, own.m, group.scaleRow), right.batch(g, s.n), own, product,
             size_t(group.begin * s.n));
    std::fill_n(s.groupOfRow.begin() + group.begin, own.m, g);
  }
  finishProduct(run, s, std::move(product));
}

std::span<const OperationReference> referencesOfGroupedMatmul() {
  static constexpr OperationReference references[] = {{"grouped_matmul", groupedMatmul}};
  return references;
}

} // namespace mxc
