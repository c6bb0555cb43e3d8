#include "dialect/PipelineChecks.h"
#include "dialect/TileMemberText.h"

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

LogicalResult TilesOp::verify() {
  if (failed(pipelineBefore(*this)) || failed(roleAround(*this))) return failure();
  for (int32_t extent : {getTileM(), getTileN(), getTileK()})
    if (extent < 1) return emitOpError("tile expected extents of at least 1, found ") << extent;
  const bool isOfK = isa<KGroupScheduleAttr>(getSchedule()), isOfRows = isa<GroupScheduleAttr>(getSchedule());
  if (!isOfRows && bool(getQueue()) != getSchedule().needsQueue()) // groups of rows have either
    return emitOpError("expected ") << (getQueue() ? "no ring of tiles" : "a ring of tiles (from)")
                                    << " with the schedule " << getSchedule();
  const bool areOrdered = getGroups() && getGroups().getDefiningOp<OrderGroupsOp>();
  if (bool(getGroups()) != (isOfK || isOfRows) || areOrdered != isOfK)
    return emitOpError("expected ") << (isOfK      ? "groups of mx.order_groups"
                                        : isOfRows ? "the ends of groups"
                                                   : "no groups")
                                    << " with the schedule " << getSchedule();
  if (!getQueue()) return success();
  if (failed(ringOf(*this, getQueue()))) return failure();
  if (llvm::none_of(getQueue().getUsers(), llvm::IsaPred<TakeOverOp>))
    return emitOpError("expected a ring that mx.take_over fills, found another");
  return success();
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

LogicalResult TakeOverOp::verify() {
  FailureOr<RingOp> ring = ringOf(*this, getQueue());
  if (failed(ring) || failed(pipelineBefore(*this)) || failed(roleAround(*this)) ||
      failed(verifyPart(*this, *ring, 0, 16)))
    return failure();
  for (Operation *user : getQueue().getUsers())
    if (isa<FillOp, TakeOverOp>(user) && user != getOperation())
      return emitOpError("expected to fill its ring alone, found another role that does");
  return success();
}
