// The words of enumerations in the dialect's text: an error names the words that there are, never a C++ type.
#pragma once

#include "mlir/IR/OpImplementation.h"

#include "dialect/MxEnums.h.inc"

namespace mxc::mx {

/// Reads one of the words of `Enum`; `what` says in an error what the word stands for ("rounding").
template <typename Enum>
mlir::ParseResult parseWord(mlir::AsmParser &parser, llvm::StringRef what, Enum &value) {
  const llvm::SMLoc place = parser.getCurrentLocation();
  llvm::StringRef word;
  const bool isWord = mlir::succeeded(parser.parseOptionalKeyword(&word));
  if (std::optional<Enum> found = symbolizeEnum<Enum>(word)) {
    value = *found;
    return mlir::success();
  }
  mlir::InFlightDiagnostic error = parser.emitError(place);
  if (isWord) error << "'" << word << "' is no " << what << ": ";
  error << "expected";
  uint32_t index = 0;
  for (llvm::StringRef known; !(known = stringifyEnum(Enum(index))).empty(); ++index)
    error << (index ? ", " : " ") << known;
  return error;
}

/// The same as an attribute that holds the word.
template <typename Attr>
mlir::ParseResult parseWordAttr(mlir::AsmParser &parser, llvm::StringRef what, Attr &attribute) {
  decltype(attribute.getValue()) value;
  if (parseWord(parser, what, value)) return mlir::failure();
  attribute = Attr::get(parser.getContext(), value);
  return mlir::success();
}

/// For attributes that are a word alone: `#mx.axis<row>`.
template <typename Enum> mlir::ParseResult parseEnumWord(mlir::AsmParser &parser, Enum &value) {
  return parseWord(parser, "such word", value);
}
template <typename Enum> void printEnumWord(mlir::AsmPrinter &p, Enum value) { p << stringifyEnum(value); }

} // namespace mxc::mx
