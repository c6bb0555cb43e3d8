// A lane's blocks of two adjacent columns: from shared memory after a bulk copy, in pairs, or element by
// element; then the prologue.
#include "compiler/lowering/entry/Branch.h"
#include "compiler/lowering/entry/ScalarRegion.h"
#include "compiler/lowering/groups/GroupedRows.h"
#include "compiler/lowering/nvvm/Counters.h"
#include "compiler/lowering/nvvm/Launch.h"
#include "compiler/lowering/nvvm/Memory.h"
#include "compiler/lowering/nvvm/Threads.h"
#include "compiler/lowering/nvvm/Vectors.h"
#include "compiler/lowering/pipeline/Steps.h"
#include "compiler/lowering/quantize/ColumnPlan.h"
#include "compiler/lowering/quantize/InputRing.h"
#include "compiler/lowering/quantize/LaneElements.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace mxc {

namespace {

constexpr int kPieceBytes = 16;

class ColumnLoads {
public:
  ColumnLoads(EntryFunction &entry, ColumnPlan &plan, const ColumnPosition &at, Value shared)
      : entry_(entry), plan_(plan), at_(at), shared_(shared), v_(entry.values()),
        scalars_(entry.scalars(plan.op->getParentOfType<mx::KernelOp>())) {
    if (plan.op.isGathered()) gather();
    if (Value ofRows = plan.op.getRowValues()) {
      Value row = v_.add(at.row, at.lane);
      Value mine = loadRowValue(v_, entry.pointer(plan.nameOf(ofRows)), v_.add(at.ctaRow, v_.toI64(row)),
                                v_.less(row, at.rowsLeft));
      rowValue_ = nvvm::bitcast(v_, v_.b.getI32Type(), mine);
    }
    Value rows = v_.sub(at.rowsLeft, at.row);
    for (int i = 0; i < kLaneColumns; ++i)
      rowsOf_.push_back(v_.select(v_.less(v_.add(at.column, i), at.columnsLeft), rows, v_.i32(0)));
  }

  void load(function_ref<void(ArrayRef<Value>)> body) {
    if (plan_.tile.getLoad() == mx::ColumnLoad::Element) return body(elements());
    if (!plan_.isBulk()) return body(results([&](int, Value input) { return pairs(input); }));
    Value ring = beginInputs(v_, shared_, plan_.threads() / 32, plan_.ring);
    plan_.op.isGathered() ? fillRows(ring) : fillBox(ring);
    nvvm::launchDependents(v_); // the whole input is under way
    steps::use(v_, ring, [&](Value stage) {
      SmallVector<Value> boxes;
      for (unsigned part = 0; part < plan_.op.getInputs().size(); ++part)
        boxes.push_back(inputAddress(v_, ring, stage, part));
      bool hasOtherGroups = plan_.op.hasGroups() && !plan_.op.isGathered();
      if (hasOtherGroups && !plan_.op.hasPrologue()) clearOtherGroups(boxes);
      body(results([&](int part, Value input) { return fromBox(elementTypeOf(input), boxes[part]); }));
    });
  }

private:
  Value isValid(int row, int column) {
    if (sourceValid_.empty()) return v_.less(v_.i32(row), rowsOf_[column]);
    return v_.bitAnd(v_.less(v_.add(at_.column, column), at_.columnsLeft), sourceValid_[row]);
  }

  // Every lane looks at the index of one of the warp's 32 rows; of a CTA's first four warps they are the
  // tile's.
  void gather() {
    Value row = v_.add(at_.row, at_.lane);
    mine_ = gatheredRow(entry_, entry_.pointer(plan_.nameOf(plan_.op.getGather())),
                        v_.add(at_.ctaRow, v_.toI64(row)), v_.less(row, at_.rowsLeft), entry_.extent("N"));
    if (plan_.isBulk()) {
      if (!plan_.op.hasPrologue()) return;
      Value there = nvvm::ballot(v_, mine_.isThere);
      for (int r = 0; r < kColumnBlockRows; ++r)
        sourceValid_.push_back(
            v_.cmp(ValueBuilder::Predicate::ne, v_.bitAnd(there, int64_t(1) << r), v_.i32(0)));
      return;
    }
    Value source = v_.select(mine_.isThere, v_.toI32(mine_.source), v_.i32(-1));
    for (int r = 0; r < kColumnBlockRows; ++r) {
      Value its = nvvm::shuffleFrom(v_, source, r);
      sources_.push_back(v_.toI64(its));
      sourceValid_.push_back(v_.cmp(ValueBuilder::Predicate::sge, its, v_.i32(0)));
    }
  }

  Value nothing(Type type) { return arith::ConstantOp::create(v_.b, v_.loc, v_.b.getZeroAttr(type)); }

