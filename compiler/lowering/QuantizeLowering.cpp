// mx.quantize to tile level: load (directly, or by bulk copies through shared memory), prologue, block
// maxima, scales, codes.
#include "compiler/lowering/KernelLowering.h"
#include "compiler/lowering/LaneElements.h"
#include "compiler/lowering/LaunchCondition.h"
#include "compiler/lowering/MatrixTensorMap.h"
#include "compiler/lowering/NvvmBuild.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace mxc {

namespace {

// One entry point of mx.quantize.
class QuantizeEntry {
public:
  QuantizeEntry(mx::QuantizeOp op, mx::QuantizeTileAttr tile, const Target &target,
                const KernelSignature &signature, EntryFunction &entry)
      : op_(op), tile_(tile), target_(target), signature_(signature), entry_(entry), v_(entry.values()) {}

  void emit(const TilePosition &at) {
    SmallVector<SmallVector<Value>> inputs =
        tile_.getVariant() == mx::TileVariant::Bulk ? loadInBulk(at) : loadDirectly(at);
    SmallVector<Value> fragments = op_.hasPrologue() ? applyPrologue(at, inputs) : inputs.front();
    encode(at, fragments);
  }

private:
  std::string nameOf(Value argument) const { return signature_.argument(argument).name; }
  Type elementOf(Value argument) const { return cast<MemRefType>(argument.getType()).getElementType(); }

  SmallVector<SmallVector<Value>> loadDirectly(const TilePosition &at) {
    SmallVector<SmallVector<Value>> inputs; // every load is issued before the first use
    for (Value input : op_.getInputs())
      inputs.push_back(loadFragments(entry_, at, tile_, nameOf(input), elementOf(input), target_));
    return inputs;
  }

  SmallVector<SmallVector<Value>> loadInBulk(const TilePosition &at) {
    SmallVector<Value> maps;
    SmallVector<int32_t> elementBytes;
    for (Value input : op_.getInputs()) {
      maps.push_back(entry_.pointer(nameOf(input)));
      elementBytes.push_back(elementOf(input).getIntOrFloatBitWidth() / 8);
    }
    int warps = tile_.getWarps(), columns = tile_.getColumns(), groups = tile_.getRowsPerWarp();
    Value thread = v_.add(v_.mul(at.warp, 32), at.lane);
    Value shared = mx::BulkLoadOp::create(
        v_.b, v_.loc, nvvm::pointerType(v_.b.getContext(), 3), maps, v_.toI32(at.ctaColumn),
        v_.toI32(at.ctaRow), thread, v_.b.getDenseI32ArrayAttr({warps, columns}),
        v_.b.getI32IntegerAttr(groups), v_.b.getI32IntegerAttr(32), v_.b.getDenseI32ArrayAttr(elementBytes));
    SmallVector<SmallVector<Value>> inputs;
    int64_t tileStart = 0;
    for (auto [input, bytes] : llvm::zip(op_.getInputs(), elementBytes)) {
      int64_t boxBytes = int64_t(warps) * columns * bytes,
              fragmentBytes = int64_t(tile_.getLaneElements()) * bytes;
      Value inBox = v_.add(v_.mul(at.warp, columns * bytes), v_.mul(at.lane, fragmentBytes));
      auto words = VectorType::get(fragmentBytes / 4, v_.b.getI32Type());
      auto fragment = VectorType::get(tile_.getLaneElements(), elementOf(input));
      SmallVector<Value> &rows = inputs.emplace_back();
      for (int j = 0; j < groups; ++j) {
        Value address = nvvm::offsetBytes(v_, shared, v_.add(inBox, tileStart + j * boxBytes));
        rows.push_back(nvvm::bitcast(v_, fragment,
                                     nvvm::load(v_, words, address, std::min<int64_t>(16, fragmentBytes))));
      }
      tileStart += groups * boxBytes;
    }
    return inputs;
  }

  Value toF32(Value x) {
    return x.getType().isF32() ? x : arith::ExtFOp::create(v_.b, v_.loc, v_.b.getF32Type(), x);
  }

