// The role of the spare warps: bf16 copies of operands, each element once in the whole grid, in the
// order in which tiles need them. A warp takes a unit, some rows x 128 elements of K, by a ticket: whoever
// runs makes progress, so no CTA waits for one that is not resident.
#include "compiler/lowering/groups/GroupOrder.h"
#include "compiler/lowering/nvvm/Launch.h"
#include "compiler/lowering/nvvm/Memory.h"
#include "compiler/lowering/product/warpgroups/UnitCopy.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace mxc {

static std::pair<Value, Value> inBatch(const ProductEntry &e, const ValueBuilder &v, Value ticket,
                                       Value perBatch) {
  if (!e.hasSeveralB()) return {v.i32(0), ticket};
  return {v.divu(ticket, perBatch), v.remu(ticket, perBatch)};
}

// Of a alone: a slab of each part of K, then the next of each, where the parts are equal.
static CopyUnit unitOfA(const ProductEntry &e, const OperandCopies &copies, const ValueBuilder &v,
                        Value ticket) {
  Value units = v.mul(copies.blocks(false), copies.plan().unitsPerBlock()),
        perBatch = v.mul(units, copies.slabs());
  auto [batch, t] = inBatch(e, v, ticket, perBatch);
  Value number = v.divu(t, units), slab = number;
  if (int parts = copies.plan().parts; parts > 1) {
    Value length = v.divu(copies.slabs(), parts);
    Value ofPart = v.add(v.mul(v.remu(number, parts), length), v.divu(number, parts));
    slab = v.select(v.equal(v.mul(length, parts), copies.slabs()), ofPart, number);
  }
  return {batch, v.i1(true), v.remu(t, units), slab};
}

// Of rows in groups: slab after slab of a, then of each group's b.
static CopyUnit unitOfGroups(const ProductEntry &e, const OperandCopies &copies, const ValueBuilder &v,
                             Value ticket) {
  Value unitsA = v.mul(copies.blocks(false), copies.plan().unitsPerBlock()),
        unitsB = v.mul(copies.blocks(true), copies.plan().unitsPerBlock());
  Value endA = v.mul(unitsA, copies.slabs());
  Value isA = v.cmp(ValueBuilder::Predicate::ult, ticket, endA);
  auto [group, t] = inBatch(e, v, v.sub(ticket, endA), v.mul(unitsB, copies.slabs()));
  Value units = v.select(isA, unitsA, unitsB), inList = v.select(isA, ticket, t);
  return {v.select(isA, v.i32(0), group), isA, v.remu(inList, units), v.divu(inList, units)};
}

// Tickets of a batch count through three lists, slab after slab over some rows: what the first wave of tiles
// reads of a and b; then the rest of b, and the rest of a, in panels as high as what the first wave reads.
static CopyUnit unitOf(const ProductEntry &e, const OperandCopies &copies, const ValueBuilder &v,
                       Value ticket) {
  const CopyWave &wave = copies.plan().first;
  const int unitRows = copies.plan().unitRows;
  Value slabs = copies.slabs();
  const int64_t parts = e.parts();
  Value unitsA = v.mul(copies.blocks(false), copies.plan().unitsPerBlock()),
        unitsB = v.mul(copies.blocks(true), copies.plan().unitsPerBlock() * parts);
  Value perBatch = v.mul(v.add(unitsA, unitsB), slabs);
  auto [batch, t] = inBatch(e, v, ticket, perBatch);

  Value clusters = v.divu(nvvm::gridSize(v, nvvm::Dim::X), wave.ctas);
  Value columns = v.ceilDivu(clusters, wave.supergroup); // of tiles in the first wave
  Value firstA = v.minu(unitsA, v.i32(wave.supergroup * wave.tileM / unitRows));
  Value firstB = v.minu(unitsB, v.mul(columns, wave.tileN / unitRows));
  Value first = v.add(firstA, firstB);
  Value endFirst = v.mul(first, slabs), endB = v.mul(v.add(firstA, unitsB), slabs);
  Value isFirst = v.cmp(ValueBuilder::Predicate::ult, t, endFirst),
        isB = v.cmp(ValueBuilder::Predicate::ult, t, endB);
  auto choose = [&](Value x, Value y, Value z) { return v.select(isFirst, x, v.select(isB, y, z)); };

  Value inList = v.sub(t, choose(v.i32(0), endFirst, endB)), panel = choose(first, firstB, firstA);
  Value rows = choose(first, v.sub(unitsB, firstB), v.sub(unitsA, firstA));
  Value perPanel = v.mul(panel, slabs), number = v.divu(inList, perPanel), inPanel = v.remu(inList, perPanel);
  Value above = v.mul(number, panel), height = v.minu(panel, v.sub(rows, above));
  Value slab = v.divu(inPanel, height), row = v.add(above, v.remu(inPanel, height));
  if (e.kGroups) { // which tiles take in their order
    Value lane = v.bitAnd(mx::RoleThreadOp::create(v.b, v.loc, v.b.getI32Type()), 31);
    slab = slabInOrder(v, e.kOrder, e.kGroups, kStepK, slab, lane);
  }
  Value firstIsA = v.cmp(ValueBuilder::Predicate::ult, row, firstA);
  Value isA = v.select(isFirst, firstIsA, v.cmp(ValueBuilder::Predicate::uge, t, endB));
  row = choose(v.select(firstIsA, row, v.sub(row, firstA)), v.add(row, firstB), v.add(row, firstA));
  if (parts == 1) return {batch, isA, row, slab};
  // Tiles read equal rows of b's parts, whose units take turns.
  Value matrix = v.add(v.mul(batch, parts), v.remu(row, parts));
  return {v.select(isA, batch, matrix), isA, v.select(isA, row, v.divu(row, parts)), slab};
}