  // Every load is issued before the first use.
  SmallVector<Value> results(function_ref<SmallVector<Value>(int, Value)> rowsOf) {
    SmallVector<SmallVector<Value>> inputs;
    for (auto [part, input] : llvm::enumerate(plan_.op.getInputs()))
      inputs.push_back(rowsOf(part, input));
    SmallVector<Value> results;
    for (int r = 0; r < kColumnBlockRows; ++r)
      results.push_back(
          result(r, llvm::map_to_vector(inputs, [&](const SmallVector<Value> &rows) { return rows[r]; })));
    return results;
  }

  int64_t boxRowBytes(Value input) {
    return plan_.tile.getColumns() * mx::storageBytes(elementTypeOf(input), 1);
  }

  void fillBox(Value ring) {
    InputBoxes boxes;
    boxes.row = v_.toI32(at_.ctaRow), boxes.column = v_.toI32(at_.ctaColumn);
    for (Value input : plan_.op.getInputs()) {
      boxes.maps.push_back(entry_.pointer(plan_.nameOf(input)));
      boxes.bytes.push_back(kColumnTileRows * boxRowBytes(input));
    }
    fillBoxes(v_, ring, boxes);
  }

  // A thread a row, of the first four warps: as many bytes as the matrix has.
  void fillRows(Value ring) {
    auto role = mx::RoleOp::create(v_.b, v_.loc, "rows", 0, kColumnTileRows / 32, false, false);
    OpBuilder::InsertionGuard guard(v_.b);
    v_.b.createBlock(&role.getBody());
    v_.b.setInsertionPoint(mx::NextOp::create(v_.b, v_.loc));
    steps::fill(v_, ring, [&](Value stage) {
      for (auto [part, input] : llvm::enumerate(plan_.op.getInputs())) {
        std::string name = plan_.nameOf(input);
        int64_t bytes = mx::storageBytes(elementTypeOf(input), 1);
        Value inRow = v_.mul(at_.ctaColumn, bytes), stride = v_.mul(entry_.rowStride(name), bytes);
        Value source =
            nvvm::offsetBytes(v_, entry_.pointer(name), v_.add(v_.mul(mine_.source, stride), inRow));
        mx::CopyRowOp::create(v_.b, v_.loc, source, v_.mul(at_.columnsLeft, bytes), mine_.isThere, ring,
                              stage, part, boxRowBytes(input));
      }
    });
  }

  // Past a group's last row the boxes hold the next one's: zeros instead, which a prologue's results are
  // anyway.
  void clearOtherGroups(ArrayRef<Value> boxes) {
    Value isEnd = v_.bitAnd(v_.less(at_.rowsLeft, v_.i32(kColumnTileRows)),
                            v_.less(v_.add(at_.ctaRow, v_.toI64(at_.rowsLeft)), entry_.rows()));
    ifThen(v_, isEnd, [&] {
      for (auto [input, box] : llvm::zip(plan_.op.getInputs(), boxes)) {
        int64_t rowPieces = boxRowBytes(input) / kPieceBytes;
        Value begin = v_.add(v_.mul(at_.rowsLeft, rowPieces), at_.thread);
        auto loop = scf::ForOp::create(v_.b, v_.loc, begin, v_.i32(kColumnTileRows * rowPieces),
                                       v_.i32(plan_.threads()));
        OpBuilder::InsertionGuard guard(v_.b);
        v_.b.setInsertionPointToStart(loop.getBody());
        Value place = v_.mul(loop.getInductionVar(), kPieceBytes);
        nvvm::store(v_, nothing(VectorType::get(kPieceBytes / 4, v_.b.getI32Type())),
                    nvvm::offsetBytes(v_, box, place), kPieceBytes);
      }
      nvvm::syncThreads(v_);
    });
  }

  Value loadPair(Type element, Value address) {
    int64_t bytes = kLaneColumns * mx::storageBytes(element, 1);
    Type words = bytes == 4 ? Type(v_.b.getI32Type()) : VectorType::get(bytes / 4, v_.b.getI32Type());
    return nvvm::bitcast(v_, VectorType::get(kLaneColumns, element), nvvm::load(v_, words, address, bytes));
  }

  // Boxes hold zeros outside the matrix.
  SmallVector<Value> fromBox(Type element, Value box) {
    int64_t rowBytes = plan_.tile.getColumns() * mx::storageBytes(element, 1);
    Value first = v_.add(v_.mul(at_.row, rowBytes), v_.mul(at_.column, mx::storageBytes(element, 1)));
    Value lane = nvvm::offsetBytes(v_, box, first);
    SmallVector<Value> rows;
    for (int r = 0; r < kColumnBlockRows; ++r)
      rows.push_back(loadPair(element, nvvm::offsetBytes(v_, lane, v_.i32(r * rowBytes))));
    return rows;
  }

