// ld and ldu (PTX ISA 9.7.9.8 to 9.7.9.10): every width, vectors, destinations wider than the type.
#include "runtime/simulator/instructions/AccessWords.h"
#include "runtime/simulator/instructions/Lanes.h"
#include "runtime/simulator/memory/LaneAccess.h"

namespace mxc::sim {

namespace {

struct Bits128 {
  uint64_t low, high;
};

/// Writes one element of every executing lane to a row: from host[lane] + offset.
using Unpack = void (*)(Warp &, uint32_t row, std::byte *const *host, uint32_t offset);

/// `From` is in memory, `To` the register: sign- or zero-extended by the signedness of `From`.
template <class From, class To>
void unpack(Warp &warp, uint32_t row, std::byte *const *host, uint32_t offset) {
  forLanes<To>(warp, row, [=](int lane) {
    From value;
    __builtin_memcpy(&value, host[lane] + offset, sizeof value);
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

struct Load : InstructionData {
  struct Element {
    Unpack unpack;
    uint32_t row;
  };
  std::vector<Element> elements;
  uint32_t elementBytes, bytes;
  ptx::Space space;
};

template <bool IsAcquire> Outcome loadLanes(Warp &warp, const Instruction &i) {
  const Load &load = static_cast<const Load &>(*i.data);
  LanePlaces places;
  placeLanes(warp, i.address, warp.mask, load.space, load.bytes, AccessKind::Read, places);
  uint32_t offset = 0;
  for (const Load::Element &element : load.elements) {
    element.unpack(warp, element.row, places.host, offset);
    offset += load.elementBytes;
  }
  if (IsAcquire) std::atomic_thread_fence(std::memory_order_acquire);
  return Outcome::Next;
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
  if (load->bytes == 32 || count == 8) requireChip(d, 100);
  for (const ptx::Operand *element : elementsOf(d, d.operand(0), count)) {
    Row row = d.write(*element, type, true);
    Unpack unpack = unpackOf(type, row.bytes);
    if (!unpack) d.fail("a destination of " + std::to_string(8 * row.bytes) + " bits does not fit the type");
    load->elements.push_back({unpack, row.offset});
  }
  out.address = d.address(1);
  if (words.hasCacheHint) d.read(2, {ptx::Type::Kind::Bits, 64, false});
  out.data = std::move(load);
  out.handler = words.isAcquire ? loadLanes<true> : loadLanes<false>;
}

} // namespace

extern const Table kLoadInstructions = {{"ld", decodeLoad}, {"ldu", decodeLoad}};

} // namespace mxc::sim
