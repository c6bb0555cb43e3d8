#include "compiler/lowering/product/plan/BoxLoads.h"
#include "compiler/lowering/pipeline/Steps.h"
#include "compiler/lowering/product/plan/OperandCopies.h"
#include "compiler/lowering/product/plan/ProductMaps.h"

using namespace mlir;

namespace mxc {

BoxLoads::BoxLoads(const ProductEntry &e, const ValueBuilder &v, const TileRecord &tile,
                   ArrayRef<OperandBox> boxes, Brought brought)
    : e_(e), v_(v), tile_(tile), boxes_(boxes), brought_(brought) {
  rank_ = mx::CtaRankOp::create(v.b, v.loc, v.b.getI32Type()), zero_ = v.i32(0);
  for (const OperandBox &box : boxes)
    first_.push_back(isBrought(box) && !box.isFoundAtCopy ? firstOf(box) : Value());
  for (auto [box, first] : llvm::zip(boxes, first_))
    if (first && box.isGathered && box.areRows()) rows_.emplace(e, v, first, tile.rows, box.rows);
}

bool BoxLoads::isBrought(const OperandBox &box) const {
  return brought_ == Brought::Both || box.isB == (brought_ == Brought::B);
}

// Whether each CTA of a cluster begins elsewhere. Each brings one of several matrices of b.
bool BoxLoads::isHalf(const OperandBox &box) const {
  return box.owner != BoxOwner::Each && !(box.isB && e_.matrices() > 1);
}

// Each CTA brings one of two tiles of b's rows. Which one is known before the loop over steps where copies
// bring several along K, else it is added at each copy (the order that the registers of the instructions'
// roles were counted with).
static bool isTileOfCtaKnown(const OperandBox &box) { return box.along() > 1; }

Value BoxLoads::firstOf(const OperandBox &box) const {
  auto ofCta = [&](Value first, int count) {
    return isHalf(box) ? v_.add(first, v_.mul(rank_, count)) : first;
  };
  if (box.areRows()) return ofCta(box.isB ? tile_.column : tile_.row, box.rows);
  Value scaleRow = box.isB ? tile_.column : tile_.scaleRow;
  if (box.content == BoxContent::ScaleLines) return ofCta(scaleRow, box.rows);
  Value first = v_.divu(scaleRow, kScaleTileRows);
  return isTileOfCtaKnown(box) ? ofCta(first, 1) : first;
}

SmallVector<Value> BoxLoads::coordinates(int region, Value along) const {
  const OperandBox &box = boxes_[region];
  Value first = first_[region] ? first_[region] : firstOf(box);
  SmallVector<Value> all;
  switch (box.content) {
  case BoxContent::Rows:
  case BoxContent::PaddedRows:
    all = box.isB || box.copied ? SmallVector<Value>{along, first}
                                : rowsCoordinates(v_, along, first, tile_.rows, e_.hasGroups());
    break;
  case BoxContent::ScaleTiles: // of half a tile as units of two bytes
    if (isHalf(box) && box.rows < kScaleTileRows)
      all = {v_.mul(rank_, box.bytes() / 2), along, first};
    else
      all = {zero_, along, isHalf(box) && !isTileOfCtaKnown(box) ? v_.add(first, rank_) : first};
    break;
  case BoxContent::ScaleLines:
    all = {first, along};
  }
  if (box.isB && !box.copied) {
    if (box.matrices) all.push_back(inBatch(box));
    if (e_.hasSeveralB()) all.push_back(tile_.batchOfB(e_));
  } else if (Value number = matrix(region)) {
    all.push_back(number);
  }
  return all;
}

// The matrix's number among those of b that one of its batches has.
Value BoxLoads::inBatch(const OperandBox &box) const { return box.owner == BoxOwner::Each ? zero_ : rank_; }

Value BoxLoads::matrix(int region) const {
  const OperandBox &box = boxes_[region];
  if (box.isB) return e_.matrixOfB(v_, tile_.batchOfB(e_), inBatch(box));
  return e_.isBatched() ? tile_.batch : Value();
}

void BoxLoads::copyByMap(int region, Value ring, Value stage, Value step, StepBegins &begins) const {
  const OperandBox &box = boxes_[region];
  const bool toBoth = box.owner == BoxOwner::HalfToBoth;
  Value map =
      e_.function.map(box.copied ? nameOfCopies(*box.copied) : StringRef(e_.nameOf(box.argument)), box.map);
  // Elements below a byte that lie as they are are bytes of the map.
  const bool areBytes = box.content == BoxContent::Rows && box.rowBytes() < kStepBytes;
  const int unit = areBytes ? box.rowBytes() : box.along();
  for (int number = 0; number < box.copies; ++number) {
    // What `step` counts in: elements of K, of scales tiles of theirs.
    const int length = box.content == BoxContent::ScaleTiles ? scaleTileK(e_.op, box.isB) : 1;
    Value &begin = begins[{box.copies * unit, length}];
    if (!begin) begin = tile_.beginOfStep(v_, step, box.copies * unit, length);
    Value along = v_.add(begin, number * unit);
    Value offset = toBoth ? v_.mul(rank_, box.bytes()) : Value();
    if (const int64_t before = number * box.pitch())
      offset = toBoth ? v_.add(offset, before) : v_.i32(before);
    steps::copyBox(v_, map, coordinates(region, along), {ring, stage, region, offset}, box.bytes(), toBoth);
  }
}

void BoxLoads::copyByIndex(int region, int number, Value ring, Value stage, Value step) const {
  const OperandBox &box = boxes_[region];
  Value along = v_.add(v_.mul(step, box.copies), number);
  const int64_t before = number * box.pitch();
  if (box.areRows())
    rows_->copyCodes(v_, v_.mul(along, box.along()), ring, stage, region, before);
  else
    rows_->copyScales(v_, along, ring, stage, region, before);
}

void BoxLoads::copy(Value ring, Value stage, Value step) const {
  for (int number = 0; rows_ && number < boxes_.front().copies; ++number)
    for (auto [region, box] : llvm::enumerate(boxes_))
      if (box.isGathered) copyByIndex(int(region), number, ring, stage, step);
  StepBegins begins;
  for (auto [region, box] : llvm::enumerate(boxes_))
    if (isBrought(box) && !box.isGathered) copyByMap(int(region), ring, stage, step, begins);
}

void BoxLoads::fill(Value ring, Value step) const {
  steps::fill(v_, ring, [&](Value stage) { copy(ring, stage, step); });
}

} // namespace mxc
