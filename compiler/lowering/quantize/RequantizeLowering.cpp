// mx.requantize to tile level, by the tiles of mx.quantize: a lane's elements lie in one block of the source,
// and several lanes share one of the destination, or it is a lane's.
#include "compiler/lowering/entry/SupportedFormats.h"
#include "compiler/lowering/nvvm/Memory.h"
#include "compiler/lowering/nvvm/Threads.h"
#include "compiler/lowering/nvvm/Vectors.h"
#include "compiler/lowering/ops/ScaleRounding.h"
#include "compiler/lowering/ops/TwoLevelScales.h"
#include "compiler/lowering/quantize/EncodeBlocks.h"
#include "compiler/lowering/quantize/LaneElements.h"
#include "compiler/lowering/quantize/Loss.h"
#include "compiler/lowering/quantize/TensorScale.h"
#include "compiler/lowering/quantize/TileDriver.h"
#include "dialect/formats/PackedCodes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include <cmath>

using namespace mlir;

namespace mxc {

namespace {

constexpr int64_t kMantissaBits = 23, kBias = 127, kMagnitude = 0x7FFFFFFF, kInfinity = 0x7F800000; // of f32
// The exponent of a multiplier: below -100 nothing is left of any element, and above 100 there are zeros
// alone.
constexpr int64_t kMostExponent = 100;

using Predicate = ValueBuilder::Predicate;

// The new scale, as ue8m0's code (i32) of a power of two or, of two levels, as the destination's code; what
// the elements are multiplied with (f32).
struct NewScale {
  Value code, multiplier;
};

// What a lane loses: how many elements change (i32), and bits of their largest relative error (i32).
struct LaneLoss {
  Value count, error;
};

class Requantizer {
public:
  Requantizer(mx::RequantizeOp op, mx::QuantizeTileAttr tile, const Target &target,
              const KernelSignature &signature, EntryFunction &entry, const TilePosition &at)
      : op_(op), tile_(tile), target_(target), signature_(signature), entry_(entry), at_(at),
        v_(entry.values()), element_(memref(op.getData()).getElementType()),
        format_(info(*mx::elementFormatOf(element_))) {}

  void emit() {
    const int64_t words = mx::wordsOf(element_, tile_.getLaneElements());
    tensorScale_ =
        tensorScaleOf(entry_, signature_, op_.getTensorScale(), op_.getSense(), op_.getDestinationFormat());
    SmallVector<Value> loaded =
        loadLaneElements(entry_, at_, tile_, nameOf(op_.getData()), byteType(), target_);
    SmallVector<Value> sourceScales = loadScales(), codes, scales;
    LaneLoss loss{v_.i32(0), v_.i32(0)};
    for (auto [j, code] : llvm::enumerate(loaded)) {
      Value isInside = v_.bitAnd(at_.rowValid[j], at_.columnValid);
      auto type = VectorType::get(words, v_.b.getI32Type());
      Value zeros = arith::ConstantOp::create(v_.b, v_.loc, v_.b.getZeroAttr(type));
      Value old = v_.select(isInside, wordsOfLane(v_, code, type), zeros);
      if (tensorScale_) {
        NewScale scale = partOf(sourceScales[j], isInside);
        codes.push_back(convertUnlessKept(loss, old, scale.multiplier, sourceScales[j]));
        scales.push_back(scale.code);
        continue;
      }
      Value values = decode(old);
      NewScale scale = largerBlocks(values, sourceScales[j]);
      codes.push_back(convert(loss, old, values, scale.multiplier, sourceScales[j]));
      scales.push_back(asBits(decodeScale(scale.code)));
    }
    storeLaneElements(entry_, at_, tile_, nameOf(op_.getDestination()), byteType(), codes, target_);
    storeScales(v_, entry_.pointer(nameOf(op_.getDestinationScales())),
                memref(op_.getDestinationScales()).getElementType(), layoutOf(op_.getDestinationScales()),
                at_, lanesPerBlock(), scales);
    addLoss(entry_, signature_, op_.getInexact(), loss.count, op_.getError(), loss.error);
  }

private:
  static MemRefType memref(Value value) { return cast<MemRefType>(value.getType()); }
  StringRef nameOf(Value argument) const { return signature_.argument(argument).name; }
  mx::ScaleLayoutKind layoutOf(Value scales) const { return scaleLayoutKindOf(signature_.argument(scales)); }
  Type byteType() const { return v_.b.getIntegerType(element_.getIntOrFloatBitWidth()); }
  int lanesPerBlock() const { return tile_.getLanesPerBlock(info(op_.getDestinationFormat()).blockColumns); }
  Value asFloat(Value bits) const { return nvvm::bitcast(v_, v_.b.getF32Type(), bits); }
  Value asBits(Value number) const { return nvvm::bitcast(v_, v_.b.getI32Type(), number); }
  Value one() const { return arith::ConstantOp::create(v_.b, v_.loc, v_.b.getF32FloatAttr(1)); }
  Value clampExponent(Value i32) const {
    i32 = arith::MaxSIOp::create(v_.b, v_.loc, i32, v_.i32(-kMostExponent));
    return arith::MinSIOp::create(v_.b, v_.loc, i32, v_.i32(kMostExponent));
  }
  Value isNanScale(Value scale) const {
    return v_.equal(scale, v_.i32(info(info(op_.getFormat()).scale).nan));
  }

