// SIMD video instructions: vadd2, vadd4 and the like on the halves or bytes of registers (PTX ISA 9.7.18.7
// to 9.7.18.14).
#include "runtime/simulator/decode/Table.h"
#include "runtime/simulator/instructions/Elementwise.h"

#include <algorithm>

namespace mxc::sim {

namespace {

using ptx::Operand;
using ptx::Type;

enum class Operation : uint8_t { Add, Sub, Average, AbsDiff, Min, Max, Set };

struct PackedVideo : InstructionData {
  Operation operation{};
  int elements = 2;                    // 2 halves or 4 bytes
  std::array<int, 4> pickA{}, pickB{}; // which element of b:a stands at each place
  bool isSignedA = false, isSignedB = false, isSignedD = false, isSaturated = false, isSum = false;
  uint32_t mask = 0; // elements that are computed; the others are c's
  bool less = false, equal = false, greater = false;

  int bits() const { return 32 / elements; }
  int64_t element(uint64_t registers, int index, bool isSigned) const {
    uint64_t field = registers >> (index * bits()) & ((uint64_t(1) << bits()) - 1);
    return isSigned && (field >> (bits() - 1) & 1) ? int64_t(field) - (int64_t(1) << bits()) : int64_t(field);
  }
};

int64_t apply(const PackedVideo &video, int64_t a, int64_t b) {
  switch (video.operation) {
  case Operation::Add:
    return a + b;
  case Operation::Sub:
    return a - b;
  case Operation::Average:
    return (a + b + (a + b >= 0)) >> 1;
  case Operation::AbsDiff:
    return a > b ? a - b : b - a;
  case Operation::Min:
    return std::min(a, b);
  case Operation::Max:
    return std::max(a, b);
  case Operation::Set:
    return a < b ? video.less : a == b ? video.equal : video.greater;
  }
  return 0;
}

uint32_t computeLane(const PackedVideo &video, uint32_t a, uint32_t b, uint32_t c) {
  uint64_t both = uint64_t(b) << 32 | a;
  int bits = video.bits();
  int64_t low = video.isSignedD ? -(int64_t(1) << (bits - 1)) : 0,
          high = (int64_t(1) << (video.isSignedD ? bits - 1 : bits)) - 1;
  uint32_t result = c;
  for (int k = 0; k < video.elements; ++k) {
    if (!(video.mask >> k & 1)) continue;
    int64_t value = apply(video, video.element(both, video.pickA[size_t(k)], video.isSignedA),
                          video.element(both, video.pickB[size_t(k)], video.isSignedB));
    if (video.isSaturated) value = std::clamp(value, low, high);
    uint32_t field = ((1u << bits) - 1) << (k * bits);
    if (video.isSum)
      result += uint32_t(value);
    else
      result = (result & ~field) | (uint32_t(value) << (k * bits) & field);
  }
  return result;
}

Outcome compute(Warp &warp, const Instruction &i) {
  const PackedVideo &video = static_cast<const PackedVideo &>(*i.data);
  const uint32_t *a = lanes<uint32_t>(warp, i.rows[1]), *b = lanes<uint32_t>(warp, i.rows[2]),
                 *c = lanes<uint32_t>(warp, i.rows[3]);
  forLanes<uint32_t>(warp, i.rows[0],
                     [&](int lane) { return computeLane(video, a[lane], b[lane], c[lane]); });
  return Outcome::Next;
}

/// "h31": the digits from the highest element to the lowest; without a selector the register's own, from
/// `first` on.
std::array<int, 4> picksOf(Decoder &d, const PackedVideo &video, const Operand &operand, int first) {
  std::array<int, 4> picks{first, first + 1, first + 2, first + 3};
  bool hasSelector = operand.kind == Operand::Kind::Register && !operand.name.empty();
  if (!hasSelector) return picks;
  if (int(operand.name.size()) != video.elements + 1 || operand.name[0] != (video.elements == 2 ? 'h' : 'b'))
    d.fail("'." + operand.name + "' does not select elements");
  for (int k = 0; k < video.elements; ++k) {
    int digit = operand.name[size_t(video.elements - k)] - '0';
    if (digit >= 2 * video.elements) d.fail("'." + operand.name + "' does not select elements");
    picks[size_t(k)] = digit;
  }
  return picks;
}

template <Operation operation, int elements> void decodePacked(Decoder &d, Instruction &out) {
  auto video = std::make_unique<PackedVideo>();
  video->operation = operation;
  video->elements = elements;
  video->isSaturated = d.take("sat");
  video->isSum = d.take("add");
  if (operation == Operation::Set) {
    std::string_view name = d.takeOneOf({"eq", "ne", "lt", "le", "gt", "ge"});
    if (name.empty()) d.fail("expected a comparison operator");
    video->less = name == "ne" || name[0] == 'l';
    video->greater = name == "ne" || name[0] == 'g';
    video->equal = name != "ne" && name[1] != 't';
  } else {
    video->isSignedD = d.takeType().kind == Type::Kind::Signed;
  }
  video->isSignedA = d.takeType().kind == Type::Kind::Signed;
  video->isSignedB = d.takeType().kind == Type::Kind::Signed;
  d.finish();
  if (d.operandCount() != 4) d.fail("expected four operands");
  video->pickA = picksOf(d, *video, d.operand(1), 0);
  video->pickB = picksOf(d, *video, d.operand(2), elements);
  const std::string &mask = d.operand(0).name;
  video->mask = mask.empty() ? (1u << elements) - 1 : 0;
  for (size_t k = 1; k < mask.size(); ++k)
    video->mask |= 1u << (mask[k] - '0');
  for (size_t k = 1; k <= 3; ++k)
    out.rows[k] = d.readSelected(k, kTypeB32);
  out.rows[0] = d.writeSelected(0, kTypeB32);
  out.data = std::move(video);
  out.handler = compute;
}

} // namespace

extern const Table kVideoPackedInstructions;
const Table kVideoPackedInstructions = {
    {"vadd2", decodePacked<Operation::Add, 2>, Counted::Integer, Unwritten::Lanewise, Order::None},
    {"vadd4", decodePacked<Operation::Add, 4>, Counted::Integer, Unwritten::Lanewise, Order::None},
    {"vsub2", decodePacked<Operation::Sub, 2>, Counted::Integer, Unwritten::Lanewise, Order::None},
    {"vsub4", decodePacked<Operation::Sub, 4>, Counted::Integer, Unwritten::Lanewise, Order::None},
    {"vavrg2", decodePacked<Operation::Average, 2>, Counted::Integer, Unwritten::Lanewise, Order::None},
    {"vavrg4", decodePacked<Operation::Average, 4>, Counted::Integer, Unwritten::Lanewise, Order::None},
    {"vabsdiff2", decodePacked<Operation::AbsDiff, 2>, Counted::Integer, Unwritten::Lanewise, Order::None},
    {"vabsdiff4", decodePacked<Operation::AbsDiff, 4>, Counted::Integer, Unwritten::Lanewise, Order::None},
    {"vmin2", decodePacked<Operation::Min, 2>, Counted::Integer, Unwritten::Lanewise, Order::None},
    {"vmin4", decodePacked<Operation::Min, 4>, Counted::Integer, Unwritten::Lanewise, Order::None},
    {"vmax2", decodePacked<Operation::Max, 2>, Counted::Integer, Unwritten::Lanewise, Order::None},
    {"vmax4", decodePacked<Operation::Max, 4>, Counted::Integer, Unwritten::Lanewise, Order::None},
    {"vset2", decodePacked<Operation::Set, 2>, Counted::Integer, Unwritten::Lanewise, Order::None},
    {"vset4", decodePacked<Operation::Set, 4>, Counted::Integer, Unwritten::Lanewise, Order::None},
};

} // namespace mxc::sim
