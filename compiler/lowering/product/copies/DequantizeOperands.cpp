// The role of the spare warps: bf16 copies of operands, each element once in the whole grid, in the
// order in which tiles need them. A warp takes a unit, some rows x 128 elements of K, by a ticket: whoever
// runs makes progress, so no CTA waits for one that is not resident.
#include "compiler/lowering/product/copies/DequantizeOperands.h"
#include "compiler/lowering/groups/GroupOrder.h"
#include "compiler/lowering/nvvm/Launch.h"
#include "compiler/lowering/nvvm/Memory.h"
#include "compiler/lowering/product/copies/UnitCopy.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace mxc {

static std::pair<Value, Value> inBatch(const ProductEntry &e, const ValueBuilder &v, Value ticket,
                                       Value perBatch) {
  if (!e.hasSeveralB()) return {v.i32(0), ticket};
  return {v.divu(ticket, perBatch), v.remu(ticket, perBatch)};
}

// For a alone with few rows: a slab of each share of K, then the next of each, where the shares are equal.
static CopyUnit unitOfShares(const ProductEntry &e, const OperandCopies &copies, const ValueBuilder &v,
                             Value ticket) {
  Value units = v.mul(copies.blocks(false), copies.plan().unitsPerBlock()),
        perBatch = v.mul(units, copies.slabs());
  auto [batch, t] = inBatch(e, v, ticket, perBatch);
  Value number = v.divu(t, units), slab = number;
  if (int shares = copies.plan().kShares; shares > 1) {
    Value length = v.divu(copies.slabs(), shares);
    Value ofShare = v.add(v.mul(v.remu(number, shares), length), v.divu(number, shares));
    slab = v.select(v.equal(v.mul(length, shares), copies.slabs()), ofShare, number);
  }
  return {batch, v.i1(true), v.remu(t, units), slab};
}

// What a wave of tiles has of b, in units: where b is so large.
static Value waveOfB(const OperandCopies &copies, const ValueBuilder &v) {
  const CopyWave &wave = copies.plan().first;
  Value clusters = v.divu(nvvm::gridSize(v, nvvm::Dim::X), wave.ctas);
  Value columns = v.ceilDivu(clusters, wave.supergroup); // of tiles
  return v.mul(columns, wave.tileN / copies.plan().unitRows);
}

// What a wave of tiles has of a, in units: all rows of a supergroup, or as many as its columns leave.
static Value waveOfA(const ProductEntry &e, const OperandCopies &copies, const ValueBuilder &v) {
  const CopyWave &wave = copies.plan().first;
  Value clusters = v.divu(nvvm::gridSize(v, nvvm::Dim::X), wave.ctas);
  Value rows = v.maxu(v.i32(wave.supergroup), v.add(v.divu(clusters, v.ceilDivu(e.n, wave.tileN)), 1));
  return v.mul(rows, wave.tileM / copies.plan().unitRows);
}

// A unit's row of units and slab by its number in panels, each slab after slab: of `rows`, `panel` at a time.
static std::pair<Value, Value> inPanels(const ValueBuilder &v, Value number, Value rows, Value panel,
                                        Value slabs) {
  Value perPanel = v.mul(panel, slabs), inPanel = v.remu(number, perPanel),
        above = v.mul(v.divu(number, perPanel), panel), height = v.minu(panel, v.sub(rows, above));
  return {v.add(above, v.remu(inPanel, height)), v.divu(inPanel, height)};
}

// Rows of b's matrices, which tiles read beside each other, take turns.
static CopyUnit unitOfB(const ProductEntry &e, const ValueBuilder &v, Value batch, Value row, Value slab) {
  const int64_t count = e.matrices();
  if (count == 1) return {batch, v.i1(false), row, slab};
  return {v.add(v.mul(batch, count), v.remu(row, count)), v.i1(false), v.divu(row, count), slab};
}

// For rows in groups: slab after slab of a; then of each group's b, or of panels of it as high as what a wave
// of tiles reads.
static CopyUnit unitOfGroups(const ProductEntry &e, const OperandCopies &copies, const ValueBuilder &v,
                             Value ticket) {
  const int units = copies.plan().unitsPerBlock();
  Value unitsA = v.mul(copies.blocks(false), units),
        unitsB = v.mul(copies.blocks(true), units * e.matrices());
  Value endA = v.mul(unitsA, copies.slabs());
  auto [group, t] = inBatch(e, v, v.sub(ticket, endA), v.mul(unitsB, copies.slabs()));
  Value panel = copies.plan().byWaves ? waveOfB(copies, v) : unitsB;
  auto [row, slab] = inPanels(v, t, unitsB, panel, copies.slabs());
  const CopyUnit ofB = unitOfB(e, v, group, row, slab);
  if (!copies.plan().has(/*isB=*/false)) return ofB;
  Value isA = v.cmp(ValueBuilder::Predicate::ult, ticket, endA), rowsA = v.maxu(unitsA, v.i32(1));
  return {v.select(isA, v.i32(0), ofB.batch), isA, v.select(isA, v.remu(ticket, rowsA), ofB.row),
          v.select(isA, v.divu(ticket, rowsA), ofB.slab)};
}

