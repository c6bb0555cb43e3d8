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
bool StaticScheduleAttr::needsQueue() const { return false; }

Attribute ClcScheduleAttr::parse(AsmParser &parser, Type) {
  return parseMembers<ClcScheduleAttr, ScheduleMembers>(parser);
}
void ClcScheduleAttr::print(AsmPrinter &p) const {
  printMembers(p, ScheduleMembers{getSupergroup(), getSlices()});
}

LogicalResult ClcScheduleAttr::verify(function_ref<InFlightDiagnostic()> emitError, unsigned supergroup,
                                      unsigned slices) {
  return verifySchedule(emitError, supergroup, slices);
}
bool ClcScheduleAttr::needsQueue() const { return true; }

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
bool GroupScheduleAttr::needsQueue() const { return false; }

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
bool KGroupScheduleAttr::needsQueue() const { return false; }

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
  Operation *filler = nullptr;
  if (getQueue()) {
    if (failed(ringOf(*this, getQueue()))) return failure();
    for (Operation *user : getQueue().getUsers())
      if (isa<TakeOverOp, HandOutOp>(user)) filler = user;
    if (!filler) return emitOpError("expected a ring that mx.take_over or mx.hand_out fills, found another");
  }
  const bool isHandedOut = isa_and_present<HandOutOp>(filler),
             isTakenOver = isa_and_present<TakeOverOp>(filler);
  if (isHandedOut && cast<HandOutOp>(filler).getSchedule() != getSchedule())
    return emitOpError("expected the schedule of mx.hand_out, ")
           << cast<HandOutOp>(filler).getSchedule() << ", found " << getSchedule();
  const bool hasGroups =
      isa<GroupScheduleAttr, KGroupScheduleAttr>(getSchedule()); // which answers fit as well
  if (!isHandedOut && !hasGroups && isTakenOver != getSchedule().needsQueue())
    return emitOpError("expected ") << (isTakenOver ? "no ring of tiles" : "a ring of tiles (from)")
                                    << " with the schedule " << getSchedule();
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

// A role whose work is to fill a ring with `bytes` a stage.
static LogicalResult verifyQueue(Operation *op, Value queue, int64_t bytes) {
  FailureOr<RingOp> ring = ringOf(op, queue);
  if (failed(ring) || failed(pipelineBefore(op)) || failed(roleAround(op)) ||
      failed(verifyPart(op, *ring, 0, bytes)))
    return failure();
  for (Operation *user : queue.getUsers())
    if (isa<FillOp, TakeOverOp, HandOutOp>(user) && user != op)
      return op->emitOpError("expected to fill its ring alone, found another role that does");
  return success();
}

LogicalResult TakeOverOp::verify() { return verifyQueue(*this, getQueue(), 16); }

LogicalResult HandOutOp::verify() {
  if (failed(verifyQueue(*this, getQueue(), 32))) return failure();
  if (getSchedule().needsQueue())
    return emitOpError("expected a schedule that numbers tiles, found ") << getSchedule();
  return verifyCut(*this);
}
