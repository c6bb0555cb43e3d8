// mx.pack_scales, mx.unpack_scales and mx.convert_scales: a lane takes four blocks of one row, which are a
// word where the layout has words.
#include "compiler/lowering/entry/Branch.h"
#include "compiler/lowering/entry/EntryDriver.h"
#include "compiler/lowering/entry/SupportedFormats.h"
#include "compiler/lowering/entry/TileGrid.h"
#include "compiler/lowering/nvvm/Memory.h"
#include "compiler/lowering/nvvm/Threads.h"
#include "compiler/lowering/quantize/EncodeBlocks.h"
#include "compiler/lowering/quantize/Loss.h"

using namespace mlir;

namespace mxc {

namespace {

constexpr int kLanes = 128;                                                               // one a row
constexpr int kWord = kScaleTileBlocks;                                                   // blocks of a lane
constexpr int64_t kLeastNormal = 0x00800000, kInfinity = 0x7F800000, kLargestPower = 254; // of f32, of ue8m0

// One matrix of scales.
struct Scales {
  std::string name;
  Type type;
  ScaleFormat format;
  mx::ScaleLayoutKind kind;
  ScaleExtent extent = {}; // i64
  Value first = {};        // i64: the lane's matrix's first scale, of a batch; null: the only one's

  Scales(const KernelSignature &signature, Value argument)
      : name(signature.argument(argument).name), type(cast<MemRefType>(argument.getType()).getElementType()),
        format(*mx::scaleFormatOf(type)), kind(scaleLayoutKindOf(signature.argument(argument))) {}

