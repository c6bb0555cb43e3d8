// tcgen05.ld, st and wait (PTX ISA 9.7.16.8). A load has its result at once, as a true dependency on its
// registers promises; what its wait::ld orders is a later write of the same cells. A store happens at the
// latest when wait::st asks for it.
#include "runtime/simulator/instructions/TensorFeatures.h"
#include "runtime/simulator/instructions/TensorFragments.h"
#include "runtime/simulator/machine/Lanes.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace mxc::sim {

namespace {

enum class Reduction : uint8_t { None, F32, U32, S32 };

struct Move : InstructionData {
  TensorFragment fragment;
  std::vector<uint32_t> registers; // rows
  uint32_t result = kNone;         // row of ld.red
  Reduction reduction = Reduction::None;
  bool isMaximum = false, isAbsolute = false, propagatesNaN = false;
};

/// Lane and column of the first cell. A warp reaches its quarter of the lanes alone; hardware takes the
/// quarter from the warp (DeepGEMM gives all warps lane 0).
TensorRegion placeOf(Warp &warp, const Instruction &i, const TensorFragment &fragment) {
  int first = __builtin_ctz(warp.mask);
  uint32_t address = uint32_t(addressOf(warp, i.address, first)), lane = tensorLane(address),
           quarter = warp.index % 4;
  if (isStrict(warp))
    forEachLane(warp, [&](int each) {
      if (uint32_t(addressOf(warp, i.address, each)) != address)
        report(*gridOf(warp).options, Finding::TensorLanes, FaultKind::TensorMemory,
               "the tensor-memory address differs between the lanes of the warp", each);
    });
  bool isOwn = lane / 32 == quarter || (lane / 32 == 0 && !isStrict(warp));
  if (isChecked(warp) && !isOwn)
    report(*gridOf(warp).options, Finding::TensorLanes, FaultKind::TensorMemory,
           "warp " + std::to_string(warp.index) + " may access lanes " + std::to_string(32 * quarter) +
               " to " + std::to_string(32 * quarter + 31) + " of tensor memory, the address says lane " +
               std::to_string(lane));
  if (lane % fragment.lanes)
    throw FaultError(FaultKind::TensorMemory, "the lane of the address must be a multiple of " +
                                                  std::to_string(fragment.lanes) + ", found " +
                                                  std::to_string(lane));
  return {quarter * 32 + lane % 32, fragment.lanes, tensorColumn(address), 0};
}

std::vector<TensorUse> usesOf(const Warp &warp, const TensorFragment &fragment, const TensorRegion &place,
                              bool writes) {
  std::vector<TensorUse> uses;
  for (const TensorRegion &region : fragment.regions)
    uses.push_back({warp.cta->rank,
                    {place.lane, region.lanes, place.column + region.column, region.columns},
                    writes,
                    writes ? "the cells of tcgen05.st" : "the cells of tcgen05.ld"});
  return uses;
}

void checkCellsWritten(TensorMemory &tensor, const TensorUse &use) {
  const TensorRegion &region = use.region;
  for (uint32_t lane = region.lane; lane < region.lane + region.lanes; ++lane)
    if (const void *hole = std::memchr(tensor.writtenRow(lane, region.column), 0, region.columns))
      throw FaultError(FaultKind::Unwritten, Finding::Unwritten,
                       "tcgen05.ld of lane " + std::to_string(lane) + ", column " +
                           std::to_string(static_cast<const uint8_t *>(hole) - tensor.writtenRow(lane, 0)) +
                           " of tensor memory, which nothing has written");
}

/// PTX ISA 9.7.16.8.1, .ld.red: over the registers of a lane. Without .NaN a NaN loses to a number, as in min
/// and max.
uint32_t reduce(const Move &move, const uint32_t *values, size_t stride) {
  uint32_t result = values[0];
  if (move.isAbsolute) result &= 0x7FFFFFFF;
  for (size_t k = 1; k < move.registers.size(); ++k) {
    uint32_t value = values[k * stride];
    if (move.reduction == Reduction::U32)
      result = move.isMaximum ? std::max(result, value) : std::min(result, value);
    else if (move.reduction == Reduction::S32)
      result = uint32_t(move.isMaximum ? std::max(int32_t(result), int32_t(value))
                                       : std::min(int32_t(result), int32_t(value)));
    else {
      if (move.isAbsolute) value &= 0x7FFFFFFF;
      float a = __builtin_bit_cast(float, result), b = __builtin_bit_cast(float, value);
      if (std::isnan(a) || std::isnan(b)) {
        bool isNaN = move.propagatesNaN || (std::isnan(a) && std::isnan(b));
        result = isNaN ? 0x7FFFFFFF : std::isnan(a) ? value : result;
      } else {
        // -0 is below +0: by sign where the numbers are equal.
        bool isLess = a < b || (a == b && std::signbit(a) && !std::signbit(b));
        if (isLess == move.isMaximum) result = value;
      }
    }
  }
  return result;
}

Outcome loadHandler(Warp &warp, const Instruction &i) {
  if (!isWholeTensorWarp(warp)) return Outcome::Blocked;
  const Move &move = static_cast<const Move &>(*i.data);
  const TensorFragment &fragment = move.fragment;
  TensorRegion place = placeOf(warp, i, fragment);
  noteMove(warp, i);
  std::vector<TensorUse> uses = usesOf(warp, fragment, place, false);
  requireTensorUses(warp, uses, 0, TensorOrder::OthersDone, -1);
  TensorMemory &tensor = warp.cta->tensor;
  for (const TensorUse &use : uses) {
    if (!isStrict(warp)) continue;
    if (!gridOf(warp).options->leavesOut(Finding::Unwritten)) checkCellsWritten(tensor, use);
    const TensorMemory::Load load{warp.index, use.region};
    auto earlier = std::ranges::find_if(tensor.loads, [&](const TensorMemory::Load &other) {
      return other.warp == load.warp && other.region == load.region;
    });
    earlier == tensor.loads.end() ? tensor.loads.push_back(load) : void(*earlier = load);
  }
  const uint32_t *cells = tensor.row(place.lane, place.column);
  thread_local std::vector<uint32_t> values;
  values.resize(fragment.offsets.size());
  for (size_t k = 0; k < values.size(); ++k)
    values[k] = cells[fragment.offsets[k]];
  if (fragment.isPacked)
    for (size_t k = 0; k < values.size(); ++k)
      values[k] = (values[k] & 0xFFFF) | cells[fragment.offsets[k] + 1] << 16;
  for (size_t k = 0; k < move.registers.size(); ++k)
    forLanes<uint32_t>(warp, move.registers[k], [&](int lane) { return values[k * kLanes + size_t(lane)]; });
  if (move.reduction != Reduction::None)
    forLanes<uint32_t>(warp, move.result,
                       [&](int lane) { return reduce(move, &values[size_t(lane)], kLanes); });
  return Outcome::Next;
}

struct StoreOperation : TensorOperation {
  Cta *cta;
  const TensorFragment *fragment;
  TensorRegion place;
  uint32_t mask;
  std::vector<uint32_t> values; // [register * 32 + lane]

