#include "compiler/lowering/entry/LaunchCondition.h"

using namespace mlir;

namespace mxc {

/// `condition` with the static extents put in and folded. Failure after an error at `op`: it names what the
/// kernel lacks, or is constant and has no value.
static FailureOr<ShapeExpression> settled(Operation *op, const ShapeExpression &condition,
                                          const KernelSignature &signature) {
  Dimensions known;
  for (const Extent &extent : signature.extents)
    if (extent.staticSize) known[extent.name] = *extent.staticSize;
  ShapeExpression result = condition.substitute(known).fold();
  std::vector<std::string> names = signature.abi.dimensions;
  names.insert(names.end(), std::begin(kDeviceFacts), std::end(kDeviceFacts));
  std::string error = result.unknownName(names);
  if (error.empty() && result.names().empty()) (void)result.evaluate({}, error);
  if (!error.empty()) return op->emitOpError("the tile's condition is at fault: ") << error;
  return result;
}

FailureOr<std::optional<ShapeExpression>> launchCondition(Operation *op, const KernelSignature &signature,
                                                          mx::TileAttrInterface tile,
                                                          ArrayRef<std::string> needs) {
  SmallVector<ShapeExpression> conditions(signature.sizes.begin(), signature.sizes.end());
  for (const std::string &need : needs)
    conditions.push_back(need);
  if (tile && tile.getWhen()) { // last: products of narrow extents fit
    std::string error;
    std::optional<ShapeExpression> when = ShapeExpression::parse(tile.getWhen().getValue(), error);
    if (!when) return op->emitOpError("the tile's condition is at fault: ") << error;
    conditions.push_back(*when);
  }
  SmallVector<ShapeExpression> open;
  for (const ShapeExpression &condition : conditions) {
    if (condition.empty()) continue;
    FailureOr<ShapeExpression> left = settled(op, condition, signature);
    if (failed(left)) return failure();
    std::optional<int64_t> constant = left->constant();
    if (constant && !*constant) return std::optional<ShapeExpression>();
    if (!constant) open.push_back(*left);
  }
  return std::optional(ShapeExpression::conjunction(open));
}

} // namespace mxc
