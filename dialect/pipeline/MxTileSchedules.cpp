#include "dialect/attributes/TileMemberText.h"
#include "dialect/pipeline/PipelineChecks.h"

using namespace mlir;
using namespace mxc;
using namespace mxc::mx;

static LogicalResult verifySchedule(function_ref<InFlightDiagnostic()> emitError, unsigned supergroup,
                                    unsigned slices) {
  if (int32_t(supergroup) < 1)
    return emitError() << "supergroup expected at least 1, found " << int32_t(supergroup);
  if (int32_t(slices) < 1) return emitError() << "slices expected at least 1, found " << int32_t(slices);
  return success();
}

Attribute StaticScheduleAttr::parse(AsmParser &parser, Type) {
  return parseMembers<StaticScheduleAttr, ScheduleMembers>(parser);
}
void StaticScheduleAttr::print(AsmPrinter &p) const {
  printMembers(p, ScheduleMembers{getSupergroup(), getSlices()});
}

LogicalResult StaticScheduleAttr::verify(function_ref<InFlightDiagnostic()> emitError, unsigned supergroup,
                                         unsigned slices) {
  return verifySchedule(emitError, supergroup, slices);
}
Attribute GroupScheduleAttr::parse(AsmParser &parser, Type) {
  return parseMembers<GroupScheduleAttr, GroupScheduleMembers>(parser);
}
void GroupScheduleAttr::print(AsmPrinter &p) const {
  printMembers(p, GroupScheduleMembers{getSupergroup(), getAlign()});
}

LogicalResult GroupScheduleAttr::verify(function_ref<InFlightDiagnostic()> emitError, unsigned supergroup,
                                        unsigned align) {
  if (align != 1 && align != 128) return emitError() << "align expected 1 or 128, found " << align;
  return verifySchedule(emitError, supergroup, /*slices=*/1);
}
unsigned GroupScheduleAttr::getSlices() const { return 1; }

Attribute KGroupScheduleAttr::parse(AsmParser &parser, Type) {
  return parseMembers<KGroupScheduleAttr, KGroupScheduleMembers>(parser);
}
void KGroupScheduleAttr::print(AsmPrinter &p) const {
  printMembers(p, KGroupScheduleMembers{getSupergroup()});
}

LogicalResult KGroupScheduleAttr::verify(function_ref<InFlightDiagnostic()> emitError, unsigned supergroup) {
  return verifySchedule(emitError, supergroup, /*slices=*/1);
}
unsigned KGroupScheduleAttr::getSlices() const { return 1; }

LogicalResult OrderGroupsOp::verify() {
  if (failed(pipelineBefore(*this))) return failure();
  if (getOperation()->getParentOfType<RoleOp>()) return emitOpError("expected no role around it");
  if (int32_t slab = getSlab(); slab < 1 || !llvm::isPowerOf2_32(slab))
    return emitOpError("slab expected a power of two, found ") << slab;
  return success();
}

// What tiles are cut by, and what lies in memory on their groups.
template <class Op> static LogicalResult verifyCut(Op op) {
  for (int32_t extent : {op.getTileM(), op.getTileN(), op.getTileK()})
    if (extent < 1) return op.emitOpError("tile expected extents of at least 1, found ") << extent;
  const bool isOfK = isa<KGroupScheduleAttr>(op.getSchedule()),
             isOfRows = isa<GroupScheduleAttr>(op.getSchedule());
  Value groups = op.getGroups();
  const bool areOrdered = groups && groups.getDefiningOp<OrderGroupsOp>();
  if (bool(groups) == (isOfK || isOfRows) && areOrdered == isOfK) return success();
  return op.emitOpError("expected ") << (isOfK      ? "groups of mx.order_groups"
                                         : isOfRows ? "the ends of groups"
                                                    : "no groups")
                                     << " with the schedule " << op.getSchedule();
}

LogicalResult TilesOp::verify() {
  if (failed(pipelineBefore(*this)) || failed(roleAround(*this))) return failure();
  if (!getQueue()) return verifyCut(*this);
  if (failed(ringOf(*this, getQueue()))) return failure();
  HandOutOp filler;
  for (Operation *user : getQueue().getUsers())
    if (auto hand = dyn_cast<HandOutOp>(user); hand && hand.getQueue() == getQueue()) filler = hand;
  if (!filler) return emitOpError("expected a ring that mx.hand_out fills, found another");
  if (filler.getSchedule() != getSchedule())
    return emitOpError("expected the schedule of mx.hand_out, ")
           << filler.getSchedule() << ", found " << getSchedule();
  return verifyCut(*this);
}

LogicalResult TilesOp::verifyRegions() {
  Block &body = getBody().front();
  if (body.getNumArguments() != 1 || !isa<TileType>(body.getArgument(0).getType()))
    return emitOpError("expected a body with the record of a tile, !mx.tile, found (")
           << body.getArgumentTypes() << ")";
  if (body.getTerminator()->getNumOperands() == 0) return success();
  return emitOpError("expected mx.next to hand on nothing, found (")
         << body.getTerminator()->getOperandTypes() << ")";
}

LogicalResult HandOutOp::verify() {
  FailureOr<RingOp> ring = ringOf(*this, getQueue());
  if (failed(ring) || failed(pipelineBefore(*this)) || failed(roleAround(*this)) ||
      failed(verifyPart(*this, *ring, 0, 32)))
    return failure();
  for (Value filled : {getQueue(), getAnswers()})
    if (filled)
      for (Operation *user : filled.getUsers())
        if (isa<FillOp, HandOutOp>(user) && user != *this)
          return emitOpError("expected to fill its rings alone, found another role that does");
  if (bool(getCounter()) == bool(getAnswers()))
    return emitOpError("expected a counter or answers, found ") << (getCounter() ? "both" : "none");
  if (getAnswers()) {
    FailureOr<RingOp> answers = ringOf(*this, getAnswers());
    if (failed(answers) || failed(verifyPart(*this, *answers, 0, 16))) return failure();
    if (!answers->getOnce()) return emitOpError("expected a ring of answers that is filled once");
  }
  return verifyCut(*this);
}
