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

/// Of the `changed` lanes of a row those of `unwritten` hold one now, the others do not.
void setLanes(Warp &warp, uint32_t row, uint32_t changed, uint32_t unwritten, UnwrittenSource source) {
  UnwrittenValues &values = valuesOf(warp);
  uint32_t &lanes = values.lanes[row / 64];
  bool hadSome = lanes != 0;
  lanes = (lanes & ~changed) | (unwritten & changed);
  values.rows += (lanes != 0) - hadSome;
  if (unwritten & changed) values.sources[row / 64] = source;
  warp.holdsUnwritten = values.rows != 0;
}

/// How an instruction treats unwritten operands.
enum class Role : uint8_t {
  Lanewise, // a lane's result is unwritten if one of its operands is
  Select,   // .. if what the predicate chose is, or the predicate
  Decide,   // .. unless a written operand decides alone: false and x, true or x
  Shuffle,  // .. if the lane that it reads is
  Warp,     // .. if that of any lane is
  Move,     // ld, st, ldmatrix, stmatrix: no addresses; they look after their data
  Use,      // none may be
};

Role roleOf(const Instruction &i) {
  static constexpr std::pair<std::string_view, Role> kRoles[] = {
      {"selp", Role::Select},    {"setp", Role::Decide},   {"shfl", Role::Shuffle},
      {"vote", Role::Warp},      {"match", Role::Warp},    {"redux", Role::Warp},
      {"movmatrix", Role::Warp}, {"ld", Role::Move},       {"ldu", Role::Move},
      {"ldmatrix", Role::Move},  {"stmatrix", Role::Move}, {"st", Role::Move},
      {"bra", Role::Use},        {"brx", Role::Use},       {"call", Role::Use},
      {"mma", Role::Use},        {"wmma", Role::Use},      {"wgmma", Role::Use},
      {"tcgen05", Role::Use},    {"atom", Role::Use},      {"red", Role::Use},
      {"multimem", Role::Use},   {"cp", Role::Use},        {"mbarrier", Role::Use},
      {"tensormap", Role::Use},  {"bar", Role::Use},       {"barrier", Role::Use},
      {"elect", Role::Use},      {"alloca", Role::Use},    {"stackrestore", Role::Use},
      {"prefetch", Role::Use},   {"prefetchu", Role::Use}, {"clusterlaunchcontrol", Role::Use}};
  const ptx::Instruction &source = *i.source;
  if ((source.opcode == "and" || source.opcode == "or") && source.has("pred")) return Role::Decide;
  if (source.opcode == "wmma" && !source.has("mma")) return Role::Move;
  if (source.opcode == "st" && (source.has("async") || source.has("bulk"))) return Role::Use;
  auto found = std::ranges::find(kRoles, source.opcode, [](const auto &role) { return role.first; });
  return found == std::end(kRoles) ? Role::Lanewise : found->second;
}

/// The row of a source operand that is a register, by its place in Instruction::reads: kNone if it is none.
uint32_t rowOfOperand(const Instruction &i, size_t index) {
  size_t next = 0;
  for (size_t k = 1; k <= index && k < i.source->operands.size(); ++k) {
    const ptx::Operand &operand = i.source->operands[k];
    const ptx::Operand &plain = operand.parts.size() == 1 ? operand.parts[0] : operand;
    if (plain.kind != ptx::Operand::Kind::Register) continue;
    if (next >= i.reads.size()) return kNone;
    if (k == index) return i.reads[next].offset;
    ++next;
  }
  return kNone;
}

uint32_t lanesOf(const Warp &warp, uint32_t row) { return row == kNone ? 0 : unwrittenLanes(warp, row); }

/// The lanes in which a written operand, a predicate, has the value.
uint32_t decidingLanes(Warp &warp, const Instruction &i, size_t operand, bool value) {
  uint32_t row = rowOfOperand(i, operand);
  if (row == kNone) return 0;
  uint32_t bits = predicate(warp, row);
  if (i.source->operands[operand].isNegated) bits = ~bits;
  return (value ? bits : ~bits) & ~lanesOf(warp, row);
}

uint32_t lanesAfterDecision(Warp &warp, const Instruction &i, uint32_t any) {
  const bool isAnd = i.source->opcode == "and" || i.source->has("and");
  if (i.source->opcode != "setp") // and.pred, or.pred
    return any & ~decidingLanes(warp, i, 1, !isAnd) & ~decidingLanes(warp, i, 2, !isAnd);
  return isAnd || i.source->has("or") ? any & ~decidingLanes(warp, i, 3, !isAnd) : any;
}

