// Video instructions: vadd, vsub, vabsdiff, vmin, vmax, vshl, vshr, vmad, vset (PTX ISA 9.7.18). The
// functions are the manual's pseudocode, one lane at a time; the SIMD forms are in VideoPacked.cpp.
#include "runtime/simulator/decode/Table.h"
#include "runtime/simulator/instructions/Elementwise.h"

#include <algorithm>

namespace mxc::sim {

namespace {

using ptx::Operand;
using ptx::Type;

enum class Operation : uint8_t { Add, Sub, AbsDiff, Min, Max, ShiftLeft, ShiftRight, Set };
enum class Second : uint8_t { None, Add, Min, Max };

/// A byte, a half or all of a register.
struct Part {
  int bits = 32, shift = 0;
  bool isSigned = false;

  int64_t of(uint32_t value) const {
    uint64_t field = (uint64_t(value) >> shift) & ((uint64_t(1) << bits) - 1);
    return isSigned && (field >> (bits - 1) & 1) ? int64_t(field) - (int64_t(1) << bits) : int64_t(field);
  }
  uint32_t merged(uint32_t value, uint32_t into) const {
    uint32_t mask = uint32_t(((uint64_t(1) << bits) - 1) << shift);
    return (into & ~mask) | (value << shift & mask);
  }
  int64_t clamped(int64_t value) const {
    int64_t low = isSigned ? -(int64_t(1) << (bits - 1)) : 0,
            high = (int64_t(1) << (isSigned ? bits - 1 : bits)) - 1;
    return std::clamp(value, low, high);
  }
};

struct Video : InstructionData {
  Operation operation{};
  Part a, b, d;
  Second second = Second::None;
  bool isSaturated = false, isMerging = false, isWrapping = false;
  bool less = false, equal = false, greater = false; // of Set
  bool isPlusOne = false, isFinalSigned = false;     // of vmad
  int scale = 0;
};

int64_t apply(const Video &video, int64_t a, int64_t b) {
  switch (video.operation) {
  case Operation::Add:
    return a + b;
  case Operation::Sub:
    return a - b;
  case Operation::AbsDiff:
    return a > b ? a - b : b - a;
  case Operation::Min:
    return std::min(a, b);
  case Operation::Max:
    return std::max(a, b);
  case Operation::Set:
    return a < b ? video.less : a == b ? video.equal : video.greater;
  case Operation::ShiftLeft:
    return int64_t(uint64_t(a) << (video.isWrapping ? b & 31 : std::min<int64_t>(b, 32)));
  case Operation::ShiftRight:
    return a >> (video.isWrapping ? b & 31 : std::min<int64_t>(b, 32));
  }
  return 0;
}

/// .sat as an H200 does it, which is not always the manual's: sums of unsigned numbers wrap; what goes into a
/// part of a register and is negative becomes the largest number, into an unsigned part always 0; shifts into
/// a part are not clamped.
int64_t saturated(const Video &video, int64_t value) {
  bool isShift = video.operation == Operation::ShiftLeft || video.operation == Operation::ShiftRight;
  if (video.isMerging) {
    if (isShift) return value;
    int64_t largest = video.d.isSigned ? (int64_t(1) << (video.d.bits - 1)) - 1 : 0;
    return value < 0 || value > largest ? largest : value;
  }
  bool wraps =
      video.operation == Operation::Add && !video.a.isSigned && !video.b.isSigned && !video.d.isSigned;
  return wraps ? value : video.d.clamped(value);
}

uint32_t finished(const Video &video, int64_t value, uint32_t c) {
  if (video.isSaturated) value = saturated(video, value);
  uint32_t result = uint32_t(value);
  if (video.isMerging) return video.d.merged(result, c);
  auto lesser = [&] { return video.d.isSigned ? int32_t(result) < int32_t(c) : result < c; };
  switch (video.second) {
  case Second::None:
    return result;
  case Second::Add:
    return result + c;
  case Second::Min:
    return lesser() ? result : c;
  case Second::Max:
    return lesser() ? c : result;
  }
  return result;
}

Outcome compute(Warp &warp, const Instruction &i) {
  const Video &video = static_cast<const Video &>(*i.data);
  const uint32_t *a = lanes<uint32_t>(warp, i.rows[1]), *b = lanes<uint32_t>(warp, i.rows[2]),
                 *c = lanes<uint32_t>(warp, i.rows[3]);
  forLanes<uint32_t>(warp, i.rows[0], [&](int lane) {
    return finished(video, apply(video, video.a.of(a[lane]), video.b.of(b[lane])), c[lane]);
  });
  return Outcome::Next;
}

/// As ptxas makes it of sm_90's instructions: with .sat or a shift the sum has 64 bits, and whole words are
/// signed in it whatever the types say; below it, .sat of an unsigned result gives 0.
Outcome multiplyAdd(Warp &warp, const Instruction &i) {
  const Video &video = static_cast<const Video &>(*i.data);
  const uint32_t *a = lanes<uint32_t>(warp, i.rows[1]), *b = lanes<uint32_t>(warp, i.rows[2]);
  const int32_t *c = lanes<int32_t>(warp, i.rows[3]);
  forLanes<uint32_t>(warp, i.rows[0], [&](int lane) {
    int64_t sum = video.a.of(a[lane]) * video.b.of(b[lane]) + c[lane] + video.isPlusOne;
    if (!video.isSaturated) return uint32_t(sum >> video.scale);
    if (video.isFinalSigned) return uint32_t(Part{32, 0, true}.clamped(sum >> video.scale));
    auto shifted = int64_t(uint64_t(sum) >> video.scale);
    return shifted < 0 ? 0u : uint32_t(std::min<int64_t>(shifted, 0xFFFFFFFF));
  });
  return Outcome::Next;
}

Part partOf(Decoder &d, const Operand &operand, Type type) {
  if (type.bits != 32 || (type.kind != Type::Kind::Signed && type.kind != Type::Kind::Unsigned))
    d.fail("expected .s32 or .u32");
  Part part{32, 0, type.kind == Type::Kind::Signed};
  if (operand.kind != Operand::Kind::Register || operand.name.empty()) return part;
  part.bits = operand.name[0] == 'b' ? 8 : 16;
  part.shift = (operand.name[1] - '0') * part.bits;
  if (operand.name.size() != 2 || part.shift + part.bits > 32)
    d.fail("'." + operand.name + "' is no part of a register");
  return part;
}

void takeComparison(Decoder &d, Video &video) {
  std::string_view name = d.takeOneOf({"eq", "ne", "lt", "le", "gt", "ge"});
  if (name.empty()) d.fail("expected a comparison operator");
  video.less = name == "ne" || name[0] == 'l';
  video.greater = name == "ne" || name[0] == 'g';
  video.equal = name != "ne" && name[1] != 't';
}

template <Operation operation> void decodeVideo(Decoder &d, Instruction &out) {
  constexpr bool isShift = operation == Operation::ShiftLeft || operation == Operation::ShiftRight;
  auto video = std::make_unique<Video>();
  video->operation = operation;
  video->isSaturated = d.take("sat");
  std::string_view second = d.takeOneOf({"add", "min", "max"});
  video->second = second == "add"   ? Second::Add
                  : second == "min" ? Second::Min
                  : second == "max" ? Second::Max
                                    : Second::None;
  if (isShift) {
    video->isWrapping = d.take("wrap");
    if (!video->isWrapping && !d.take("clamp")) d.fail("expected .clamp or .wrap");
  }
  if (operation == Operation::Set) takeComparison(d, *video);
  Type result{Type::Kind::Unsigned, 32, false};
  if (operation != Operation::Set) result = d.takeType();
  Type a = d.takeType(), b = d.takeType();
  d.finish();
  video->a = partOf(d, d.operand(1), a);
  video->b = partOf(d, d.operand(2), b);
  video->d = partOf(d, d.operand(0), result);
  video->isMerging = video->d.bits != 32;
  bool hasThird = video->isMerging || video->second != Second::None;
  if (d.operandCount() != (hasThird ? 4 : 3)) d.fail("wrong number of operands");
  out.rows[1] = d.readSelected(1, kTypeB32), out.rows[2] = d.readSelected(2, kTypeB32);
  out.rows[3] = hasThird ? d.readSelected(3, kTypeB32) : out.rows[2];
  out.rows[0] = d.writeSelected(0, kTypeB32);
  out.data = std::move(video);
  out.handler = compute;
}

void decodeMultiplyAdd(Decoder &d, Instruction &out) {
  auto video = std::make_unique<Video>();
  video->isSaturated = d.take("sat");
  video->isPlusOne = d.take("po");
  video->scale = d.take("shr7") ? 7 : d.take("shr15") ? 15 : 0;
  d.takeType(); // what the result is taken for does not change its bits
  Type a = d.takeType(), b = d.takeType();
  video->a = partOf(d, d.operand(1), a);
  video->b = partOf(d, d.operand(2), b);
  video->isFinalSigned = video->a.isSigned || video->b.isSigned;
  for (Part *part : {&video->a, &video->b})
    part->isSigned |= part->bits == 32;
  d.finish();
  if (d.operandCount() != 4) d.fail("expected four operands");
  for (size_t k = 1; k <= 3; ++k)
    out.rows[k] = d.readSelected(k, kTypeB32);
  out.rows[0] = d.writeSelected(0, kTypeB32);
  out.data = std::move(video);
  out.handler = multiplyAdd;
}

} // namespace

extern const Table kVideoInstructions;
const Table kVideoInstructions = {
    {"vadd", decodeVideo<Operation::Add>, Counted::Integer, Unwritten::Lanewise, Order::None},
    {"vsub", decodeVideo<Operation::Sub>, Counted::Integer, Unwritten::Lanewise, Order::None},
    {"vabsdiff", decodeVideo<Operation::AbsDiff>, Counted::Integer, Unwritten::Lanewise, Order::None},
    {"vmin", decodeVideo<Operation::Min>, Counted::Integer, Unwritten::Lanewise, Order::None},
    {"vmax", decodeVideo<Operation::Max>, Counted::Integer, Unwritten::Lanewise, Order::None},
    {"vshl", decodeVideo<Operation::ShiftLeft>, Counted::Integer, Unwritten::Lanewise, Order::None},
    {"vshr", decodeVideo<Operation::ShiftRight>, Counted::Integer, Unwritten::Lanewise, Order::None},
    {"vset", decodeVideo<Operation::Set>, Counted::Integer, Unwritten::Lanewise, Order::None},
    {"vmad", decodeMultiplyAdd, Counted::Integer, Unwritten::Lanewise, Order::None},
};

} // namespace mxc::sim
