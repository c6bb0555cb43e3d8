// st (PTX ISA 9.7.9.11): every width, vectors, sources wider than the type. st.async and st.bulk are other
// files' matter.
#include "runtime/simulator/decode/Table.h"
#include "runtime/simulator/instructions/AccessWords.h"
#include "runtime/simulator/instructions/Copies.h"
#include "runtime/simulator/machine/Lanes.h"
#include "runtime/simulator/memory/LaneAccess.h"
#include "runtime/simulator/memory/UnwrittenValues.h"

#include <cstring>

namespace mxc::sim {

namespace {

/// Copies one element of every executing lane from a row to host[lane] + offset; of equal addresses the
/// highest lane's stays.
using Pack = void (*)(Warp &, uint32_t row, std::byte *const *host, uint32_t offset);

template <uint32_t Bytes, uint32_t RegisterBytes>
void pack(Warp &warp, uint32_t row, std::byte *const *host, uint32_t offset) {
  const std::byte *from = warp.registers + row; // little endian: the low bytes come first
  if (warp.mask == ~0u) {
    for (int lane = 0; lane < kLanes; ++lane)
      std::memcpy(host[lane] + offset, from + uint32_t(lane) * RegisterBytes, Bytes);
    return;
  }
  forEachLane(warp, [&](int lane) {
    std::memcpy(host[lane] + offset, from + uint32_t(lane) * RegisterBytes, Bytes);
  });
}

template <uint32_t Bytes> Pack packFrom(uint32_t registerBytes) {
  if constexpr (Bytes <= 1)
    if (registerBytes == 1) return pack<Bytes, 1>;
  if constexpr (Bytes <= 2)
    if (registerBytes == 2) return pack<Bytes, 2>;
  if constexpr (Bytes <= 4)
    if (registerBytes == 4) return pack<Bytes, 4>;
  return registerBytes == 8 ? pack<Bytes, 8> : nullptr;
}

Pack packOf(ptx::Type type, uint32_t registerBytes) {
  switch (type.bits) {
  case 8:
    return packFrom<1>(registerBytes);
  case 16:
    return packFrom<2>(registerBytes);
  case 32:
    return packFrom<4>(registerBytes);
  case 64:
    return packFrom<8>(registerBytes);
  case 128:
    return registerBytes == 16 ? pack<16, 16> : nullptr;
  default:
    return nullptr;
  }
}

/// All elements of a run of lanes, whose registers are as wide as the type: from rows to vectors in memory.
using Join = void (*)(Warp &, const uint32_t *rows, std::byte *to);

template <class T, uint32_t Count> void join(Warp &warp, const uint32_t *rows, std::byte *to) {
  T *__restrict vectors = reinterpret_cast<T *>(to);
  const T *row[Count];
  for (uint32_t k = 0; k < Count; ++k)
    row[k] = lanes<T>(warp, rows[k]);
  for (int lane = 0; lane < kLanes; ++lane)
    for (uint32_t k = 0; k < Count; ++k)
      vectors[uint32_t(lane) * Count + k] = row[k][lane];
}

template <class T> Join joinOf(uint32_t count) {
  return count == 1 ? join<T, 1> : count == 2 ? join<T, 2> : count == 4 ? join<T, 4> : join<T, 8>;
}

Join joinOf(ptx::Type type, uint32_t count) {
  switch (type.bits) {
  case 8:
    return joinOf<uint8_t>(count);
  case 16:
    return joinOf<uint16_t>(count);
  case 32:
    return joinOf<uint32_t>(count);
  case 64:
    return joinOf<uint64_t>(count);
  default:
    return nullptr;
  }
}

struct Store : InstructionData {
  std::vector<Pack> pack; // of each element
  std::vector<uint32_t> rows;
  Join join = nullptr; // null: a source is wider than the type
  uint32_t elementBytes, bytes;
  ptx::Space space;
  bool isWeak;
};

/// Two lanes of one weak store that leave different values in the same bytes are a data race: which one stays
/// is not defined (PTX ISA 8.10). Places are aligned, so they are equal or do not meet.
void checkRace(Warp &warp, const Store &store, const LanePlaces &places) {
  std::byte values[kLanes][32];
  std::byte *to[kLanes];
  for (int lane = 0; lane < kLanes; ++lane)
    to[lane] = values[lane];
  for (uint32_t k = 0; k < store.rows.size(); ++k)
    store.pack[k](warp, store.rows[k], to, k * store.elementBytes);
  forEachLane(warp, [&](int lane) {
    for (uint32_t before = warp.mask & ((1u << lane) - 1); before; before &= before - 1) {
      int other = __builtin_ctz(before);
      if (places.host[lane] == places.host[other] && std::memcmp(to[lane], to[other], store.bytes))
        report(*gridOf(warp).options, Finding::StoreRace, FaultKind::Race,
               "lanes " + std::to_string(other) + " and " + std::to_string(lane) +
                   " store different values to the same place with one instruction",
               lane);
    }
  });
}

template <bool IsRelease> Outcome storeLanes(Warp &warp, const Instruction &i) {
  const Store &store = static_cast<const Store &>(*i.data);
  LanePlaces places;
  placeLanes(warp, i.address, warp.mask, store.space, store.bytes, AccessKind::Write, places);
  if (store.isWeak && !places.isRun && isStrict(warp)) checkRace(warp, store, places);
  if (warp.holdsUnwritten) [[unlikely]] {
    uint32_t written = 0; // lanes that store something that somebody wrote
    for (uint32_t row : store.rows)
      written |= ~unwrittenLanes(warp, row);
    for (uint32_t k = 0; k < store.rows.size(); ++k)
      storeUnwritten(warp, store.rows[k], store.space, places.addresses, k * store.elementBytes,
                     store.elementBytes, written);
  }
  if (IsRelease) std::atomic_thread_fence(std::memory_order_release);
  if (store.join && places.isRun)
    store.join(warp, store.rows.data(), places.host[0]);
  else
    for (uint32_t k = 0; k < store.rows.size(); ++k)
      store.pack[k](warp, store.rows[k], places.host, k * store.elementBytes);
  return Outcome::Next;
}

void decodeStore(Decoder &d, Instruction &out) {
  if (d.source().has("bulk")) return decodeBulkStore(d, out);
  if (d.source().has("async")) return decodeAsyncStore(d, out);
  AccessWords words = takeAccessWords(d);
  uint32_t count = takeVectorLength(d);
  ptx::Type type = d.takeType();
  d.finish();
  requireOperands(d, words, 2);
  if (words.space == ptx::Space::Const) d.fail("constant memory may only be read");
  auto store = std::make_unique<Store>();
  store->elementBytes = type.bytes();
  store->bytes = type.bytes() * count;
  store->space = words.space;
  store->isWeak = !words.isStrong;
  if (store->bytes > 32) d.fail("more than 32 bytes a lane");
  out.address = d.address(0);
  store->join = joinOf(type, count);
  for (const ptx::Operand *element : elementsOf(d, d.operand(1), count)) {
    Row row = d.read(*element, type, true);
    Pack pack = packOf(type, row.bytes);
    if (!pack) d.fail("a source of " + std::to_string(8 * row.bytes) + " bits does not fit the type");
    store->pack.push_back(pack);
    store->rows.push_back(row.offset);
    if (row.bytes != type.bytes()) store->join = nullptr;
  }
  if (words.hasCacheHint) d.read(2, kTypeB64);
  out.data = std::move(store);
  out.handler = words.isRelease ? storeLanes<true> : storeLanes<false>;
}

} // namespace

extern const Table kStoreInstructions = {
    {"st",
     decodeStore,
     Counted::Memory,
     {Unwritten::Move, {{"async", Unwritten::Use}, {"bulk", Unwritten::Use}}},
     orderOfAccess(),
     {{"sm_100", "bulk"}, {"sm_100", "v8"}, {"sm_100", "v4.*64"}, {"sm_100", "v2.b128"}}}};

} // namespace mxc::sim
