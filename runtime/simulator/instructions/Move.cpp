// mov: copies, packing and unpacking of vectors, clocks (PTX ISA 9.7.9.1 to 9.7.9.3, 10 "special registers").
#include "runtime/simulator/decode/Table.h"
#include "runtime/simulator/instructions/Elementwise.h"

#include <cstring>

namespace mxc::sim {

namespace {

using ptx::Operand;
using ptx::Type;

template <class T> Outcome copy(Warp &warp, const Instruction &i) {
  const T *a = lanes<T>(warp, i.rows[1]);
  forLanes<T>(warp, i.rows[0], [=](int lane) { return a[lane]; });
  return Outcome::Next;
}

Outcome copyPredicate(Warp &warp, const Instruction &i) {
  uint32_t a = predicate(warp, i.rows[1]) ^ (i.small[0] ? ~0u : 0);
  uint32_t &d = predicate(warp, i.rows[0]);
  d = (d & ~warp.mask) | (a & warp.mask);
  return Outcome::Next;
}

/// {low, high} to and from one register of twice their size.
template <class Part, class Whole> Outcome packPair(Warp &warp, const Instruction &i) {
  const Part *low = lanes<Part>(warp, i.rows[1]), *high = lanes<Part>(warp, i.rows[2]);
  forLanes<Whole>(warp, i.rows[0],
                  [=](int lane) { return low[lane] | Whole(high[lane]) << 8 * sizeof(Part); });
  return Outcome::Next;
}
template <class Part, class Whole> Outcome unpackPair(Warp &warp, const Instruction &i) {
  const Whole *whole = lanes<Whole>(warp, i.rows[0]);
  forLanes<Part>(warp, i.rows[1], [=](int lane) { return Part(whole[lane]); });
  forLanes<Part>(warp, i.rows[2], [=](int lane) { return Part(whole[lane] >> 8 * sizeof(Part)); });
  return Outcome::Next;
}

/// Any other number and size of parts: the bytes of `whole`, one part after the other.
struct Parts : InstructionData {
  Row whole;
  std::vector<Row> parts;
  uint32_t partBytes = 0;
};

std::byte *laneBytes(Warp &warp, Row row, int lane) {
  return warp.registers + row.offset + uint32_t(lane) * row.bytes;
}

Outcome pack(Warp &warp, const Instruction &i) {
  const Parts &data = static_cast<const Parts &>(*i.data);
  forEachLane(warp, [&](int lane) {
    std::byte *whole = laneBytes(warp, data.whole, lane);
    for (const Row &part : data.parts) {
      std::memcpy(whole, laneBytes(warp, part, lane), data.partBytes);
      whole += data.partBytes;
    }
  });
  return Outcome::Next;
}
Outcome unpack(Warp &warp, const Instruction &i) {
  const Parts &data = static_cast<const Parts &>(*i.data);
  forEachLane(warp, [&](int lane) {
    const std::byte *whole = laneBytes(warp, data.whole, lane);
    for (const Row &part : data.parts) {
      std::byte *at = laneBytes(warp, part, lane);
      if (part.bytes > data.partBytes) std::memset(at, 0, part.bytes);
      std::memcpy(at, whole, data.partBytes);
      whole += data.partBytes;
    }
  });
  return Outcome::Next;
}

void decodePacking(Decoder &d, Instruction &out, Type type) {
  bool isPacking = d.operand(1).kind == Operand::Kind::Vector;
  const Operand &vector = d.operand(isPacking ? 1 : 0);
  size_t count = vector.parts.size();
  if (type.kind == Type::Kind::Predicate || (count != 2 && count != 4) || type.bits / count < 8)
    d.fail("expected a vector whose elements make up the type");
  Type part{Type::Kind::Bits, uint16_t(type.bits / count), false};
  auto data = std::make_unique<Parts>();
  data->partBytes = part.bytes();
  for (const Operand &element : vector.parts)
    data->parts.push_back(isPacking ? d.read(element, part) : d.write(element, part));
  data->whole = isPacking ? d.write(d.operand(0), type) : d.read(d.operand(1), type);
  out.rows[0] = data->whole.offset, out.rows[1] = data->parts[0].offset, out.rows[2] = data->parts[1].offset;
  if (count == 2 && type.bits == 32)
    out.handler = isPacking ? packPair<uint16_t, uint32_t> : unpackPair<uint16_t, uint32_t>;
  else if (count == 2 && type.bits == 64)
    out.handler = isPacking ? packPair<uint32_t, uint64_t> : unpackPair<uint32_t, uint64_t>;
  else {
    out.handler = isPacking ? pack : unpack;
    out.data = std::move(data);
  }
}

/// mov.v2, mov.v4 between vectors. All are read before any is written.
Outcome copyVector(Warp &warp, const Instruction &i) {
  const Parts &data = static_cast<const Parts &>(*i.data);
  size_t count = data.parts.size() / 2; // destinations, then sources
  forEachLane(warp, [&](int lane) {
    uint64_t values[4];
    for (size_t k = 0; k < count; ++k)
      values[k] = laneBits(warp, data.parts[count + k], lane);
    for (size_t k = 0; k < count; ++k)
      setLaneBits(warp, data.parts[k], lane, values[k]);
  });
  return Outcome::Next;
}

void decodeVectorMove(Decoder &d, Instruction &out, Type type, size_t count) {
  const Operand &to = d.operand(0), &from = d.operand(1);
  if (to.parts.size() != count || from.parts.size() != count || type.bits > 64 || type == kTypePredicate)
    d.fail("expected two vectors of " + std::to_string(count) + " elements");
  auto data = std::make_unique<Parts>();
  for (const Operand &element : to.parts)
    data->parts.push_back(d.write(element, type));
  for (const Operand &element : from.parts)
    data->parts.push_back(d.read(element, type));
  out.data = std::move(data);
  out.handler = copyVector;
}

/// Clocks count the warp's instructions: they advance, and are the same in every run.
Outcome readClock(Warp &warp, const Instruction &i) {
  uint64_t now = warp.instructions >> i.small[0];
  if (i.small[1] == 4)
    forLanes<uint32_t>(warp, i.rows[0], [=](int) { return uint32_t(now); });
  else
    forLanes<uint64_t>(warp, i.rows[0], [=](int) { return now; });
  return Outcome::Next;
}

bool decodeClock(Decoder &d, Instruction &out, Type type) {
  const Operand &source = d.operand(1);
  if (source.kind != Operand::Kind::Special) return false;
  bool isHigh = source.name == "clock_hi" || source.name == "globaltimer_hi";
  if (!isHigh && source.name != "clock" && source.name != "clock64" && source.name != "globaltimer" &&
      source.name != "globaltimer_lo")
    return false;
  if (type.bits != 32 && type.bits != 64) d.fail("a clock has 32 or 64 bits");
  out.small[0] = isHigh ? 32 : 0;
  out.small[1] = uint8_t(type.bytes());
  out.rows[0] = d.write(0, type);
  out.handler = readClock;
  return true;
}

void decodeMove(Decoder &d, Instruction &out) {
  size_t elements = d.take("v2") ? 2 : d.take("v4") ? 4 : 1;
  Type type = d.takeType();
  d.finish();
  if (d.operandCount() != 2) d.fail("expected two operands");
  if (elements > 1) return decodeVectorMove(d, out, type, elements);
  if (d.operand(0).kind == Operand::Kind::Vector || d.operand(1).kind == Operand::Kind::Vector)
    return decodePacking(d, out, type);
  if (decodeClock(d, out, type)) return;
  if (type == kTypePredicate) {
    bool isNegated = false;
    out.rows[1] = d.readPredicate(1, isNegated);
    out.small[0] = isNegated;
    out.handler = copyPredicate;
  } else {
    switch (type.bits) {
    case 16:
      out.handler = copy<uint16_t>;
      break;
    case 32:
      out.handler = copy<uint32_t>;
      break;
    case 64:
      out.handler = copy<uint64_t>;
      break;
    case 128:
      out.handler = copy<Bits128>;
      break;
    default:
      d.fail("a value of 16, 32, 64 or 128 bits is expected");
    }
    out.rows[1] = d.read(1, type);
  }
  out.rows[0] = d.write(0, type);
}

} // namespace

extern const Table kMoveInstructions;
const Table kMoveInstructions = {{"mov", decodeMove, Counted::Move, Unwritten::Pack, Order::None}};

} // namespace mxc::sim
