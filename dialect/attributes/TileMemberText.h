// Tile attributes as text, `<m = 128, n = 64>`: from and to the members of TileMembers.h.
#pragma once

#include "dialect/attributes/NearestWord.h"
#include "dialect/attributes/TileMembers.h"
#include "llvm/ADT/StringExtras.h"

namespace mxc::mx {

inline mlir::ParseResult parseMember(mlir::AsmParser &parser, llvm::StringRef name, unsigned &value) {
  const llvm::SMLoc place = parser.getCurrentLocation();
  mlir::OptionalParseResult number = parser.parseOptionalInteger(value);
  if (number.has_value()) return *number;
  return parser.emitError(place) << "expected a number as '" << name << "'";
}
inline mlir::ParseResult parseMember(mlir::AsmParser &parser, llvm::StringRef, mlir::StringAttr &value) {
  return parser.parseAttribute(value);
}
inline mlir::ParseResult parseMember(mlir::AsmParser &parser, llvm::StringRef name, InstructionK &value) {
  const llvm::SMLoc place = parser.getCurrentLocation();
  unsigned number = 0;
  if (parseMember(parser, name, number)) return mlir::failure();
  value = InstructionK::Wide;
  if (std::to_string(number) == stringifyEnum(value)) return mlir::success();
  return parser.emitError(place) << "expected " << stringifyEnum(value) << " as '" << name << "', found "
                                 << number << "; without it instructions have 32 bytes along K";
}
template <typename Enum>
mlir::ParseResult parseMember(mlir::AsmParser &parser, llvm::StringRef name, Enum &value) {
  return parseWord(parser, name, value);
}

/// Reads `name = value` into the member of that name.
template <typename Members>
mlir::ParseResult parseNamedMember(mlir::AsmParser &parser, Members &members,
                                   llvm::SmallVectorImpl<llvm::StringRef> &seen) {
  const llvm::SMLoc place = parser.getCurrentLocation();
  llvm::SmallVector<llvm::StringRef> known;
  members.each([&](llvm::StringRef name, auto &) { known.push_back(name); });
  llvm::StringRef written;
  if (mlir::failed(parser.parseOptionalKeyword(&written, known))) {
    mlir::InFlightDiagnostic error = parser.emitError(place);
    if (mlir::succeeded(parser.parseOptionalKeyword(&written)))
      error << "'" << written << "' is no member of a tile: ";
    return error << "expected " << llvm::join(nearestFirst(written, known), ", ");
  }
  if (llvm::is_contained(seen, written))
    return parser.emitError(place) << "'" << written << "' is given twice";
  seen.push_back(written);
  if (parser.parseEqual()) return mlir::failure();
  mlir::ParseResult result = mlir::success();
  members.each([&](llvm::StringRef name, auto &value) {
    if (name == written) result = parseMember(parser, name, value);
  });
  return result;
}

/// Reads `<name = value, ..>`; null after an error.
template <typename Attr, typename Members> mlir::Attribute parseMembers(mlir::AsmParser &parser) {
  const llvm::SMLoc place = parser.getCurrentLocation();
  Members members;
  llvm::SmallVector<llvm::StringRef> seen;
  if (parser.parseLess()) return {};
  if (mlir::failed(parser.parseOptionalGreater())) {
    auto parseOne = [&] { return parseNamedMember(parser, members, seen); };
    if (parser.parseCommaSeparatedList(parseOne) || parser.parseGreater()) return {};
  }
  return parser.getChecked<Attr>(place, parser.getContext(), members);
}

template <typename Members> void printMembers(mlir::AsmPrinter &p, Members members) {
  p << '<';
  llvm::StringRef separator = "";
  members.each([&](llvm::StringRef name, auto &value) {
    using Value = std::decay_t<decltype(value)>;
    // Most tiles have a copied, share b, have instructions as wide as all, and no condition.
    if constexpr (std::is_same_v<Value, LeftOperand>)
      if (value == LeftOperand::Copied) return;
    if constexpr (std::is_same_v<Value, SharedOperand>)
      if (value == SharedOperand::B) return;
    if constexpr (std::is_same_v<Value, InstructionK>)
      if (value == InstructionK::OfKind) return;
    if constexpr (std::is_same_v<Value, mlir::StringAttr>)
      if (!value) return;
    p << separator << name << " = ";
    if constexpr (std::is_enum_v<Value>)
      p << stringifyEnum(value);
    else
      p << value;
    separator = ", ";
  });
  p << '>';
}

} // namespace mxc::mx
