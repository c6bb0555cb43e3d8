#include "dialect/kernel/MxKernelOps.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

#include <numeric>

using namespace mlir;
using namespace mxc::mx;

KernelOpInterface KernelOp::getKernelOperation() {
  for (Operation &op : getBody().front())
    if (auto found = dyn_cast<KernelOpInterface>(op)) return found;
  return nullptr;
}

StringRef KernelOp::getArgName(unsigned index) { return cast<StringAttr>(getArgNames()[index]).getValue(); }

void KernelOp::getAsmBlockArgumentNames(Region &region, OpAsmSetValueNameFn setName) {
  for (auto [argument, name] : llvm::zip(region.getArguments(), getArgNames()))
    setName(argument, cast<StringAttr>(name).getValue());
}

static bool isScalar(Type type) { return type.isF32() || type.isInteger(32) || type.isInteger(64); }

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
  Region &body = *result.addRegion();
  if (parser.parseRegion(body, arguments)) return failure();
  // K3 of scalars: as it is written. Folding may leave one without uses.
  for (auto [argument, value] : llvm::zip(arguments, body.getArguments()))
    if (isScalar(argument.type) && value.use_empty())
      return parser.emitError(argument.ssaName.location, "argument '")
             << argument.ssaName.name.drop_front() << "' must be used at least once, found 0 uses [K3]";
  return success();
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

static bool isElement(Type type) {
  return isScalar(type) || type.isBF16() || type.isF16() || isa<Float8E8M0FNUType>(type) ||
         elementFormatOf(type);
}

// K4 of a strided layout: each stride reaches over what lies within it.
static LogicalResult verifyStrides(KernelOp op, StringRef name, MemRefType type) {
  auto strided = dyn_cast<StridedLayoutAttr>(type.getLayout());
  if (!strided || strided.getOffset() != 0 || strided.getStrides().back() != 1)
    return op.emitOpError("argument '")
           << name << "' must have contiguous rows and no offset: the default layout or "
           << "strided<[.., S, 1]>, found " << type << " [K4]";
  int64_t within = 1; // elements of the dimensions that follow, as far as the type says them
  for (int dim = type.getRank() - 2; dim >= 0; --dim) {
    int64_t stride = strided.getStrides()[dim];
    if (!type.isDynamicDim(dim + 1)) within *= std::max<int64_t>(1, type.getDimSize(dim + 1));
    if (ShapedType::isDynamic(stride)) continue;
    if (stride < within)
      return op.emitOpError("argument '") << name << "' has rows that lie " << stride
                                          << " elements apart, expected at least " << within << " [K4]";
    within = stride;
  }
  return success();
}

// K6: what of an element below 8 bits lies in memory begins and ends at whole bytes.
static LogicalResult verifyWholeBytes(KernelOp op, StringRef name, MemRefType type) {
  int64_t bits = type.getElementTypeBitWidth();
  auto strided = dyn_cast<StridedLayoutAttr>(type.getLayout());
  SmallVector<int64_t> lengths = {type.getShape().back()};
  if (strided) llvm::append_range(lengths, strided.getStrides().drop_back());
  for (int64_t length : lengths)
    if (!ShapedType::isDynamic(length) && length * bits % 8 != 0)
      return op.emitOpError("argument '")
             << name << "' must have rows of whole bytes: expected a multiple of "
             << 8 / std::gcd(bits, int64_t(8)) << " elements, found " << length << " in " << type << " [K6]";
  return success();
}

// MLIR has 8-bit floats that differ from a format by the end of their names: f8E4M3, f8E5M2FNUZ.
static std::string formatHint(Type type) {
  if (!isa<FloatType>(getElementTypeOrSelf(type)) || isElement(getElementTypeOrSelf(type))) return "";
  std::string text;
  llvm::raw_string_ostream(text) << getElementTypeOrSelf(type);
  constexpr size_t kExponentAndMantissa = 6; // "f8E4M3"
  for (const mxc::ElementFormatInfo &format : mxc::elementFormats())
    if (StringRef(format.mlirType).take_front(kExponentAndMantissa) ==
        StringRef(text).take_front(kExponentAndMantissa))
      return ": the format " + std::string(format.name) + " is " + std::string(format.mlirType);
  return "";
}