// For a alone: panels as high as what a wave of tiles reads, whatever the groups are.
static CopyUnit unitOfRows(const ProductEntry &e, const OperandCopies &copies, const ValueBuilder &v,
                           Value ticket) {
  Value units = v.mul(copies.blocks(false), copies.plan().unitsPerBlock()), batch = v.i32(0), number = ticket;
  if (e.isBatched()) {
    Value perBatch = v.mul(units, copies.slabs());
    batch = v.divu(ticket, perBatch), number = v.remu(ticket, perBatch);
  }
  auto [row, slab] = inPanels(v, number, units, waveOfA(e, copies, v), copies.slabs());
  return {batch, v.i1(true), row, slab};
}

// For groups of K: group after group as tiles take them, each in panels as high as what a wave of tiles
// reads, the first one with a where b is copied.
static CopyUnit unitOfKGroups(const ProductEntry &e, const OperandCopies &copies, const ValueBuilder &v,
                              Value ticket) {
  const int perBlock = copies.plan().unitsPerBlock();
  Value unitsA = v.mul(copies.blocks(false), perBlock), unitsB = v.mul(copies.blocks(true), perBlock),
        units = v.add(unitsA, unitsB);
  Value lane = v.bitAnd(mx::RoleThreadOp::create(v.b, v.loc, v.b.getI32Type()), 31);
  const SlabRun run = slabRunOf(v, e.kOrder, e.kGroups, kStepK, copies.slabs(), v.divu(ticket, units), lane);
  Value panel = copies.plan().has(/*isB=*/true) ? v.add(unitsA, waveOfB(copies, v)) : waveOfA(e, copies, v);
  auto [row, slab] = inPanels(v, v.sub(ticket, v.mul(run.before, units)), units, panel, run.count);
  Value isA = v.cmp(ValueBuilder::Predicate::ult, row, unitsA);
  return {v.i32(0), isA, v.select(isA, row, v.sub(row, unitsA)), v.add(run.first, slab)};
}

// Tickets of a batch count through three lists, slab after slab over some rows: what the first wave of tiles
// reads of a and b; then the rest of b, and the rest of a, in panels as high as what the first wave reads.
static CopyUnit unitOf(const ProductEntry &e, const OperandCopies &copies, const ValueBuilder &v,
                       Value ticket) {
  const CopyWave &wave = copies.plan().first;
  const int unitRows = copies.plan().unitRows;
  Value slabs = copies.slabs();
  Value unitsA = v.mul(copies.blocks(false), copies.plan().unitsPerBlock()),
        unitsB = v.mul(copies.blocks(true), copies.plan().unitsPerBlock() * e.matrices());
  Value perBatch = v.mul(v.add(unitsA, unitsB), slabs);
  auto [batch, t] = inBatch(e, v, ticket, perBatch);

  Value firstA = v.minu(unitsA, v.i32(wave.supergroup * wave.tileM / unitRows));
  Value firstB = v.minu(unitsB, waveOfB(copies, v));
  Value first = v.add(firstA, firstB);
  Value endFirst = v.mul(first, slabs), endB = v.mul(v.add(firstA, unitsB), slabs);
  Value isFirst = v.cmp(ValueBuilder::Predicate::ult, t, endFirst),
        isB = v.cmp(ValueBuilder::Predicate::ult, t, endB);
  auto choose = [&](Value x, Value y, Value z) { return v.select(isFirst, x, v.select(isB, y, z)); };

  Value inList = v.sub(t, choose(v.i32(0), endFirst, endB)), panel = choose(first, firstB, firstA);
  Value rows = choose(first, v.sub(unitsB, firstB), v.sub(unitsA, firstA));
  auto [row, slab] = inPanels(v, inList, rows, panel, slabs);
  Value firstIsA = v.cmp(ValueBuilder::Predicate::ult, row, firstA);
  Value isA = v.select(isFirst, firstIsA, v.cmp(ValueBuilder::Predicate::uge, t, endB));
  row = choose(v.select(firstIsA, row, v.sub(row, firstA)), v.add(row, firstB), v.add(row, firstA));
  const CopyUnit ofB = unitOfB(e, v, batch, row, slab);
  return {v.select(isA, batch, ofB.batch), isA, v.select(isA, row, ofB.row), slab};
}

static CopyUnit unitOfTicket(const ProductEntry &e, const OperandCopies &copies, const ValueBuilder &v,
                             Value ticket) {
  if (e.kGroups) return unitOfKGroups(e, copies, v, ticket);
  if (copies.plan().operands == CopiedOperands::A)
    return (copies.plan().first.tileM ? unitOfRows : unitOfShares)(e, copies, v, ticket);
  return (e.hasGroups() ? unitOfGroups : unitOf)(e, copies, v, ticket);
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
      CopyUnit unit = unitOfTicket(e, copies, v, mine);
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
