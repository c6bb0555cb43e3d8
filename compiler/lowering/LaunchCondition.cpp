// Built with exceptions: the ABI's expressions report by them. None leaves this file.
#include "compiler/lowering/LaunchCondition.h"

#include "compiler/abi/ShapeExpression.h"
#include "dialect/formats/Error.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace mxc {

static bool isWordCharacter(char c) { return llvm::isAlnum(c) || c == '_'; }

// The text with the names of static extents replaced by their sizes.
static std::string withStaticExtents(StringRef text, const KernelSignature &signature) {
  std::string result;
  while (!text.empty()) {
    StringRef word = text.take_while(isWordCharacter);
    const Extent *known = nullptr;
    for (const Extent *extent : {&signature.rows, &signature.columns})
      if (extent->staticSize && word == StringRef(extent->name)) known = extent;
    size_t taken = std::max<size_t>(1, word.size());
    result += known ? known->text() : text.take_front(taken).str();
    text = text.drop_front(taken);
  }
  return result;
}

// Nullopt: false for every shape. "": true for every shape.
static std::optional<std::string> settled(const std::string &text, const KernelSignature &signature) {
  checkShape(text, signature.abi.dimensions);
  bool isConstant = signature.abi.dimensions.empty();
  if (!isConstant) {
    try {
      (void)evaluateShape(text, {}); // names nothing: a constant
      isConstant = true;
    } catch (const Error &) {
    }
  }
  if (!isConstant) return text;
  return evaluateShape(text, {}) ? std::optional(std::string()) : std::nullopt;
}

FailureOr<std::optional<std::string>> launchCondition(Operation *op, const KernelSignature &signature,
                                                      mx::QuantizeTileAttr tile) {
  if (tile.getWhen()) { // on its own: "M < 3) || (K < 3" is no expression, though it is one in parentheses
    try {
      checkShape(withStaticExtents(tile.getWhen(), signature), signature.abi.dimensions);
    } catch (const Error &error) {
      return op->emitOpError("the tile's condition is at fault: ") << error.what();
    }
  }
  SmallVector<std::string> conditions;
  if (tile.getAccess() == mx::TileAccess::Vector) {
    conditions.push_back(signature.columns.name + " % " + std::to_string(tile.getLaneElements()) + " == 0");
    for (const Extent *extent : {&signature.rows, &signature.columns})
      conditions.push_back(extent->name + " <= " + std::to_string(kNarrowExtent));
  }
  if (tile.getWhen())
    conditions.push_back("(" + tile.getWhen().str() + ")"); // last: products of narrow extents fit
  SmallVector<std::string> open;
  for (const std::string &condition : conditions) {
    std::optional<std::string> left;
    try {
      left = settled(withStaticExtents(condition, signature), signature);
    } catch (const Error &error) {
      return op->emitOpError("the tile's condition is at fault: ") << error.what();
    }
    if (!left) return std::optional<std::string>();
    if (!left->empty()) open.push_back(*left);
  }
  return std::optional(llvm::join(open, " && "));
}

} // namespace mxc