  // The region, once an element. What lies beyond the row's end is zero again behind it: padding is +0, not
  // f(+0).
  SmallVector<Value> applyPrologue(const TilePosition &at, ArrayRef<SmallVector<Value>> inputs) {
    Block &region = op_.getPrologue().front();
    int count = tile_.getLaneElements();
    auto type = VectorType::get(count, v_.b.getF32Type());
    Value nothing = arith::ConstantOp::create(v_.b, v_.loc, v_.b.getF32FloatAttr(0));
    SmallVector<Value> results;
    for (unsigned j = 0; j < at.rows.size(); ++j) {
      SmallVector<Value> elements;
      for (int i = 0; i < count; ++i) {
        IRMapping mapping;
        for (auto [argument, fragments] : llvm::zip(region.getArguments(), inputs))
          mapping.map(argument, toF32(nvvm::element(v_, fragments[j], i)));
        for (Operation &inner : region.without_terminator())
          v_.b.clone(inner, mapping);
        Value y = mapping.lookupOrDefault(cast<mx::YieldOp>(region.back()).getValue());
        elements.push_back(tile_.getAccess() == mx::TileAccess::Element
                               ? v_.select(elementValid(entry_, at, i), y, nothing)
                               : y);
      }
      results.push_back(nvvm::fromElements(v_, type, elements));
    }
    return results;
  }

  void encode(const TilePosition &at, ArrayRef<Value> fragments) {
    MLIRContext *context = v_.b.getContext();
    QuantizeRule rule = op_.getRule();
    auto element = TypeAttr::get(elementOf(op_.getData()));
    auto rounding = mx::RoundingModeAttr::get(context, mx::RoundingMode(rule.rounding));
    auto special = mx::SpecialModeAttr::get(context, mx::SpecialMode(rule.special));
    auto tiny = mx::TinyModeAttr::get(context, mx::TinyMode(rule.tiny));
    SmallVector<Value> valid, bytes, codes;
    for (Value rowValid : at.rowValid)
      valid.push_back(v_.bitAnd(rowValid, at.columnValid));
    Type i32 = v_.b.getI32Type();
    auto amax = mx::BlockAmaxOp::create(v_.b, v_.loc, SmallVector<Type>(fragments.size(), i32), fragments,
                                        valid, v_.b.getI32IntegerAttr(tile_.getLanesPerBlock()), special);
    auto codeType = VectorType::get(tile_.getLaneElements(), v_.b.getI8Type());
    for (auto [fragment, maximum] : llvm::zip(fragments, amax.getAmax())) {
      auto scale = mx::EncodeScaleOp::create(v_.b, v_.loc, i32, v_.b.getF32Type(), maximum, element, rounding,
                                             special, tiny);
      bytes.push_back(scale.getByte());
      codes.push_back(
          mx::ConvertPackOp::create(v_.b, v_.loc, codeType, fragment, scale.getMultiplier(), element));
    }
    storeFragments(entry_, at, tile_, nameOf(op_.getData()), codes, target_);
    if (signature_.argument(op_.getScales()).layout == ArgumentLayout::ScaleTcgen05)
      storeScaleWords(at, bytes);
    else
      storeScaleBytes(at, bytes);
  }

