#include "runtime/simulator/memory/UnwrittenValues.h"

#include "runtime/simulator/machine/Lanes.h"
#include "runtime/simulator/memory/Access.h"

#include <algorithm>

namespace mxc::sim {

namespace {

UnwrittenValues &valuesOf(Warp &warp) {
  if (!warp.unwritten) {
    warp.unwritten = std::make_unique<UnwrittenValues>();
    size_t rows = gridOf(warp).program->registerImage.size() / 64;
    warp.unwritten->lanes.resize(rows), warp.unwritten->sources.resize(rows);
  }
  return *warp.unwritten;
}

/// The lanes of `unwritten` among the `changed` lanes of a row hold one now, the others do not.
void setLanes(Warp &warp, uint32_t row, uint32_t changed, uint32_t unwritten, UnwrittenSource source) {
  UnwrittenValues &values = valuesOf(warp);
  uint32_t &lanes = values.lanes[row / 64];
  bool hadSome = lanes != 0;
  lanes = (lanes & ~changed) | (unwritten & changed);
  values.rows += (lanes != 0) - hadSome;
  if (unwritten & changed) values.sources[row / 64] = source;
  warp.holdsUnwritten = values.rows != 0;
}

/// The row of a source operand that is a register, by its place in Instruction::reads: at kNone if it is
/// none.
Row rowOfOperand(const Instruction &i, size_t index) {
  constexpr Row kNoRow{kNone};
  size_t next = 0;
  for (size_t k = 1; k <= index && k < i.source->operands.size(); ++k) {
    const ptx::Operand &operand = i.source->operands[k];
    const ptx::Operand &plain = operand.parts.size() == 1 ? operand.parts[0] : operand;
    if (plain.kind != ptx::Operand::Kind::Register) continue;
    if (next >= i.reads.size()) return kNoRow;
    if (k == index) return i.reads[next];
    ++next;
  }
  return kNoRow;
}

uint32_t lanesOf(const Warp &warp, uint32_t row) { return row == kNone ? 0 : unwrittenLanes(warp, row); }

/// The lanes in which a written operand, a predicate, has the value.
uint32_t decidingLanes(Warp &warp, const Instruction &i, size_t operand, bool value) {
  const Row row = rowOfOperand(i, operand);
  if (row.offset == kNone || row.bytes != 0) return 0;
  uint32_t bits = predicate(warp, row.offset);
  if (i.source->operands[operand].isNegated) bits = ~bits;
  return (value ? bits : ~bits) & ~lanesOf(warp, row.offset);
}

/// Those of the lanes with `any` unwritten operand in which no written predicate has the value that decides.
uint32_t lanesAfterDecision(Warp &warp, const Instruction &i, uint32_t any, bool deciding) {
  for (size_t k = 1; k < i.source->operands.size(); ++k)
    any &= ~decidingLanes(warp, i, k, deciding);
  return any;
}

uint32_t lanesOfSelection(Warp &warp, const Instruction &i) {
  uint32_t p = rowOfOperand(i, 3).offset, chosen = p == kNone ? ~0u : predicate(warp, p);
  if (i.source->operands[3].isNegated) chosen = ~chosen;
  return (lanesOf(warp, rowOfOperand(i, 1).offset) & chosen) |
         (lanesOf(warp, rowOfOperand(i, 2).offset) & ~chosen) | lanesOf(warp, p);
}

/// A shuffle of the marks themselves tells where they go. After the instruction's own execution, of whose
/// source `before` was the value.
uint32_t shuffledLanes(Warp &warp, const Instruction &i, uint32_t source, uint32_t marks,
                       const uint32_t *before) {
  if (i.writes[0].bytes != 4) return 0; // _|p: only where it came from is asked for
  std::vector<std::vector<std::byte>> results;
  auto bytesOf = [](Row row) { return row.bytes ? row.bytes * kLanes : 4; };
  for (Row row : i.writes)
    results.emplace_back(warp.registers + row.offset, warp.registers + row.offset + bytesOf(row));
  uint32_t *values = lanes<uint32_t>(warp, source);
  for (int lane = 0; lane < kLanes; ++lane)
    values[lane] = marks >> lane & 1;
  i.handler(warp, i);
  const uint32_t *moved = lanes<uint32_t>(warp, i.writes[0].offset);
  uint32_t result = laneMask([&](int lane) { return moved[lane] != 0; });
  std::copy_n(before, kLanes, values);
  for (size_t k = 0; k < results.size(); ++k)
    std::ranges::copy(results[k], warp.registers + i.writes[k].offset);
  return result;
}

struct Operands {
  uint32_t lanes = 0;      // in which some operand is unwritten
  uint32_t allLanes = ~0u; // in which all are
  uint32_t row = 0;        // one such operand
};
Operands operandsOf(const Warp &warp, const Instruction &i) {
  Operands operands;
  for (Row row : i.reads) {
    if (row.offset == i.guard) continue; // it has been looked at
    const uint32_t lanes = unwrittenLanes(warp, row.offset);
    if (lanes) operands.lanes |= lanes, operands.row = row.offset;
    operands.allLanes &= lanes;
  }
  return operands;
}

/// Padding, packed beside what somebody wrote; a bit-field in local memory, which is first written by `and`
/// and `or` with what lay there: the result counts as written.
uint32_t lanesOfPack(const Warp &warp, const Instruction &i, const Operands &operands) {
  if (!operands.lanes) return 0;
  const UnwrittenSource &from = warp.unwritten->sources[operands.row / 64];
  if (!from.mayPad()) return operands.lanes;
  if (i.unwritten != Unwritten::Mask) return operands.allLanes;
  if (from.place != UnwrittenPlace::Local) return operands.lanes;
  const size_t registers = i.reads.size() - (i.guard != kNone);
  return registers > 1 ? operands.allLanes : 0; // the other one is a constant
}

void setResults(Warp &warp, const Instruction &i, uint32_t mask, uint32_t unwritten, uint32_t from) {
  UnwrittenSource source = unwritten ? warp.unwritten->sources[from / 64] : UnwrittenSource{};
  for (Row row : i.writes)
    setLanes(warp, row.offset, mask, unwritten, source);
}

} // namespace

void holdUnwritten(Warp &warp, uint32_t row, uint32_t lanes, UnwrittenSource source) {
  setLanes(warp, row, lanes, lanes, source);
}

uint32_t lanesWithNothing(Warp &warp, ptx::Space space, const uint64_t *addresses, uint32_t found,
                          uint32_t offset, uint32_t bytes) {
  uint32_t nothing = 0;
  for (uint32_t left = found; left; left &= left - 1) {
    const int lane = __builtin_ctz(left);
    const uint8_t *states = localState(warp, space, addresses[lane] + offset, lane);
    auto isWritten = [](uint8_t state) { return state & kWritten; };
    if (!states || std::none_of(states, states + bytes, isWritten)) nothing |= 1u << lane;
  }
  return nothing;
}

void holdUnwrittenReads(Warp &warp, const Instruction &i) {
  for (Row row : i.reads) {
    const uint32_t missing = warp.mask & ~warp.written[row.offset / 64];
    if (!missing) continue;
    if (row.offset == i.guard) requireWritten(warp, row, warp.mask);
    holdUnwritten(warp, row.offset, missing, {&i, 0, UnwrittenPlace::Register});
  }
}

void noteWritten(Warp &warp, Row row, uint32_t lanes) {
  if (isStrict(warp)) warp.written[row.offset / 64] |= lanes;
  if (warp.holdsUnwritten) setLanes(warp, row.offset, lanes, 0, {});
}

uint32_t unwrittenLanes(const Warp &warp, uint32_t row) {
  return warp.holdsUnwritten ? warp.unwritten->lanes[row / 64] & warp.mask : 0;
}

void requireNone(const Warp &warp, uint32_t row, uint32_t lanes, const std::string &where) {
  if (!lanes) return;
  const UnwrittenSource &source = warp.unwritten->sources[row / 64];
  if (source.race)
    return report(*gridOf(const_cast<Warp &>(warp)).options, Finding::GlobalOrder, FaultKind::Race,
                  *source.race + "; PTX line " + std::to_string(source.read->source->place.line) + " (" +
                      source.read->source->spelling() + ") loaded it, and what came of it reaches " + where,
                  __builtin_ctz(lanes));
  const ptx::Instruction &read = *source.read->source;
  const std::string line = "PTX line " + std::to_string(read.place.line) + " (" + read.spelling() + ")";
  const bool isGlobal = source.place == UnwrittenPlace::Global;
  const char *space = isGlobal ? "global " : source.place == UnwrittenPlace::Local ? "local " : "shared ";
  const std::string bytes = space + hexadecimal(isGlobal ? source.address : uint32_t(source.address));
  report(*gridOf(const_cast<Warp &>(warp)).options, Finding::Unwritten, FaultKind::Unwritten,
         source.place == UnwrittenPlace::Register
             ? "a register that nobody wrote; " + line + " read it, and what came of it reaches " + where
             : "bytes at " + bytes + ": they were never written; " + line +
                   " loaded them, and what came of them reaches " + where,
         __builtin_ctz(lanes));
}

void requireGuard(const Warp &warp, uint32_t row, uint32_t lanes) {
  requireNone(warp, row, warp.unwritten->lanes[row / 64] & lanes,
              "a predicate that decides what is executed");
}

Outcome executeWithUnwritten(Warp &warp, const Instruction &i) {
  const Operands operands = operandsOf(warp, i);
  const Unwritten role = i.unwritten;
  if (role == Unwritten::Use)
    requireNone(warp, operands.row, operands.lanes, "an operand of " + i.source->opcode);
  if (role == Unwritten::Move) {
    uint32_t base = i.address.base.offset;
    requireNone(warp, base, unwrittenLanes(warp, base), "an address");
    setResults(warp, i, warp.mask, 0, 0);
    return i.handler(warp, i);
  }
  uint32_t unwritten = operands.lanes;
  if (role == Unwritten::Select) unwritten = lanesOfSelection(warp, i);
  if (role == Unwritten::Pack || role == Unwritten::Mask) unwritten = lanesOfPack(warp, i, operands);
  if (role == Unwritten::And) unwritten = lanesAfterDecision(warp, i, unwritten, false);
  if (role == Unwritten::Or) unwritten = lanesAfterDecision(warp, i, unwritten, true);
  const uint32_t source = role == Unwritten::Shuffle ? rowOfOperand(i, 1).offset : kNone;
  uint32_t before[kLanes] = {}, marks = 0;
  if (source != kNone) {
    std::copy_n(lanes<uint32_t>(warp, source), kLanes, before);
    marks = warp.unwritten->lanes[source / 64]; // of lanes that do not execute too
  }
  Outcome outcome = i.handler(warp, i);
  if (outcome == Outcome::Blocked || i.writes.empty()) return outcome;
  if (role == Unwritten::Shuffle) {
    uint32_t others = 0; // from which lane to read
    for (Row row : i.reads)
      if (row.offset != source) others |= unwrittenLanes(warp, row.offset);
    if (marks) unwritten = others | shuffledLanes(warp, i, source, marks, before);
    setResults(warp, i, warp.mask, unwritten, marks ? source : operands.row);
    return outcome;
  }
  if (role == Unwritten::Warp) // of lanes that have joined too
    unwritten = operandsOf(warp, i).lanes ? ~0u : 0;
  setResults(warp, i, warp.mask, unwritten, operands.row);
  return outcome;
}

void storeUnwritten(Warp &warp, uint32_t row, ptx::Space space, const uint64_t *addresses, uint32_t offset,
                    uint32_t bytes, uint32_t beside) {
  for (uint32_t left = unwrittenLanes(warp, row); left; left &= left - 1) {
    int lane = __builtin_ctz(left);
    ptx::Space actual = space == ptx::Space::Generic ? spaceOf(addresses[lane]) : space;
    const bool isPadding = beside >> lane & 1 && warp.unwritten->sources[row / 64].mayPad();
    if (isPadding && actual != ptx::Space::Local) continue;
    if (actual == ptx::Space::Global) requireNone(warp, row, left & -left, "memory outside");
    uint8_t *states = actual == ptx::Space::Shared
                          ? sharedState(clusterOf(warp), sharedAddress(addresses[lane]) + offset)
                          : localState(warp, actual, addresses[lane] + offset, lane);
    for (uint32_t i = 0; states && i < bytes; ++i)
      states[i] &= uint8_t(~kWritten);
  }
}

} // namespace mxc::sim
