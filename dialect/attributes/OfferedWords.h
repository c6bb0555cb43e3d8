// Words of enumerations where somebody writes a kernel: a language server offers them.
#pragma once

#include "dialect/attributes/EnumWords.h"

namespace mxc::mx {

/// parseWordAttr, at whose place a completion has the words of the attribute's enumeration.
template <typename Attr>
mlir::ParseResult parseOfferedWord(mlir::AsmParser &parser, llvm::StringRef what, Attr &attribute) {
  using Enum = decltype(attribute.getValue());
  llvm::SmallVector<llvm::StringRef> words;
  for (llvm::StringRef word; !(word = stringifyEnum(Enum(words.size()))).empty();)
    words.push_back(word);
  llvm::StringRef word;
  if (mlir::failed(parser.parseOptionalKeyword(&word, words))) return parseWordAttr(parser, what, attribute);
  attribute = Attr::get(parser.getContext(), *symbolizeEnum<Enum>(word));
  return mlir::success();
}

} // namespace mxc::mx
