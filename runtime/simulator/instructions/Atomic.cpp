// atom and red (PTX ISA 9.7.13.7, 9.7.13.8), scalar and vector. Lanes go in order; operations are
// sequentially consistent on the host, whatever order and scope the instruction asks for.
#include "runtime/simulator/decode/Table.h"
#include "runtime/simulator/memory/Atomics.h"

#include "runtime/simulator/instructions/AccessWords.h"
#include "runtime/simulator/instructions/Copies.h"
#include "runtime/simulator/machine/Lanes.h"
#include "runtime/simulator/memory/LaneAccess.h"

#include <cstring>

namespace mxc::sim {

namespace {

struct Atomic : InstructionData {
  struct Element {
    uint32_t destination, operand;
  };
  std::vector<Element> elements;
  AtomicUpdate update = nullptr;
  AtomicCompare compare = nullptr;
  uint32_t compareRow = 0, elementBytes = 0;
  ptx::Space space = ptx::Space::Generic;
};

template <bool IsCompare> Outcome atomicLanes(Warp &warp, const Instruction &i) {
  const Atomic &atomic = static_cast<const Atomic &>(*i.data);
  ++clusterOf(warp).polls;
  const uint32_t size = atomic.elementBytes, bytes = size * uint32_t(atomic.elements.size());
  LanePlaces places;
  placeLanes(warp, i.address, warp.mask, atomic.space, bytes, AccessKind::Atomic, places);
  forEachLane(warp, [&](int lane) {
    ptx::Space space = atomic.space == ptx::Space::Generic ? spaceOf(places.addresses[lane]) : atomic.space;
    AtomicPlace place = space == ptx::Space::Shared ? AtomicPlace::Shared : AtomicPlace::Global;
    auto at = [&](uint32_t row) { return warp.registers + row + uint32_t(lane) * size; };
    std::byte old[16]; // a destination may be an operand too
    for (uint32_t k = 0; k < atomic.elements.size(); ++k) {
      std::byte *element = places.host[lane] + k * size;
      if constexpr (IsCompare)
        atomic.compare(element, at(atomic.compareRow), at(atomic.elements[k].operand), old + k * size, place);
      else
        atomic.update(element, at(atomic.elements[k].operand), old + k * size, place);
    }
    for (uint32_t k = 0; k < atomic.elements.size(); ++k)
      std::memcpy(at(atomic.elements[k].destination), old + k * size, size);
  });
  return Outcome::Next;
}

/// Vectors exist for add of f32, and for add, min and max of 16-bit floats, in global memory: 16 bytes at
/// most.
void checkVector(Decoder &d, const AccessWords &words, std::string_view operation, ptx::Type type,
                 uint32_t count) {
  bool isHalf = type.kind == ptx::Type::Kind::BFloat || type.isPacked || type.bits == 16;
  bool isKnown = isHalf || (type.kind == ptx::Type::Kind::Float && type.bits == 32 && operation == "add");
  if (!isKnown || count * type.bytes() > 16) d.fail("there is no such vector operation");
  if (words.space != ptx::Space::Global && words.space != ptx::Space::Generic)
    d.fail("vector operations need global memory");
}

void decodeAtomic(Decoder &d, Instruction &out) {
  bool isReduction = d.source().opcode == "red";
  if (d.source().has("async")) return decodeAsyncReduction(d, out);
  AccessWords words = takeAccessWords(d);
  std::string_view operation =
      d.takeOneOf({"add", "min", "max", "inc", "dec", "and", "or", "xor", "exch", "cas"});
  uint32_t count = takeVectorLength(d);
  d.ignore({"noftz"});
  ptx::Type type = d.takeType();
  d.finish();
  auto atomic = std::make_unique<Atomic>();
  atomic->space = words.space;
  atomic->elementBytes = type.bytes();
  bool isCompare = operation == "cas";
  bool isBits = type.kind == ptx::Type::Kind::Bits;
  if (isCompare && isBits && count == 1) atomic->compare = atomicCompare(type.bits);
  if (!isCompare) atomic->update = atomicUpdate(operation, type);
  bool needsReturn = isCompare || operation == "exch";
  if ((!atomic->compare && !atomic->update) || (isReduction && needsReturn))
    d.fail("there is no such operation");
  bool isVectorOnly = (operation == "min" || operation == "max") &&
                      (type.kind == ptx::Type::Kind::Float || type.kind == ptx::Type::Kind::BFloat);
  if (count > 1 || isVectorOnly) checkVector(d, words, operation, type, count);
  if (isVectorOnly && count == 1) d.fail("needs .v2, .v4 or .v8");
  size_t next = isReduction ? 0 : 1;
  requireOperands(d, words, next + 2 + isCompare);

  out.address = d.address(next++);
  if (isCompare) atomic->compareRow = d.read(next++, type);
  uint32_t unused = isReduction ? d.scratch(type.bytes()) : 0;
  for (const ptx::Operand *operand : elementsOf(d, d.operand(next), count))
    atomic->elements.push_back({unused, d.read(*operand, type).offset});
  if (words.hasCacheHint) d.read(next + 1, kTypeB64);
  if (!isReduction) {
    auto destinations = d.isSink(0) && count > 1 ? std::vector<const ptx::Operand *>(count, &d.operand(0))
                                                 : elementsOf(d, d.operand(0), count);
    for (uint32_t i = 0; i < count; ++i)
      atomic->elements[i].destination = d.write(*destinations[i], type).offset;
  }
  out.data = std::move(atomic);
  out.handler = isCompare ? atomicLanes<true> : atomicLanes<false>;
}

} // namespace

extern const Table kAtomicInstructions = {
    {"atom", decodeAtomic, Counted::Atomic, Unwritten::Use, Order::Lanes},
    {"red", decodeAtomic, Counted::Atomic, Unwritten::Use, Order::Lanes}};

} // namespace mxc::sim