  // ue8m0 codes (i32) of the source's blocks that the lane's elements lie in, one a row.
  SmallVector<Value> loadScales() const {
    const BlockFormatInfo &from = info(op_.getFormat());
    Value column = v_.toI64(v_.select(at_.columnValid, at_.column, v_.like(at_.column, 0)));
    Value blocks = v_.ceilDivu(v_.toI64(at_.columnCount), from.blockColumns);
    SmallVector<Value> scales;
    for (auto [row, valid] : llvm::zip(at_.rows, at_.rowValid)) {
      Value offset = scaleOffset(v_, layoutOf(op_.getScales()), v_.select(valid, row, v_.like(row, 0)),
                                 v_.divu(column, from.blockColumns), {v_.toI64(at_.scaleRowCount), blocks});
      Value address = nvvm::offsetBytes(v_, entry_.pointer(nameOf(op_.getScales())), offset);
      Value code = nvvm::load(v_, v_.b.getI8Type(), address, 1);
      scales.push_back(arith::ExtUIOp::create(v_.b, v_.loc, v_.b.getI32Type(), code));
    }
    return scales;
  }

  Value decode(Value codes) const { // f32, without a scale
    Type values = VectorType::get(tile_.getLaneElements(), v_.b.getF32Type());
    return mx::ConvertUnpackOp::create(v_.b, v_.loc, values, codes, one(), Value(), TypeAttr::get(element_));
  }
  Value encode(Value values, Value multiplier) const {
    Type words = VectorType::get(mx::wordsOf(element_, tile_.getLaneElements()), v_.b.getI32Type());
    return mx::ConvertPackOp::create(v_.b, v_.loc, words, values, multiplier, /*random=*/ValueRange(),
                                     element_, memref(op_.getScales()).getElementType(),
                                     mx::CodeRounding::Nearest);
  }

  // The codes of `values`, those of `old`, times the multiplier.
  Value convert(LaneLoss &loss, Value old, Value values, Value multiplier, Value sourceScale) const {
    Value now = keepSpecials(old, encode(values, multiplier), sourceScale);
    if (op_.getInexact() || op_.getError()) addLossOf(loss, values, multiplier, decode(now));
    return now;
  }