  void compute(Cluster &) override {
    TensorMemory &tensor = cta->tensor;
    for (size_t k = 0; k < values.size(); ++k)
      if (mask >> k % kLanes & 1) {
        uint32_t *cell = tensor.row(place.lane, place.column) + fragment->offsets[k];
        cell[0] = fragment->isPacked ? values[k] & 0xFFFF : values[k];
        if (fragment->isPacked) cell[1] = values[k] >> 16;
      }
    for (const TensorUse &use : uses)
      for (uint32_t lane = use.region.lane; lane < use.region.lane + use.region.lanes; ++lane)
        std::fill_n(tensor.writtenRow(lane, use.region.column), use.region.columns, 1);
  }
};

Outcome storeHandler(Warp &warp, const Instruction &i) {
  if (!isWholeTensorWarp(warp)) return Outcome::Blocked;
  const Move &move = static_cast<const Move &>(*i.data);
  noteMove(warp, i);
  auto operation = std::make_unique<StoreOperation>();
  operation->cta = warp.cta;
  operation->fragment = &move.fragment;
  operation->place = placeOf(warp, i, move.fragment);
  operation->mask = warp.mask;
  operation->uses = usesOf(warp, move.fragment, operation->place, true);
  // Stores of one warp happen in their order.
  operation->chain = tensorChain(*warp.cta) | uint64_t(warp.index + 1) << 16;
  requireTensorUses(warp, operation->uses, operation->chain, TensorOrder::OthersDone, -1);
  for (uint32_t row : move.registers)
    operation->values.insert(operation->values.end(), lanes<uint32_t>(warp, row),
                             lanes<uint32_t>(warp, row) + kLanes);
  operation->pendingOfGroup = joinGroup(warp.asyncGroups.tensorStores, 0);
  issueTensorOperation(warp, i, std::move(operation));
  return Outcome::Next;
}

Outcome waitLoadHandler(Warp &warp, const Instruction &) {
  if (!isWholeTensorWarp(warp)) return Outcome::Blocked;
  for (TensorMemory::Load &load : warp.cta->tensor.loads)
    load.isWaitedFor |= load.warp == warp.index;
  return Outcome::Next;
}

Outcome waitStoreHandler(Warp &warp, const Instruction &) {
  if (!isWholeTensorWarp(warp)) return Outcome::Blocked;
  if (warp.split().token == 0) {
    commitGroup(clusterOf(warp), warp.asyncGroups.tensorStores, 0);
    warp.split().token = 1;
  }
  if (groupsDone(warp.asyncGroups.tensorStores, 0, 0)) return Outcome::Next;
  warp.wait = {Wait::Kind::Groups, "tcgen05.st of this warp", 0, 0, &warp.asyncGroups.tensorStores};
  return Outcome::Blocked;
}

uint32_t takeRepeats(Decoder &d) {
  std::string_view word = d.takeOneOf({"x1", "x2", "x4", "x8", "x16", "x32", "x64", "x128"});
  if (word.empty()) d.fail("expected .x1 to .x128");
  return uint32_t(std::stoul(std::string(word.substr(1))));
}

/// The shape, and the registers, which are operand `vector`; 16x32bx2 has its second half's columns as
/// operand `half`.
std::unique_ptr<Move> takeShape(Decoder &d, std::string_view packing, size_t half) {
  takeSyncAligned(d);
  auto move = std::make_unique<Move>();
  std::string_view shape = d.takeOneOf({"32x32b", "16x64b", "16x128b", "16x256b", "16x32bx2"});
  uint32_t repeats = takeRepeats(d), halfOffset = 0;
  if (shape == "16x32bx2") {
    int64_t columns = d.integer(half);
    if (columns < 0 || columns >= int64_t(TensorMemory::kColumns))
      d.fail("the second half lies at 0 to 511 columns");
    halfOffset = uint32_t(columns);
  }
  move->fragment = tensorFragment(shape, repeats, halfOffset, d.take(packing));
  if (!move->fragment.registers) d.fail("there is no such shape");
  return move;
}

void checkRegisters(Decoder &d, const Move &move, size_t count) {
  if (count != move.fragment.registers)
    d.fail("expected " + std::to_string(move.fragment.registers) + " registers, found " +
           std::to_string(count));
}

void takeReduction(Decoder &d, Move &move) {
  std::string_view type = d.takeOneOf({"f32", "u32", "s32"});
  std::string_view operation = d.takeOneOf({"min", "max"});
  if (type.empty() || operation.empty()) d.fail("expected .min or .max of f32, u32 or s32");
  move.reduction = type == "f32" ? Reduction::F32 : type == "u32" ? Reduction::U32 : Reduction::S32;
  move.isMaximum = operation == "max";
  if (move.reduction == Reduction::F32) move.isAbsolute = d.take("abs"), move.propagatesNaN = d.take("NaN");
  if (move.fragment.lanes != 32 && move.fragment.regions.size() == 1)
    d.fail(".red takes 32x32b and 16x32bx2");
  if (move.fragment.registers < 2 || move.fragment.isPacked) d.fail(".red takes .x2 and more, unpacked");
  move.result = d.write(1, kTypeB32);
}

} // namespace