LogicalResult KernelOp::verify() {
  if (!isIdentifier(getSymName()) || isTaken(getSymName()))
    return emitOpError("name must be an identifier of at most 64 characters that neither PTX nor the image "
                       "uses, found '")
           << getSymName() << "' [K5]";
  if (getArgNames().size() != getBody().getNumArguments())
    return emitOpError("has ") << getBody().getNumArguments() << " arguments and " << getArgNames().size()
                               << " names [K5]";
  constexpr size_t kMostArguments = 56; // 64 of an ABI, with the workspaces
  if (getArgNames().size() > kMostArguments)
    return emitOpError("has ") << getArgNames().size() << " arguments, expected at most " << kMostArguments
                               << " [K1]";
  llvm::StringSet<> seen;
  for (auto [argument, attribute] : llvm::zip(getBody().getArguments(), getArgNames())) {
    StringRef name = cast<StringAttr>(attribute).getValue();
    if (!isIdentifier(name) || !seen.insert(name).second)
      return emitOpError("argument name '")
             << name << "' must be a unique identifier of at most 64 characters [K5]";
    if (isScalar(argument.getType())) continue;
    auto type = dyn_cast<MemRefType>(argument.getType());
    if (!type || type.getRank() < 1 || type.getRank() > kMaxRank || !isElement(type.getElementType()) ||
        type.getMemorySpace())
      return mlir::emitError(argument.getLoc(), "'mx.kernel' op argument '")
             << name << "' must be a scalar f32, i32 or i64, or a memref of rank 1 to " << kMaxRank
             << " of bf16, f16, f32, i32, i64, an MX element format or f8E8M0FNU in the default memory "
                "space, found "
             << argument.getType() << formatHint(argument.getType()) << " [K1]";
    if (failed(verifyWholeBytes(*this, name, type))) return failure();
    bool isDefault = isa<AffineMapAttr>(type.getLayout()) && type.getLayout().isIdentity();
    if (isDefault || isa<ScaleLayoutAttr>(type.getLayout())) continue; // of what: the operation knows
    if (failed(verifyStrides(*this, name, type))) return failure();
  }
  return success();
}

// What depends on the operation: K3, K4 of scale layouts, K5 of its dimensions.
static LogicalResult verifyArguments(KernelOp kernel, KernelOpInterface op) {
  for (BlockArgument argument : kernel.getBody().getArguments()) {
    StringRef name = kernel.getArgName(argument.getArgNumber());
    if (llvm::is_contained(op.getDimensionNames(), name))
      return kernel.emitOpError("argument name '")
             << name << "' must be none of the dimensions of " << op->getName() << ": "
             << llvm::join(op.getDimensionNames(), ", ") << " [K5]";
    auto type = dyn_cast<MemRefType>(argument.getType());
    if (!type) continue;
    auto uses = std::distance(argument.use_begin(), argument.use_end());
    if (uses != 1)
      return kernel.emitOpError("argument '")
             << name << "' must be used exactly once, found " << uses << " uses [K3]";
    std::optional<KernelOperand> operand = kernelOperandOf(op, argument);
    if (!operand)
      return kernel.emitOpError("argument '")
             << name << "' must be an operand of " << op->getName() << " [K3]";
    if (isa<ScaleLayoutAttr>(type.getLayout()) && operand->role != OperandRole::Scales)
      return kernel.emitOpError("argument '")
             << name << "' has a scale layout, which is for scales, found " << type << " [K4]";
  }
  return success();
}

LogicalResult KernelOp::verifyRegions() {
  KernelOpInterface found;
  for (Operation &op : getBody().front()) {
    if (found || !isa<KernelOpInterface>(op)) {
      InFlightDiagnostic error =
          emitOpError("must hold exactly one kernel-level operation and nothing else [K2]");
      error.attachNote(op.getLoc()) << (found ? "this is the second" : "this is none");
      return error;
    }
    found = cast<KernelOpInterface>(op);
  }
  if (!found) return emitOpError("must hold exactly one kernel-level operation, found none [K2]");
  return verifyArguments(*this, found);
}

LogicalResult YieldOp::verify() {
  if (isa<KernelOpInterface>((*this)->getParentOp())) return success();
  return emitOpError("expects a kernel-level operation around it, found '")
         << (*this)->getParentOp()->getName() << "'";
}
