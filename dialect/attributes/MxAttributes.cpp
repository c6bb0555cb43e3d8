#include "dialect/attributes/MxAttributes.h"
#include "dialect/attributes/TileMemberText.h"

#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mxc::mx;

#include "dialect/MxEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "dialect/MxAttributes.cpp.inc"

void MxDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialect/MxAttributes.cpp.inc"
      >();
}

Attribute MxDialect::parseAttribute(DialectAsmParser &parser, Type type) const {
  const SMLoc place = parser.getCurrentLocation();
  StringRef name;
  Attribute attribute;
  if (generatedAttributeParser(parser, &name, type, attribute).has_value()) return attribute;
  parser.emitError(place) << "'" << name << "' is no attribute of mx: expected "
                          << llvm::join(ArrayRef{ScaleLayoutAttr::getMnemonic(),
                                                 QuantizeTileAttr::getMnemonic(),
                                                 ColumnTileAttr::getMnemonic(), MatmulTileAttr::getMnemonic(),
                                                 SwapTileAttr::getMnemonic()},
                                        ", ");
  return {};
}

void MxDialect::printAttribute(Attribute attribute, DialectAsmPrinter &p) const {
  (void)generatedAttributePrinter(attribute, p);
}

// The dialect's enumerations are cast to those of dialect/formats.
static_assert(int(RoundingMode::Inverse) == int(mxc::Rounding::Inverse) &&
              int(SpecialMode::UnitScale) == int(mxc::Special::UnitScale) &&
              int(TinyMode::Clamp) == int(mxc::TinyBlock::Clamp) &&
              int(TensorSense::Divisor) == int(mxc::TensorSense::Divisor) &&
              int(ScaleLayoutKind::Tcgen05) == int(mxc::ScaleLayout::Tcgen05) &&
              int(ScaleLayoutKind::MnMajor) == int(mxc::ScaleLayout::MnMajor) &&
              int(ScaleLayoutKind::Padded) == int(mxc::ScaleLayout::Padded));

Attribute ScaleLayoutAttr::parse(AsmParser &parser, Type) {
  ScaleLayoutKind kind;
  if (parser.parseLess() || parseWord(parser, "scale layout", kind) || parser.parseGreater()) return {};
  return get(parser.getContext(), kind);
}
void ScaleLayoutAttr::print(AsmPrinter &p) const { p << '<' << stringifyEnum(getKind()) << '>'; }

AffineMap ScaleLayoutAttr::getAffineMap() const {
  Builder b(getContext());
  AffineExpr row = b.getAffineDimExpr(0), block = b.getAffineDimExpr(1);
  if (getKind() == ScaleLayoutKind::Dense) return AffineMap::getMultiDimIdentityMap(2, getContext());
  const mxc::ScaleLayoutInfo &tile = info(mxc::ScaleLayout(getKind()));
  AffineExpr outer = row.floorDiv(tile.tileRows), inner = block.floorDiv(tile.tileBlocks);
  if (tile.order == mxc::ScaleTileOrder::MnMajor) std::swap(outer, inner);
  return AffineMap::get(2, 0,
                        {outer, inner, row % tile.interleave,
                         row.floorDiv(tile.interleave) % (tile.tileRows / tile.interleave),
                         block % tile.tileBlocks},
                        getContext());
}

bool ScaleLayoutAttr::isIdentity() const { return getKind() == ScaleLayoutKind::Dense; }

LogicalResult ScaleLayoutAttr::verifyLayout(ArrayRef<int64_t> shape,
                                            function_ref<InFlightDiagnostic()> emitError) const {
  constexpr size_t kMostRank = 4; // groups of parts of a product's operand
  if (shape.size() < 2 || shape.size() > kMostRank)
    return emitError() << "scale layout needs a matrix [rows, blocks] or a batch of them, found rank "
                       << shape.size();
  return success();
}

LogicalResult ScaleLayoutAttr::getStridesAndOffset(ArrayRef<int64_t> shape, SmallVectorImpl<int64_t> &strides,
                                                   int64_t &offset) const {
  if (getKind() != ScaleLayoutKind::Dense) return failure(); // tiles have no strides
  return mlir::detail::getAffineMapStridesAndOffset(getAffineMap(), shape, strides, offset);
}

Attribute QuantizeTileAttr::parse(AsmParser &parser, Type) {
  return parseMembers<QuantizeTileAttr, QuantizeTileMembers>(parser);
}
void QuantizeTileAttr::print(AsmPrinter &p) const { printMembers(p, getMembers()); }

LogicalResult QuantizeTileAttr::verify(function_ref<InFlightDiagnostic()> emitError, QuantizeTileMembers of) {
  auto isOneOf = [](unsigned value, std::initializer_list<unsigned> list) {
    return llvm::is_contained(list, value);
  };
  if (!isOneOf(of.warps, {1, 2, 4, 8, 16, 32}))
    return emitError() << "warps must be 1, 2, 4, 8, 16 or 32, found " << of.warps;
  if (!isOneOf(of.rowsPerWarp, {1, 4}))
    return emitError() << "rows_per_warp must be 1 or 4, found " << of.rowsPerWarp;
  if (!isOneOf(of.laneElements, {4, 8, 16, 32}))
    return emitError() << "lane_elements must be 4, 8, 16 or 32, found " << of.laneElements;
  if (of.variant == TileVariant::Bulk && of.access != TileAccess::Vector)
    return emitError() << "variant = bulk needs access = vector";
  if (of.variant == TileVariant::Bulk &&
      of.laneElements > 8) // cuTensorMapEncodeTiled: a box has at most 256 elements a side
    return emitError() << "variant = bulk needs lane_elements of at most 8, found " << of.laneElements;
  return success();
}

bool QuantizeTileAttr::takesEverything() const { return getAccess() == TileAccess::Element && !getWhen(); }

TileAttrInterface QuantizeTileAttr::getFallback() const {
  const bool hasWholeBlocks =
      getWarps() * getRowsPerWarp() == 128; // rows of a CTA: of blocks of 128x128, too
  return get(getContext(), {.warps = hasWholeBlocks ? getWarps() : 8,
                            .rowsPerWarp = hasWholeBlocks ? getRowsPerWarp() : 1,
                            .access = TileAccess::Element});
}
