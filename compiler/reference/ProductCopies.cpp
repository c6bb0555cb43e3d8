#include "compiler/reference/ProductCopies.h"
#include "compiler/abi/AbiNames.h"
#include "compiler/reference/QuantizeReference.h"

#include <sstream>

namespace mxc {

std::vector<const AbiArgument *> productResults(const ReferenceRun &run) {
  auto of = [&](ArgumentRole role) { return run.kernel.argumentsOf(role, /*areOutputs=*/true); };
  const auto roles = run.kernel.operation.attributes.find("results");
  if (roles == run.kernel.operation.attributes.end()) {
    std::vector<const AbiArgument *> results = of(ArgumentRole::Product);
    return results.empty() ? of(ArgumentRole::Data) : results;
  }
  std::vector<const AbiArgument *> results;
  std::map<std::string, size_t> counts;
  std::istringstream words(roles->second);
  for (std::string word; words >> word;) {
    bool isKnown = false;
    for (ArgumentRole role : {ArgumentRole::Data, ArgumentRole::Codes, ArgumentRole::ColumnCodes}) {
      if (word != nameIn(kRoleNames, role)) continue;
      const std::vector<const AbiArgument *> all = of(role);
      isKnown = counts[word] < all.size();
      if (isKnown) results.push_back(all[counts[word]++]);
    }
    if (!isKnown) throw run.damaged("results '" + roles->second + "', of which '" + word + "' is none");
  }
  return results;
}

ToleratedCopy quantizeResult(ReferenceRun &run, const ProductSizes &s, const MatmulBound &bound,
                             const AbiArgument &codes) {
  auto values = std::make_shared<QuantizedValues>();
  const std::optional<ElementFormat> element = elementFormatNamed(codes.type);
  if (!element) throw run.damaged("codes of type " + codes.type);
  // The clause `block` is the operands'.
  values->rule = ruleOf(run, blockFormatOf(*element, scaleFormatOf(run.scalesOf(codes)), std::nullopt));
  for (size_t i = 0; i < bound.size(); ++i) {
    values->values.push_back(bound.value(i));
    values->bounds.push_back(float(bound.bound(i)));
  }
  const GroupedReference groups(run, s.m, /*areGathered=*/false);
  const bool alongColumns = codes.role == ArgumentRole::ColumnCodes;
  CopyShape shape{s.m, s.n, alongColumns, /*isTransposed=*/alongColumns};
  if (!groups.isPlain()) {
    values->values = groups.place(values->values, s.n);
    values->bounds = groups.place(values->bounds, s.n);
    shape.rows = groups.valueRows();
  }
  ToleratedCopy copy = quantizeCopy(run, *values, groups, shape, codes);
  copy.values = std::move(values);
  return copy;
}

namespace {
class EitherTolerance : public OutputTolerance {
public:
  EitherTolerance(std::unique_ptr<OutputTolerance> first, std::unique_ptr<OutputTolerance> second)
      : first_(std::move(first)), second_(std::move(second)) {}
  bool allows(const std::string &name, int64_t element) const override {
    return first_->allows(name, element) || second_->allows(name, element); // they speak of other outputs
  }

private:
  std::unique_ptr<OutputTolerance> first_, second_;
};
} // namespace

ToleranceRule productTolerance(std::vector<MatmulOutput> outputs, std::vector<ToleratedCopy> copies) {
  ToleranceRule matrices = matmulTolerance(std::move(outputs));
  if (copies.empty()) return matrices;
  ToleranceRule quantized = quantizeTolerance(std::move(copies));
  auto make = [of = matrices.make,
               other = quantized.make](const KernelReference &reference,
                                       const HostTensors &found) -> std::unique_ptr<OutputTolerance> {
    return std::make_unique<EitherTolerance>(of(reference, found), other(reference, found));
  };
  return {matrices.name, make};
}

} // namespace mxc