  const ScaleLayoutInfo &layout() const { return info(ScaleLayout(kind)); }
  int64_t bytes() const { return info(format).bytes(); }
  Value place(EntryFunction &entry, Value row, Value block) const {
    ValueBuilder v = entry.values();
    Value offset = scaleOffset(v, kind, row, block, extent);
    if (first) offset = v.add(offset, first);
    return nvvm::offsetBytes(v, entry.pointer(name), v.mul(offset, bytes()));
  }
  void chooseMatrix(const ValueBuilder &v, Value batch) {
    auto whole = [&](Value of, int tile) { return v.mul(v.ceilDivu(of, tile), tile); };
    first =
        v.mul(batch, v.mul(whole(extent.rows, layout().tileRows), whole(extent.blocks, layout().tileBlocks)));
  }
};

// From one matrix to another, one of whose scales is that of a source's for `repeats` of its rows and blocks.
struct Conversion {
  Scales source, destination;
  BlockShape repeats = {1, 1};
  Value inexact = {}; // the argument, or null
};

// The lane's part of the destination.
struct Word {
  Value row, block; // i64
  Value rowValid;   // i1
};

// f32 and ue8m0 by integers: the power of two that is nearest, and whether it is the same number, or NaN as
// before.
std::pair<Value, Value> nearestPowerOfTwo(const ValueBuilder &v, Value bits) {
  using Predicate = ValueBuilder::Predicate;
  const int64_t nan = info(ScaleFormat::UE8M0).nan;
  auto isBelow = [&](int64_t bound) { return v.cmp(Predicate::ult, bits, v.i32(bound)); };
  Value normal = v.minu(v.shru(v.add(bits, kLeastNormal / 2), 23), v.i32(kLargestPower));
  Value subnormal = v.select(isBelow(kLeastNormal / 4 * 3), v.i32(0), v.i32(1));
  Value code = v.select(isBelow(kLeastNormal), subnormal, normal);
  code = v.select(isBelow(kInfinity), code, v.i32(nan)); // whatever has a sign, too
  Value isPower = v.equal(v.bitAnd(bits, kLeastNormal - 1), v.i32(0));
  isPower = v.bitAnd(isPower, v.bitAnd(isBelow(kInfinity), v.cmp(Predicate::ne, bits, v.i32(0))));
  Value isNan = v.cmp(Predicate::ugt, v.bitAnd(bits, 0x7FFFFFFF), v.i32(kInfinity));
  return {code, v.bitOr(v.bitOr(isPower, isNan), v.equal(bits, v.i32(kLeastNormal / 2)))};
}

} // namespace

static bool isBatched(const KernelSignature &signature) { return signature.extents.size() > 2; }

// A batch's matrices one below the other, in tiles.
static void setLaunchShape(AbiVariant &variant, const KernelSignature &signature) {
  const std::string rows = "ceildiv(" + signature.rows().text() + ", 128)";
  TileGrid().cover(variant, isBatched(signature) ? rows + " * " + signature.extents[2].text() : rows,
                   "ceildiv(" + signature.columns().text() + ", 4)");
  variant.block[0] = kLanes;
}

// The source's codes for the lane's four blocks, in i32; 0 where there is none.
static SmallVector<Value> loadCodes(EntryFunction &entry, const Conversion &c, const Word &word,
                                    ArrayRef<Value> valid) {
  ValueBuilder v = entry.values();
  const Scales &source = c.source;
  Value zero = v.i64(0), row = v.select(word.rowValid, v.divu(word.row, c.repeats.rows), zero);
  SmallVector<Value> codes;
  if (source.layout().hasWords() && c.repeats.columns == 1) {
    Value bits = nvvm::load(v, v.b.getI32Type(), source.place(entry, row, word.block), 4);
    for (int i = 0; i < kWord; ++i)
      codes.push_back(v.select(valid[i], v.bitAnd(v.shru(bits, 8 * i), 0xFF), v.i32(0)));
    return codes;
  }
  for (int i = 0; i < kWord; ++i) {
    if (i > 0 && c.repeats.columns % kWord == 0) { // one scale for all of them
      codes.push_back(v.select(valid[i], codes.front(), v.i32(0)));
      continue;
    }
    // A lane without this block reads the row's first and drops it: padding is 0.
    Value block = v.select(valid[i], v.divu(v.add(word.block, i), c.repeats.columns), zero);
    Type type = v.b.getIntegerType(8 * source.bytes());
    Value code = nvvm::load(v, type, source.place(entry, row, block), source.bytes());
    if (!type.isInteger(32)) code = arith::ExtUIOp::create(v.b, v.loc, v.b.getI32Type(), code);
    codes.push_back(v.select(valid[i], code, v.i32(0)));
  }
  return codes;
}

// Codes of the destination's format; counts those that are not what they were, each scale of the source once.
static void convertCodes(EntryFunction &entry, const KernelSignature &signature, const Conversion &c,
                         const Word &word, ArrayRef<Value> valid, MutableArrayRef<Value> codes) {
  ValueBuilder v = entry.values();
  if (c.source.format == c.destination.format) return;
  Value count = v.i32(0);
  auto isFirst = [&](Value index, int64_t repeats) { return v.equal(v.remu(index, repeats), v.i64(0)); };
  for (auto [i, code] : llvm::enumerate(codes)) {
    if (c.destination.format == ScaleFormat::F32) {
      Value value = mx::DecodeScaleOp::create(v.b, v.loc, v.b.getF32Type(), code, c.source.type);
      code = arith::BitcastOp::create(v.b, v.loc, v.b.getI32Type(), value);
      code = v.select(valid[i], code, v.i32(0));
      continue;
    }
    auto [power, isExact] = nearestPowerOfTwo(v, code);
    code = v.select(valid[i], power, v.i32(0));
    if (!c.inexact) continue;
    Value counts = v.bitAnd(isFirst(word.row, c.repeats.rows),
                            isFirst(v.add(word.block, int64_t(i)), c.repeats.columns));
    counts = v.bitAnd(v.bitAnd(counts, valid[i]), v.bitXor(isExact, v.i1(true)));
    count = v.add(count, arith::ExtUIOp::create(v.b, v.loc, v.b.getI32Type(), counts));
  }
  addLoss(entry, signature, c.inexact, count);
}

static void storeCodes(EntryFunction &entry, const Conversion &c, const Word &word, ArrayRef<Value> valid,
                       ArrayRef<Value> codes) {
  ValueBuilder v = entry.values();
  const Scales &to = c.destination;
  const ScaleLayoutInfo &layout = to.layout();
  auto whole = [&](Value extent, int tile) { return v.mul(v.ceilDivu(extent, tile), tile); };
  Value isRow = word.rowValid;
  if (layout.tileRows > 1) isRow = v.less(word.row, whole(to.extent.rows, layout.tileRows));
  if (layout.hasWords()) {
    Value bits = v.i32(0);
    for (auto [i, code] : llvm::enumerate(codes))
      bits = v.bitOr(bits, v.shl(code, 8 * i));
    auto store = [&] { nvvm::store(v, bits, to.place(entry, word.row, word.block), kWord); };
    if (layout.tileRows == kScaleTileRows) return store(); // the CTA's, which have a row
    return ifThen(v, isRow, store);
  }
  for (auto [i, code] : llvm::enumerate(codes)) {
    Value block = v.add(word.block, int64_t(i));
    Value isBlock = v.less(block, whole(to.extent.blocks, layout.tileBlocks));
    ifThen(v, v.bitAnd(isRow, isBlock), [&] {
      Value narrow = code;
      if (to.bytes() < 4)
        narrow = arith::TruncIOp::create(v.b, v.loc, v.b.getIntegerType(8 * to.bytes()), code);
      nvvm::store(v, narrow, to.place(entry, word.row, block), to.bytes());
    });
  }
}

static void emitConversion(EntryFunction &entry, const KernelSignature &signature, Conversion c) {
  ValueBuilder v = entry.values();
  c.destination.extent = {entry.rows(), entry.columns()};
  c.source.extent = {v.ceilDivu(entry.rows(), c.repeats.rows),
                     v.ceilDivu(entry.columns(), c.repeats.columns)};
  Value lane = v.toI64(nvvm::threadIdX(v));
  TileGrid::Place place = TileGrid().place(v, [&](Value i) { return v.toI64(i); });
  Word word;
  Value tile = place.row, inTile = lane, hasWork;
  if (isBatched(signature)) {
    Value tiles = v.ceilDivu(entry.rows(), kScaleTileRows);
    Value batch = v.divu(tile, tiles);
    tile = v.remu(tile, tiles);
    hasWork = v.less(batch, entry.extent(signature.extents[2].name));
    for (Scales *scales : {&c.source, &c.destination})
      scales->chooseMatrix(v, batch);
  }
  Value firstRow = v.mul(tile, kScaleTileRows);
  if (!hasWork) hasWork = v.less(firstRow, entry.rows());
  // Where a side has tiles lane i takes word i of one: row (i mod 4) * 32 + i / 4, so that accesses are
  // contiguous over a warp; else row i, as lines of rows are.
  auto isTiled = [](const Scales &scales) { return scales.layout().storage == ScaleStorage::Tiles; };
  if (isTiled(c.source) || isTiled(c.destination))
    inTile = v.add(v.mul(v.remu(lane, 4), 32), v.divu(lane, 4));
  word.row = v.add(firstRow, inTile);
  word.block = v.mul(place.column, kWord);
  word.rowValid = v.less(word.row, entry.rows());
  whereWork(v, hasWork, [&] {
    SmallVector<Value> valid;
    for (int i = 0; i < kWord; ++i)
      valid.push_back(v.bitAnd(word.rowValid, v.less(v.add(word.block, i), entry.columns())));
    SmallVector<Value> codes = loadCodes(entry, c, word, valid);
    convertCodes(entry, signature, c, word, valid, codes);
    storeCodes(entry, c, word, valid, codes);
  });
}

static LogicalResult lowerConversion(Operation *op, const Conversion &conversion, ModuleOp module,
                                     const Target &target, KernelSignature &signature) {
  EntryPlan plan;
  setLaunchShape(plan.variant, signature);
  return emitEntry(op, module, target, signature, std::move(plan),
                   [&](EntryFunction &entry) { emitConversion(entry, signature, conversion); });
}

namespace {
template <class Op> struct CopyLowering : KernelLoweringInterface::ExternalModel<CopyLowering<Op>, Op> {
  LogicalResult lowerKernel(Operation *op, ModuleOp module, const Target &target,
                            KernelSignature &signature) const {
    auto copy = cast<Op>(op);
    return lowerConversion(op, {{signature, copy.getSource()}, {signature, copy.getDestination()}}, module,
                           target, signature);
  }
};
struct ConvertLowering : KernelLoweringInterface::ExternalModel<ConvertLowering, mx::ConvertScalesOp> {
  LogicalResult lowerKernel(Operation *op, ModuleOp module, const Target &target,
                            KernelSignature &signature) const {
    auto convert = cast<mx::ConvertScalesOp>(op);
    return lowerConversion(op,
                           {{signature, convert.getSource()},
                            {signature, convert.getDestination()},
                            convert.getRepeats(),
                            convert.getInexact()},
                           module, target, signature);
  }
};
} // namespace

void registerScaleLowering(DialectRegistry &registry) {
  attachLowering<mx::PackScalesOp, CopyLowering<mx::PackScalesOp>>(registry);
  attachLowering<mx::UnpackScalesOp, CopyLowering<mx::UnpackScalesOp>>(registry);
  attachLowering<mx::ConvertScalesOp, ConvertLowering>(registry);
}

} // namespace mxc
