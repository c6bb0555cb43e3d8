#include "compiler/MessageHints.h"
#include "compiler/OperationDocuments.h"
#include "dialect/MxOps.h"
#include "dialect/attributes/NearestWord.h"
#include "dialect/formats/ElementFormat.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace mxc {

/// Whether a kernel is written with that operation: the other ones of mx are the compiler's own.
static bool isWritten(RegisteredOperationName operation) {
  return operation.getDialectNamespace() != "mx" || operation.hasInterface<mx::KernelOpInterface>() ||
         operation.getStringRef() == mx::KernelOp::getOperationName() ||
         operation.getStringRef() == mx::YieldOp::getOperationName();
}

static std::string operationsFor(MLIRContext &context, StringRef written) {
  SmallVector<StringRef> known;
  for (RegisteredOperationName operation : context.getRegisteredOperations())
    if (operation.getDialectNamespace() == written.split('.').first && isWritten(operation))
      known.push_back(operation.getStringRef());
  if (known.empty()) return "";
  llvm::sort(known);
  known = mx::nearestFirst(written, known);
  constexpr size_t kMost = 20; // llvm has hundreds
  const bool areMany = known.size() > kMost;
  return ": expected " + llvm::join(ArrayRef(known).take_front(areMany ? 1 : known.size()), ", ") +
         (areMany ? ", or another operation of " + written.split('.').first.str() : "");
}

/// The types that elements may have, as MLIR writes them; of a format its name in brackets.
static std::string elementTypesFor(StringRef written) {
  std::vector<std::string> types = {"bf16", "f16", "f32", "i32", "i64"};
  std::string meant;
  for (const ElementFormatInfo &format : elementFormats()) {
    types.push_back(std::string(format.mlirType) + " (" + std::string(format.name) + ")");
    if (StringRef(format.name) == written.lower()) meant = types.back();
  }
  types.push_back("f8E8M0FNU (ue8m0)");
  SmallVector<StringRef> words(types.begin(), types.end());
  return ": '" + written.str() + "' is no type, expected " +
         llvm::join(mx::nearestFirst(meant.empty() ? written : StringRef(meant), words), ", ");
}

std::string wordsFor(MLIRContext &context, StringRef message, StringRef source) {
  StringRef rest = message;
  if (rest.consume_front("custom op '") && rest.consume_back("' is unknown"))
    return operationsFor(context, rest);
  if (message != "expected non-function type") return "";
  const StringRef word = source.take_while([](char c) { return llvm::isAlnum(c) || c == '_'; });
  return word.empty() ? "" : elementTypesFor(word);
}

std::string constraintFor(StringRef message) {
  if (!message.consume_back("]")) return "";
  const StringRef number = message.substr(message.rfind('[') + 1),
                  operation = message.split('\'').second.split('\'').first;
  const std::string sentence = constraintOf(operation, number);
  return sentence.empty() ? "" : number.str() + ": " + sentence;
}

} // namespace mxc
