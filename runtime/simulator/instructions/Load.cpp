// ld and ldu (PTX ISA 9.7.9.8 to 9.7.9.10): every width, vectors, destinations wider than the type.
#include "runtime/simulator/decode/Table.h"
#include "runtime/simulator/instructions/AccessWords.h"
#include "runtime/simulator/machine/Lanes.h"
#include "runtime/simulator/memory/GlobalOrder.h"
#include "runtime/simulator/memory/LaneAccess.h"
#include "runtime/simulator/memory/UnwrittenValues.h"
#include "runtime/simulator/memory/WarpLoad.h"

#include <algorithm>
#include <cstring>

namespace mxc::sim {

namespace {

/// Writes one element of every executing lane to a row: from host[lane] + offset.
using Unpack = void (*)(Warp &, uint32_t row, std::byte *const *host, uint32_t offset);

/// `From` is in memory, `To` the register: sign- or zero-extended by the signedness of `From`.
template <class From, class To>
void unpack(Warp &warp, uint32_t row, std::byte *const *host, uint32_t offset) {
  forLanes<To>(warp, row, [=](int lane) {
    From value;
    std::memcpy(&value, host[lane] + offset, sizeof value);
    return To(value);
  });
}

template <class From> Unpack unpackTo(uint32_t registerBytes) {
  switch (registerBytes) {
  case 1:
    return unpack<From, uint8_t>;
  case 2:
    return unpack<From, uint16_t>;
  case 4:
    return unpack<From, uint32_t>;
  case 8:
    return unpack<From, uint64_t>;
  default:
    return nullptr;
  }
}

Unpack unpackOf(ptx::Type type, uint32_t registerBytes) {
  if (registerBytes < type.bytes()) return nullptr;
  bool isSigned = type.kind == ptx::Type::Kind::Signed;
  switch (type.bits) {
  case 8:
    return isSigned ? unpackTo<int8_t>(registerBytes) : unpackTo<uint8_t>(registerBytes);
  case 16:
    return isSigned ? unpackTo<int16_t>(registerBytes) : unpackTo<uint16_t>(registerBytes);
  case 32:
    return isSigned ? unpackTo<int32_t>(registerBytes) : unpackTo<uint32_t>(registerBytes);
  case 64:
    return unpackTo<uint64_t>(registerBytes);
  case 128:
    return registerBytes == 16 ? unpack<Bits128, Bits128> : nullptr;
  default:
    return nullptr;
  }
}

/// All elements of a run of lanes, whose registers are as wide as the type: from vectors in memory to rows.
using Split = void (*)(Warp &, const uint32_t *rows, const std::byte *from);

template <class T, uint32_t Count> void split(Warp &warp, const uint32_t *rows, const std::byte *from) {
  const T *vectors = reinterpret_cast<const T *>(from);
  for (uint32_t k = 0; k < Count; ++k) {
    T *__restrict row = lanes<T>(warp, rows[k]);
    for (int lane = 0; lane < kLanes; ++lane)
      row[lane] = vectors[uint32_t(lane) * Count + k];
  }
}

template <class T> Split splitOf(uint32_t count) {
  return count == 1 ? split<T, 1> : count == 2 ? split<T, 2> : count == 4 ? split<T, 4> : split<T, 8>;
}

Split splitOf(ptx::Type type, uint32_t count) {
  switch (type.bits) {
  case 8:
    return splitOf<uint8_t>(count);
  case 16:
    return splitOf<uint16_t>(count);
  case 32:
    return splitOf<uint32_t>(count);
  case 64:
    return splitOf<uint64_t>(count);
  default:
    return nullptr;
  }
}

struct Load : InstructionData {
  std::vector<Unpack> unpack; // of each element
  std::vector<uint32_t> rows;
  Split split = nullptr; // null: a destination is wider than the type
  uint32_t elementBytes, bytes;
  ptx::Space space;
};

/// The elements that nobody wrote.
void holdLoaded(Warp &warp, const Instruction &i, const LanePlaces &places) {
  const Load &load = static_cast<const Load &>(*i.data);
  const uint64_t address = places.addresses[__builtin_ctz(places.unwritten)];
  const ptx::Space space = load.space == ptx::Space::Generic ? spaceOf(address) : load.space;
  const auto place = space == ptx::Space::Local    ? UnwrittenPlace::Local
                     : space == ptx::Space::Shared ? UnwrittenPlace::Shared
                                                   : UnwrittenPlace::Global;
  for (uint32_t k = 0; k < load.rows.size(); ++k)
    if (uint32_t lanes = lanesWithNothing(warp, load.space, places.addresses, places.unwritten,
                                          k * load.elementBytes, load.elementBytes))
      holdUnwritten(warp, load.rows[k], lanes, {&i, address, place});
}

template <bool IsStrong, bool IsAcquire> Outcome loadLanes(Warp &warp, const Instruction &i) {
  if (IsStrong) ++clusterOf(warp).polls;
  const Load &load = static_cast<const Load &>(*i.data);
  LanePlaces places;
  placeLanes(warp, i.address, warp.mask, load.space, load.bytes, AccessKind::Load, places);
  if (load.split && places.isRun)
    load.split(warp, load.rows.data(), places.host[0]);
  else
    for (uint32_t k = 0; k < load.rows.size(); ++k)
      load.unpack[k](warp, load.rows[k], places.host, k * load.elementBytes);
  if (places.unwritten) [[unlikely]]
    holdLoaded(warp, i, places);
  if (gridOf(warp).globalOrder) [[unlikely]]
    if (UnorderedLoads loads = takeUnorderedLoads(warp); loads.lanes)
      for (uint32_t row : load.rows)
        holdUnwritten(warp, row, loads.lanes, {&i, 0, UnwrittenPlace::Global, loads.text});
  if (IsAcquire) std::atomic_thread_fence(std::memory_order_acquire);
  return Outcome::Next;
}

/// The way for whole warps, where it is open.
template <WarpLoad load, bool IsStrong> Outcome loadWarp(Warp &warp, const Instruction &i) {
  if (mayLoadWarp(warp) && load(warp, i.address, i.rows)) {
    if (IsStrong) ++clusterOf(warp).polls;
    return Outcome::Next;
  }
  return loadLanes<IsStrong, false>(warp, i);
}

void chooseWarpLoad(const Load &load, Instruction &out) {
  if (!load.split || load.rows.size() > std::size(out.rows)) return;
  std::ranges::copy(load.rows, out.rows);
  const bool isStrong = out.handler == loadLanes<true, false>;
  withWarpLoad(load.space, load.elementBytes, uint32_t(load.rows.size()),
               [&]<WarpLoad way>() { out.handler = isStrong ? loadWarp<way, true> : loadWarp<way, false>; });
}

void decodeLoad(Decoder &d, Instruction &out) {
  AccessWords words = takeAccessWords(d);
  if (d.source().opcode == "ld") d.ignore({"unified"});
  uint32_t count = takeVectorLength(d);
  ptx::Type type = d.takeType();
  d.finish();
  requireOperands(d, words, 2);
  auto load = std::make_unique<Load>();
  load->elementBytes = type.bytes();
  load->bytes = type.bytes() * count;
  load->space = words.space;
  if (load->bytes > 32) d.fail("more than 32 bytes a lane");
  load->split = splitOf(type, count);
  for (const ptx::Operand *element : elementsOf(d, d.operand(0), count)) {
    Row row = d.write(*element, type, true);
    Unpack unpack = unpackOf(type, row.bytes);
    if (!unpack) d.fail("a destination of " + std::to_string(8 * row.bytes) + " bits does not fit the type");
    load->unpack.push_back(unpack);
    load->rows.push_back(row.offset);
    if (row.bytes != type.bytes()) load->split = nullptr;
  }
  out.address = d.address(1);
  if (words.hasCacheHint) d.read(2, kTypeB64);
  out.handler = words.isAcquire  ? loadLanes<true, true>
                : words.isStrong ? loadLanes<true, false>
                                 : loadLanes<false, false>;
  if (!words.isAcquire) chooseWarpLoad(*load, out);
  out.data = std::move(load);
}

const std::vector<Requirement> kWide = {{"sm_100", "v8"}, {"sm_100", "v4.*64"}, {"sm_100", "v2.b128"}};

} // namespace

extern const Table kLoadInstructions = {
    {"ld", decodeLoad, Counted::Memory, Unwritten::Move, orderOfAccess(), kWide},
    {"ldu", decodeLoad, Counted::Memory, Unwritten::Move, orderOfAccess(), kWide}};

} // namespace mxc::sim