  // Where the input's tile begins, and how far from there the lane's rows are: in bytes.
  struct Places {
    Value tile, first, step;
  };
  Places placesOf(Value input) {
    int64_t bytes = mx::storageBytes(elementTypeOf(input), 1);
    std::string name = plan_.nameOf(input);
    Value stride = v_.mul(entry_.rowStride(name), bytes);
    if (!sources_.empty()) {
      Value column = v_.mul(v_.add(at_.ctaColumn, v_.toI64(at_.column)), bytes);
      return {entry_.pointer(name), column, stride};
    }
    Value tile = v_.add(v_.mul(at_.ctaRow, stride), v_.mul(at_.ctaColumn, bytes));
    Value first = v_.add(v_.mul(v_.toI64(at_.row), stride), v_.mul(v_.toI64(at_.column), bytes));
    return {nvvm::offsetBytes(v_, entry_.pointer(name), tile), first, stride};
  }

  // A pair outside the matrix reads the tile's first one instead and is zeros.
  // The place of row `r` of the lane's block, in bytes from the tile's place; gathered, from the input's.
  Value rowOffset(const Places &at, int r) {
    return sources_.empty() ? v_.add(at.first, v_.mul(at.step, r))
                            : v_.add(at.first, v_.mul(at.step, sources_[r]));
  }

  SmallVector<Value> pairs(Value input) {
    Places at = placesOf(input);
    Type element = elementTypeOf(input);
    SmallVector<Value> rows;
    for (int r = 0; r < kColumnBlockRows; ++r) {
      Value offset = v_.select(isValid(r, 0), rowOffset(at, r), v_.i64(0));
      rows.push_back(loadPair(element, nvvm::offsetBytes(v_, at.tile, offset)));
    }
    for (auto [r, row] : llvm::enumerate(rows))
      row = v_.select(isValid(r, 0), row, nothing(row.getType()));
    return rows;
  }

  // Inside branches, and a row of all inputs at a time: addresses and values of whole blocks would not fit
  // the registers.
  SmallVector<Value> elements() {
    SmallVector<Places> places;
    SmallVector<Value> addresses, results;
    for (Value input : plan_.op.getInputs()) {
      places.push_back(placesOf(input));
      addresses.push_back(nvvm::offsetBytes(v_, places.back().tile, places.back().first));
    }
    for (int r = 0; r < kColumnBlockRows; ++r) {
      SmallVector<Value> row;
      for (auto [input, at, address] : llvm::zip(plan_.op.getInputs(), places, addresses)) {
        Type element = elementTypeOf(input);
        int64_t bytes = mx::storageBytes(element, 1);
        SmallVector<Value> values;
        if (!sources_.empty()) address = nvvm::offsetBytes(v_, at.tile, rowOffset(at, r));
        for (int i = 0; i < kLaneColumns; ++i)
          values.push_back(
              loadIf(v_, isValid(r, i), element, nvvm::offsetBytes(v_, address, v_.i64(i * bytes)), bytes));
        row.push_back(nvvm::fromElements(v_, VectorType::get(kLaneColumns, element), values));
        if (sources_.empty()) address = nvvm::offsetBytes(v_, address, at.step);
      }
      results.push_back(result(r, row));
    }
    return results;
  }

  // What lies outside the matrix is zero again after the prologue: padding is +0, not f(+0).
  Value result(int row, ArrayRef<Value> inputs) {
    if (!plan_.op.hasPrologue()) return inputs.front();
    SmallVector<Value> valid;
    for (int i = 0; i < kLaneColumns; ++i)
      valid.push_back(isValid(row, i));
    SmallVector<Value> arguments(inputs);
    if (rowValue_)
      arguments.push_back(nvvm::bitcast(v_, v_.b.getF32Type(), nvvm::shuffleFrom(v_, rowValue_, row)));
    return applyScalarRegion(v_, plan_.op.getPrologue().front(), arguments, valid, scalars_).front();
  }

  EntryFunction &entry_;
  ColumnPlan &plan_;
  const ColumnPosition &at_;
  Value shared_;
  ValueBuilder v_;
  IRMapping scalars_;
  GatheredRow mine_;           // gathered: of the lane's row of the warp's
  SmallVector<Value> sources_, // of each of a block's rows, where no box holds them
      sourceValid_;            // i1: there is one
  Value rowValue_;             // i32, the f32 of rows(..) for the lane's row of the warp's
  SmallVector<Value> rowsOf_;  // i32: how many of a block's rows lie in the matrix, a column
};

} // namespace

void loadColumnBlocks(EntryFunction &entry, ColumnPlan &plan, const ColumnPosition &at, Value shared,
                      function_ref<void(ArrayRef<Value> rows)> body) {
  ColumnLoads(entry, plan, at, shared).load(body);
}

} // namespace mxc