void decodeTcgen05Load(Decoder &d, Instruction &out) {
  d.take("ld");
  bool isReduced = d.take("red");
  size_t address = isReduced ? 2 : 1;
  std::unique_ptr<Move> move = takeShape(d, "pack::16b", address + 1);
  const ptx::Operand &destination = d.operand(0);
  if (destination.kind == ptx::Operand::Kind::Vector)
    for (const ptx::Operand &part : destination.parts)
      move->registers.push_back(d.write(part, kTypeB32).offset);
  else
    move->registers.push_back(d.write(0, kTypeB32));
  checkRegisters(d, *move, move->registers.size());
  if (isReduced) takeReduction(d, *move);
  d.ignore({"b32"});
  out.address = d.address(address);
  out.data = std::move(move);
  out.handler = loadHandler;
  d.finish();
}

void decodeTcgen05Store(Decoder &d, Instruction &out) {
  d.take("st");
  std::unique_ptr<Move> move = takeShape(d, "unpack::16b", 1);
  d.ignore({"b32"});
  const ptx::Operand &source = d.operand(d.operandCount() - 1);
  if (source.kind == ptx::Operand::Kind::Vector)
    for (const ptx::Operand &part : source.parts)
      move->registers.push_back(d.read(part, kTypeB32).offset);
  else
    move->registers.push_back(d.read(source, kTypeB32).offset);
  checkRegisters(d, *move, move->registers.size());
  out.address = d.address(0);
  out.data = std::move(move);
  out.handler = storeHandler;
  d.finish();
}

void decodeTcgen05Wait(Decoder &d, Instruction &out) {
  out.handler = d.take("wait::ld") ? waitLoadHandler : waitStoreHandler;
  d.ignore({"wait::st"});
  takeSyncAligned(d);
  d.finish();
}

} // namespace mxc::sim