uint32_t lanesOfSelection(Warp &warp, const Instruction &i) {
  uint32_t p = rowOfOperand(i, 3), chosen = p == kNone ? ~0u : predicate(warp, p);
  if (i.source->operands[3].isNegated) chosen = ~chosen;
  return (lanesOf(warp, rowOfOperand(i, 1)) & chosen) | (lanesOf(warp, rowOfOperand(i, 2)) & ~chosen) |
         lanesOf(warp, p);
}

/// A shuffle of the marks themselves tells where they go. Behind the instruction's own execution, of whose
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
  uint32_t lanes = 0; // in which some operand is unwritten
  uint32_t row = 0;   // one such operand
};
Operands operandsOf(const Warp &warp, const Instruction &i) {
  Operands operands;
  for (Row row : i.reads)
    if (uint32_t lanes = unwrittenLanes(warp, row.offset)) operands.lanes |= lanes, operands.row = row.offset;
  return operands;
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
  throw FaultError(
      FaultKind::Unwritten,
      "bytes at shared " + hexadecimal(uint32_t(source.address)) + ": they were never written; PTX line " +
          std::to_string(source.load->source->place.line) + " (" + source.load->source->spelling() +
          ") loaded them, and what came of them reaches " + where,
      __builtin_ctz(lanes));
}

void requireGuard(const Warp &warp, uint32_t row, uint32_t lanes) {
  requireNone(warp, row, warp.unwritten->lanes[row / 64] & lanes,
              "a predicate that decides what is executed");
}

Outcome executeWithUnwritten(Warp &warp, const Instruction &i) {
  const Operands operands = operandsOf(warp, i);
  const Role role = roleOf(i);
  if (role == Role::Use) requireNone(warp, operands.row, operands.lanes, "an operand of " + i.source->opcode);
  if (role == Role::Move) {
    uint32_t base = i.address.base.offset;
    requireNone(warp, base, unwrittenLanes(warp, base), "an address");
    setResults(warp, i, warp.mask, 0, 0);
    return i.handler(warp, i);
  }
  uint32_t unwritten = operands.lanes;
  if (role == Role::Select) unwritten = lanesOfSelection(warp, i);
  if (role == Role::Decide) unwritten = lanesAfterDecision(warp, i, unwritten);
  const uint32_t source = role == Role::Shuffle ? rowOfOperand(i, 1) : kNone;
  uint32_t before[kLanes] = {}, marks = 0;
  if (source != kNone) {
    std::copy_n(lanes<uint32_t>(warp, source), kLanes, before);
    marks = warp.unwritten->lanes[source / 64]; // of lanes that do not execute too
  }
  Outcome outcome = i.handler(warp, i);
  if (outcome == Outcome::Blocked || i.writes.empty()) return outcome;
  if (role == Role::Shuffle) {
    uint32_t others = 0; // from which lane to read
    for (Row row : i.reads)
      if (row.offset != source) others |= unwrittenLanes(warp, row.offset);
    if (marks) unwritten = others | shuffledLanes(warp, i, source, marks, before);
    setResults(warp, i, warp.mask, unwritten, marks ? source : operands.row);
    return outcome;
  }
  if (role == Role::Warp) // of lanes that have joined too
    unwritten = operandsOf(warp, i).lanes ? ~0u : 0;
  setResults(warp, i, warp.mask, unwritten, operands.row);
  return outcome;
}

void storeUnwritten(Warp &warp, uint32_t row, ptx::Space space, const uint64_t *addresses, uint32_t offset,
                    uint32_t bytes) {
  for (uint32_t left = unwrittenLanes(warp, row); left; left &= left - 1) {
    int lane = __builtin_ctz(left);
    ptx::Space actual = space == ptx::Space::Generic ? spaceOf(addresses[lane]) : space;
    if (actual == ptx::Space::Global) requireNone(warp, row, left & -left, "memory outside");
    if (actual != ptx::Space::Shared) continue; // local memory is not watched
    if (uint8_t *states = sharedState(clusterOf(warp), sharedAddress(addresses[lane]) + offset))
      for (uint32_t i = 0; i < bytes; ++i)
        states[i] &= uint8_t(~kWritten);
  }
}

} // namespace mxc::sim