  // Most scales are within the destination's powers of two, and nothing is to be done.
  Value convertUnlessKept(LaneLoss &loss, Value old, Value multiplier, Value sourceScale) const {
    Value isKept = arith::CmpFOp::create(v_.b, v_.loc, arith::CmpFPredicate::OEQ, multiplier, one());
    SmallVector<Value> kept = {old, loss.count, loss.error};
    auto branch =
        scf::IfOp::create(v_.b, v_.loc, ValueRange(kept).getTypes(), isKept, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(v_.b);
    v_.b.setInsertionPointToStart(branch.thenBlock());
    scf::YieldOp::create(v_.b, v_.loc, kept);
    v_.b.setInsertionPointToStart(branch.elseBlock());
    Value now = convert(loss, old, decode(old), multiplier, sourceScale);
    scf::YieldOp::create(v_.b, v_.loc, {now, loss.count, loss.error});
    loss = {branch.getResult(1), branch.getResult(2)};
    return branch.getResult(0);
  }

  Value decodeScale(Value code) const { // of the source's
    Type type = memref(op_.getScales()).getElementType();
    return mx::DecodeScaleOp::create(v_.b, v_.loc, v_.b.getF32Type(), code, type);
  }

  NewScale largerBlocks(Value values, Value sourceScale) const {
    Value scale = blockScale(values, sourceScale);
    Value exponent = clampExponent(v_.sub(sourceScale, scale));
    return {scale, asFloat(v_.shl(v_.add(exponent, kBias), kMantissaBits))};
  }

  // Outside the matrix 0, as padding is.
  NewScale partOf(Value sourceScale, Value isInside) const {
    Type type = memref(op_.getDestinationScales()).getElementType();
    auto [codes, multiplier] = rescaled(v_, type, decodeScale(sourceScale), tensorScale_);
    Value code = arith::ExtUIOp::create(v_.b, v_.loc, v_.b.getI32Type(), codes);
    const int64_t nan = info(info(op_.getDestinationFormat()).scale).nan;
    Value isNan = isNanScale(sourceScale); // its elements become NaN, or what stands for it: no loss
    code = v_.select(isNan, v_.i32(nan), code);
    multiplier = v_.select(isNan, asFloat(v_.i32(kMagnitude)), multiplier);
    return {v_.select(isInside, code, v_.i32(0)), multiplier};
  }

  // The code (i32, of ue8m0) of the least power of two with which no element of the block is too large.
  Value blockScale(Value values, Value sourceScale) const {
    Value largest = v_.i32(0); // of what is finite
    for (unsigned i = 0; i < tile_.getLaneElements(); ++i) {
      Value bits = v_.bitAnd(asBits(nvvm::element(v_, values, i)), kMagnitude);
      Value isFinite = v_.cmp(Predicate::ult, bits, v_.i32(kInfinity));
      largest = v_.maxu(largest, v_.select(isFinite, bits, v_.i32(0)));
    }
    Value exponent = v_.shru(v_.add(largest, roundingBias(format_, mx::RoundingMode::Ceil)), kMantissaBits);
    Value code = v_.add(v_.add(exponent, sourceScale), -kBias - format_.emax);
    Value isNothing = v_.bitOr(v_.equal(largest, v_.i32(0)), isNanScale(sourceScale));
    code = arith::MaxSIOp::create(v_.b, v_.loc, v_.select(isNothing, v_.i32(0), code), v_.i32(0));
    for (int lane = 1; lane < lanesPerBlock(); lane *= 2)
      code = v_.maxu(code, nvvm::shuffleXor(v_, code, lane));
    return code;
  }

  // `now` with the infinities of `old`, which encode saturates; of a NaN scale, NaN.
  Value keepSpecials(Value old, Value now, Value sourceScale) const {
    uint32_t nans = 0;
    for (int bit = 0; bit < 32; bit += format_.bits())
      nans |= uint32_t(mxc::encode(format_.format, NAN)) << bit;
    SmallVector<Value> words;
    for (int64_t i = 0; i < cast<VectorType>(old.getType()).getNumElements(); ++i) {
      Value code = nvvm::element(v_, now, i);
      if (format_.nan == NanEncoding::Ieee) code = keepInfinities(nvvm::element(v_, old, i), code);
      words.push_back(v_.select(isNanScale(sourceScale), v_.i32(int32_t(nans)), code));
    }
    return nvvm::fromElements(v_, old.getType(), words);
  }

  // Four codes a word: the bytes of `old` that are infinite.
  Value keepInfinities(Value old, Value now) const {
    constexpr int64_t signs = int32_t(0x80808080);
    const int64_t infinity = ((int64_t(1) << format_.exponentBits) - 1) << format_.mantissaBits;
    Value distance = v_.bitXor(v_.bitAnd(old, 0x7F7F7F7F), int64_t(0x01010101) * infinity);
    Value isOther = v_.bitAnd(v_.add(distance, 0x7F7F7F7F), signs); // no byte overflows
    Value ones = v_.shru(v_.bitXor(isOther, signs), 7);
    Value mask = v_.mul(ones, 0xFF);
    return v_.bitOr(v_.bitAnd(old, mask), v_.bitAnd(now, v_.bitXor(mask, int64_t(-1))));
  }

  // Most lanes lose nothing, and divide nothing.
  void addLossOf(LaneLoss &loss, Value values, Value multiplier, Value now) const {
    SmallVector<Value> olds, changes;
    Value count = v_.i32(0);
    for (unsigned i = 0; i < tile_.getLaneElements(); ++i) {
      olds.push_back(arith::MulFOp::create(v_.b, v_.loc, nvvm::element(v_, values, i), multiplier));
      changes.push_back(arith::CmpFOp::create(v_.b, v_.loc, arith::CmpFPredicate::ONE, olds.back(),
                                              nvvm::element(v_, now, i)));
      count = v_.add(count, arith::ExtUIOp::create(v_.b, v_.loc, v_.b.getI32Type(), changes.back()));
    }
    loss.count = v_.add(loss.count, count);
    if (!op_.getError()) return;
    Value any = v_.cmp(Predicate::ne, count, v_.i32(0));
    auto branch = scf::IfOp::create(v_.b, v_.loc, v_.b.getI32Type(), any, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(v_.b);
    v_.b.setInsertionPointToStart(branch.thenBlock());
    Value largest = loss.error;
    for (auto [i, pair] : llvm::enumerate(llvm::zip(olds, changes))) {
      auto [old, changed] = pair;
      Value difference = arith::SubFOp::create(v_.b, v_.loc, nvvm::element(v_, now, i), old);
      Value error = asBits(arith::DivFOp::create(v_.b, v_.loc, difference, old));
      largest = v_.maxu(largest, v_.select(changed, v_.bitAnd(error, kMagnitude), v_.i32(0)));
    }
    scf::YieldOp::create(v_.b, v_.loc, largest);
    v_.b.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(v_.b, v_.loc, loss.error);
    loss.error = branch.getResult(0);
  }

  mutable mx::RequantizeOp op_; // its accessors are not const
  mx::QuantizeTileAttr tile_;
  const Target &target_;
  const KernelSignature &signature_;
  EntryFunction &entry_;
  const TilePosition &at_;
  ValueBuilder v_;
  Type element_;
  const ElementFormatInfo &format_;
  Value tensorScale_; // f32, of a destination that has one; else null
};

} // namespace

static LogicalResult lowerRequantize(mx::RequantizeOp op, ModuleOp module, const Target &target,
                                     KernelSignature &signature) {
  const BlockFormatInfo &format = info(op.getDestinationFormat());
  const ScaleLayout layout = *mx::scaleLayoutOf(op.getDestinationScales().getType());
  auto planTile = [&](mx::QuantizeTileAttr tile) -> FailureOr<TilePlan> {
    if (tile.getVariant() == mx::TileVariant::Bulk)
      return op.emitOpError("tile ") << tile << ": variant = bulk is for mx.quantize";
    if (failed(requireTile(op, tile, format, layout))) return failure();
    TilePlan plan;
    if (tile.getAccess() == mx::TileAccess::Vector)
      for (Value argument : {op.getData(), op.getDestination()})
        plan.alignments.push_back(
            {signature.argument(argument).name,
             accessBytes(target, storageBytes(info(format.element).bits(), tile.getLaneElements()))});
    plan.body = [=, &target, &signature](EntryFunction &entry, const TilePosition &at) {
      Requantizer(op, tile, target, signature, entry, at).emit();
    };
    return plan;
  };
  return emitTiles(op, op.getTilesAttr(), module, target, signature, format, planTile);
}

// For parts of the source's blocks: a lane has one whole, and its codes are 8 bytes.
static constexpr std::string_view kPartTiles[] = {
    R"(#mx.quantize_tile<warps = 4, rows_per_warp = 1, lane_elements = 16, when = "M * K <= 1048576">)",
    "#mx.quantize_tile<lane_elements = 16>"};

namespace {
struct RequantizeLowering : KernelLoweringInterface::ExternalModel<RequantizeLowering, mx::RequantizeOp> {
  LogicalResult lowerKernel(Operation *op, ModuleOp module, const Target &target,
                            KernelSignature &signature) const {
    return lowerRequantize(cast<mx::RequantizeOp>(op), module, target, signature);
  }
  Tiles getDefaultTiles(Operation *op, const Target &target) const {
    auto requantize = cast<mx::RequantizeOp>(op);
    std::span<const std::string_view> tiles = target.quantizeTiles;
    if (requantize.getTensorScale()) tiles = kPartTiles;
    return tilesThatFit(op, tiles, info(requantize.getDestinationFormat()),
                        *mx::scaleLayoutOf(requantize.getDestinationScales().getType()));
  }
};
} // namespace

void registerRequantizeLowering(DialectRegistry &registry) {
  attachLowering<mx::RequantizeOp, RequantizeLowering>(registry);
}

} // namespace mxc
