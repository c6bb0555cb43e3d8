#include "dialect/MxOps.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mxc::mx;

bool mxc::mx::isKernelLevel(Operation *op) {
  return isa<QuantizeOp, DequantizeOp, PackScalesOp, UnpackScalesOp>(op);
}

Operation *KernelOp::getKernelOperation() {
  for (Operation &op : getBody().front())
    if (isKernelLevel(&op)) return &op;
  return nullptr;
}

StringRef KernelOp::getArgName(unsigned index) { return cast<StringAttr>(getArgNames()[index]).getValue(); }

void KernelOp::getAsmBlockArgumentNames(Region &region, OpAsmSetValueNameFn setName) {
  for (auto [argument, name] : llvm::zip(region.getArguments(), getArgNames()))
    setName(argument, cast<StringAttr>(name).getValue());
}

ParseResult KernelOp::parse(OpAsmParser &parser, OperationState &result) {
  StringAttr name;
  SmallVector<OpAsmParser::Argument> arguments;
  if (parser.parseSymbolName(name, SymbolTable::getSymbolAttrName(), result.attributes) ||
      parser.parseArgumentList(arguments, OpAsmParser::Delimiter::Paren, /*allowType=*/true) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes))
    return failure();
  SmallVector<Attribute> names;
  for (const OpAsmParser::Argument &argument : arguments) {
    if (!argument.type)
      return parser.emitError(argument.ssaName.location, "expected a type after the argument's name");
    StringRef written = argument.ssaName.name.drop_front(); // without '%'
    bool numeric = !written.empty() && llvm::isDigit(written.front());
    names.push_back(parser.getBuilder().getStringAttr(numeric ? "arg" + written.str() : written.str()));
  }
  result.addAttribute(getArgNamesAttrName(result.name), parser.getBuilder().getArrayAttr(names));
  return parser.parseRegion(*result.addRegion(), arguments);
}

void KernelOp::print(OpAsmPrinter &p) {
  p << ' ';
  p.printSymbolName(getSymName());
  p << '(';
  llvm::interleaveComma(getBody().getArguments(), p, [&](BlockArgument a) { p.printRegionArgument(a); });
  p << ')';
  p.printOptionalAttrDictWithKeyword((*this)->getAttrs(), {getSymNameAttrName(), getArgNamesAttrName()});
  p << ' ';
  p.printRegion(getBody(), /*printEntryBlockArgs=*/false, /*printBlockTerminators=*/false);
}

static bool isIdentifier(StringRef name) {
  auto isWordCharacter = [](char c) { return llvm::isAlnum(c) || c == '_'; };
  return !name.empty() && name.size() <= 64 && !llvm::isDigit(name.front()) &&
         llvm::all_of(name, isWordCharacter);
}

// Kernel names become symbols: of the image's own, and of PTX's predefined identifiers (PTX ISA 4.4), none
// can be one.
static bool isTaken(StringRef name) { return name.starts_with("__mxc") || name == "WARP_SZ" || name == "_"; }

LogicalResult KernelOp::verify() {
  if (!isIdentifier(getSymName()) || isTaken(getSymName()))
    return emitOpError("name must be an identifier of at most 64 characters that neither PTX nor the image "
                       "uses, found '")
           << getSymName() << "' [K5]";
  if (getArgNames().size() != getBody().getNumArguments())
    return emitOpError("has ") << getBody().getNumArguments() << " arguments and " << getArgNames().size()
                               << " names [K5]";
  llvm::StringSet<> seen{"M", "K", "KB"}; // the dimensions' names
  for (auto [argument, attribute] : llvm::zip(getBody().getArguments(), getArgNames())) {
    StringRef name = cast<StringAttr>(attribute).getValue();
    if (!isIdentifier(name) || !seen.insert(name).second)
      return emitOpError("argument name '")
             << name << "' must be a unique identifier of at most 64 characters other than M, K and KB [K5]";
    auto type = dyn_cast<MemRefType>(argument.getType());
    auto isElement = [](Type t) {
      return t.isBF16() || t.isF16() || t.isF32() || isa<Float8E8M0FNUType>(t) || elementFormatOf(t);
    };
    if (!type || type.getRank() != 2 || !isElement(type.getElementType()) || type.getMemorySpace())
      return emitOpError("argument '")
             << name << "' must be a rank-2 memref of bf16, f16, f32, an MX element format or "
             << "f8E8M0FNU in the default memory space, found " << argument.getType() << " [K1]";
    if (isa<ScaleLayoutAttr>(type.getLayout())) {
      if (!isa<Float8E8M0FNUType>(type.getElementType()))
        return emitOpError("argument '") << name << "' has a scale layout, which is for f8E8M0FNU, found "
                                         << type.getElementType() << " [K4]";
      continue;
    }
    if (isa<AffineMapAttr>(type.getLayout()) && type.getLayout().isIdentity()) continue;
    auto strided = dyn_cast<StridedLayoutAttr>(type.getLayout());
    if (!strided || strided.getOffset() != 0 || strided.getStrides()[1] != 1)
      return emitOpError("argument '")
             << name << "' must have contiguous rows and no offset: the default layout or "
             << "strided<[S, 1]>, found " << type << " [K4]";
    int64_t stride = strided.getStrides()[0],
            smallest = type.isDynamicDim(1) ? 1 : std::max<int64_t>(1, type.getDimSize(1));
    if (!ShapedType::isDynamic(stride) && stride < smallest)
      return emitOpError("argument '") << name << "' has rows that lie " << stride
                                       << " elements apart, expected at least " << smallest << " [K4]";
  }
  return success();
}

LogicalResult KernelOp::verifyRegions() {
  Operation *found = nullptr;
  for (Operation &op : getBody().front()) {
    if (!isKernelLevel(&op) || found) {
      InFlightDiagnostic error =
          emitOpError("must hold exactly one kernel-level operation (mx.quantize, mx.dequantize, "
                      "mx.pack_scales, mx.unpack_scales) [K2]");
      error.attachNote(op.getLoc()) << (found ? "this is the second" : "this is none");
      return error;
    }
    found = &op;
  }
  if (!found) return emitOpError("must hold exactly one kernel-level operation, found none [K2]");
  for (BlockArgument argument : getBody().getArguments()) {
    auto uses = std::distance(argument.use_begin(), argument.use_end());
    if (uses != 1)
      return emitOpError("argument '") << getArgName(argument.getArgNumber())
                                       << "' must be used exactly once, found " << uses << " uses [K3]";
  }
  return success();
}