void emitDequantizeOperands(const ProductEntry &e, const OperandCopies &copies, int firstWarp, int warps) {
  const CopiedOperands operands = copies.plan().operands;
  emitPlainRole(e, "dequantize", firstWarp, warps, /*leader=*/false, [&](const ValueBuilder &v) {
    Value units = v.mul(v.mul(copies.allBlocks(v), copies.plan().unitsPerBlock()), copies.slabs());
    auto ticket = [&]() -> Value {
      return mx::TicketOp::create(v.b, v.loc, v.b.getI32Type(), copies.tickets(v));
    };
    // The next ticket is under way while a unit is worked on; the unit before is not published yet.
    Type i32 = v.b.getI32Type(), pointer = nvvm::pointerType(v.b.getContext(), 1);
    Value none = nvvm::nullPointer(v, pointer);
    auto loop = scf::WhileOp::create(v.b, v.loc, TypeRange{i32, pointer}, ValueRange{ticket(), none});
    {
      OpBuilder::InsertionGuard guard(v.b);
      Block *before = v.b.createBlock(&loop.getBefore(), {}, {i32, pointer}, {v.loc, v.loc});
      Value hasUnit = v.cmp(ValueBuilder::Predicate::ult, before->getArgument(0), units);
      scf::ConditionOp::create(v.b, v.loc, hasUnit, before->getArguments());
      Block *after = v.b.createBlock(&loop.getAfter(), {}, {i32, pointer}, {v.loc, v.loc});
      Value next = ticket();
      Value mine = after->getArgument(0), countBefore = after->getArgument(1);
      CopyUnit unit = operands == CopiedOperands::A ? unitOfA(e, copies, v, mine)
                      : e.hasGroups()               ? unitOfGroups(e, copies, v, mine)
                                                    : unitOf(e, copies, v, mine);
      Value count;
      if (operands == CopiedOperands::Both) {
        auto branch = scf::IfOp::create(v.b, v.loc, pointer, unit.isA, /*withElseRegion=*/true);
        OpBuilder::InsertionGuard inBranch(v.b);
        for (bool isB : {false, true}) {
          v.b.setInsertionPointToStart(isB ? branch.elseBlock() : branch.thenBlock());
          scf::YieldOp::create(v.b, v.loc, emitUnitCopy(e, copies, v, unit, isB, countBefore));
        }
        count = branch.getResult(0);
      } else {
        count = emitUnitCopy(e, copies, v, unit, operands == CopiedOperands::B, countBefore);
      }
      scf::YieldOp::create(v.b, v.loc, ValueRange{next, count});
    }
    publishUnit(v, loop.getResult(1));
    copies.leave(v);
  });
}

} // namespace mxc