  void storeIf(Value condition, Value value, Value offset, unsigned alignment) {
    auto op = scf::IfOp::create(v_.b, v_.loc, condition, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(v_.b);
    v_.b.setInsertionPointToStart(op.thenBlock());
    nvvm::store(v_, value, nvvm::offsetBytes(v_, entry_.pointer(nameOf(op_.getScales())), offset), alignment);
  }

  Value scaleOffset(const TilePosition &at, Value row, Value block, mx::ScaleLayoutKind kind) {
    return mx::ScaleOffsetOp::create(v_.b, v_.loc, v_.b.getI64Type(), v_.toI64(row), v_.toI64(block),
                                     v_.toI64(at.blocks), mx::ScaleLayoutAttr::get(v_.b.getContext(), kind));
  }

  // tcgen05: four blocks of a row are one 4-byte store; rows and blocks outside the matrix have byte 0, which
  // is padding.
  void storeScaleWords(const TilePosition &at, ArrayRef<Value> bytes) {
    int lanes = tile_.getLanesPerBlock();
    Value word = mx::GatherScalesOp::create(v_.b, v_.loc, v_.b.getI32Type(), bytes, at.lane,
                                            v_.b.getI32IntegerAttr(lanes));
    Value group = v_.bitAnd(v_.divu(at.lane, lanes), 3); // which of the four rows, or the one that stores
    Value firstBlock = v_.bitAnd(at.block, ~int64_t(3));
    Value stores =
        v_.bitAnd(v_.equal(v_.bitAnd(at.lane, lanes - 1), v_.i32(0)), v_.less(firstBlock, at.blocks));
    Value row = at.rows.front();
    if (bytes.size() == 4)
      row = v_.add(v_.toI64(row), v_.toI64(v_.mul(group, 32)));
    else
      stores = v_.bitAnd(stores, v_.equal(group, v_.i32(0)));
    storeIf(stores, word, scaleOffset(at, row, firstBlock, mx::ScaleLayoutKind::Tcgen05), 4);
  }

  void storeScaleBytes(const TilePosition &at, ArrayRef<Value> bytes) {
    Value first = v_.equal(v_.bitAnd(at.lane, tile_.getLanesPerBlock() - 1), v_.i32(0));
    Value stores = v_.bitAnd(first, v_.less(at.block, at.blocks));
    for (auto [byte, row, rowValid] : llvm::zip(bytes, at.rows, at.rowValid)) {
      Value narrow = arith::TruncIOp::create(v_.b, v_.loc, v_.b.getI8Type(), byte);
      storeIf(v_.bitAnd(stores, rowValid), narrow, scaleOffset(at, row, at.block, mx::ScaleLayoutKind::Dense),
              1);
    }
  }

  mx::QuantizeOp op_;
  mx::QuantizeTileAttr tile_;
  const Target &target_;
  const KernelSignature &signature_;
  EntryFunction &entry_;
  ValueBuilder v_;
};

} // namespace

// Shared memory of a bulk tile: every input's boxes, then the mbarrier.
static uint32_t bulkSharedBytes(mx::QuantizeOp op, mx::QuantizeTileAttr tile) {
  uint32_t bytes = 0;
  for (Value input : op.getInputs())
    bytes += cast<MemRefType>(input.getType()).getElementTypeBitWidth() / 8 * tile.getColumns() *
             tile.getWarps() * tile.getRowsPerWarp();
  return bytes + 16;
}

LogicalResult lowerQuantize(mx::QuantizeOp op, ModuleOp module, const Target &target,
                            KernelSignature &signature) {
  if (op.getQuantizedAxis() != mx::Axis::Row)
    return op.emitOpError("axis = ") << stringifyAxis(op.getQuantizedAxis()) << " is not yet on this target ("
                                     << StringRef(target.name) << "): use axis = row";
  auto dataType = cast<MemRefType>(op.getData().getType());
  if (failed(requireFp8(op, dataType.getElementType(), target))) return failure();
  const std::string data = signature.argument(op.getData()).name;

  for (mx::QuantizeTileAttr tile : tilesOf(op.getTilesAttr())) {
    bool bulk = tile.getVariant() == mx::TileVariant::Bulk;
    FailureOr<std::optional<ShapeExpression>> when = launchCondition(op, signature, tile);
    if (failed(when)) return failure();
    if (!*when) continue;
    std::vector<AbiAlignment> alignments;
    SmallVector<TensorMapRecipe> maps;
    if (tile.getAccess() == mx::TileAccess::Vector) {
      for (Value input : op.getInputs()) {
        std::string name = signature.argument(input).name;
        int64_t bytes = cast<MemRefType>(input.getType()).getElementTypeBitWidth() / 8;
        // A tensor map's base and strides are multiples of 16 bytes.
        alignments.push_back({name, bulk ? 16 : accessBytes(target, tile.getLaneElements() * bytes)});
        if (bulk)
          maps.push_back(matrixTensorMap(signature.argument(input), tile.getColumns(), tile.getWarps()));
      }
      alignments.push_back({data, accessBytes(target, tile.getLaneElements())});
    }
    if (bulk) {
      uint32_t bytes = bulkSharedBytes(op, tile);
      if (!target.hasBulkTensor || bytes > uint32_t(target.maxSharedBytes))
        return op.emitOpError("tile ") << tile << " needs " << bytes << " bytes of shared memory, "
                                       << StringRef(target.name) << " gives a CTA " << target.maxSharedBytes;
    }
    AbiVariant *added = addVariant(signature, **when, alignments);
    if (!added) continue;
    AbiVariant &variant = *added;
    variant.tile = tileText(tile);
    variant.sharedBytes = bulk ? bulkSharedBytes(op, tile) : 0;
    setLaunchShape(variant, signature, tile);
    EntryFunction entry(module, op.getLoc(), signature, variant, maps);
    atTilePosition(entry, tile, [&](const TilePosition &at) {
      QuantizeEntry(op, tile, target, signature, entry).emit(at);
    });
  }
  return success();
}

} // namespace mxc
