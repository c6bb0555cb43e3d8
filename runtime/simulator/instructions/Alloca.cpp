// alloca, stacksave, stackrestore (PTX ISA, "stack manipulation instructions"): nvcc writes alloca for arrays
// of variable length.
#include "runtime/simulator/decode/Table.h"
#include "runtime/simulator/machine/Lanes.h"
#include "runtime/simulator/machine/LocalStack.h"

namespace mxc::sim {

namespace {

LocalStack::Lane &stackOf(Warp &warp, int lane) {
  if (!warp.stack) warp.stack = std::make_unique<LocalStack>(gridOf(warp).whileRunning);
  LocalStack::Lane &stack = warp.stack->lanes[size_t(lane)];
  size_t depth = warp.split().frames.size();
  while (!stack.blocks.empty() && stack.blocks.back().depth > depth) {
    stack.bytes.resize(stack.blocks.back().begin);
    stack.blocks.pop_back();
  }
  return stack;
}

// rows: address, size. small[0]: bytes of either. immediate: alignment.
Outcome allocate(Warp &warp, const Instruction &i) {
  forEachLane(warp, [&](int lane) {
    LocalStack::Lane &stack = stackOf(warp, lane);
    uint64_t size = laneBits(warp, {i.rows[1], i.small[0]}, lane), used = stack.bytes.size();
    uint64_t begin = (used + uint64_t(i.immediate) - 1) / uint64_t(i.immediate) * uint64_t(i.immediate);
    if (size > LocalStack::kLimitBytes || begin + size > LocalStack::kLimitBytes)
      throw FaultError(FaultKind::OutOfBounds,
                       "alloca of " + std::to_string(size) + " bytes where " + std::to_string(used) + " of " +
                           std::to_string(LocalStack::kLimitBytes) + " are in use",
                       lane);
    uint64_t needed = begin + size + (stack.blocks.size() + 1) * sizeof(LocalStack::Block);
    if (needed > stack.held) {
      warp.stack->held.take(needed - stack.held);
      stack.held = needed;
    }
    stack.blocks.push_back({warp.split().frames.size(), used});
    stack.bytes.resize(begin + size);
    setLaneBits(warp, {i.rows[0], i.small[0]}, lane, LocalStack::kBase + begin);
  });
  return Outcome::Next;
}

Outcome saveStack(Warp &warp, const Instruction &i) {
  forEachLane(warp, [&](int lane) {
    setLaneBits(warp, {i.rows[0], i.small[0]}, lane, LocalStack::kBase + stackOf(warp, lane).bytes.size());
  });
  return Outcome::Next;
}

Outcome restoreStack(Warp &warp, const Instruction &i) {
  forEachLane(warp, [&](int lane) {
    LocalStack::Lane &stack = stackOf(warp, lane);
    uint64_t saved = laneBits(warp, {i.rows[0], i.small[0]}, lane) - LocalStack::kBase;
    if (saved > stack.bytes.size())
      throw FaultError(FaultKind::Illegal, "stackrestore of a value that no stacksave gave", lane);
    while (!stack.blocks.empty() && stack.blocks.back().begin >= saved)
      stack.blocks.pop_back();
    stack.bytes.resize(saved);
  });
  return Outcome::Next;
}

ptx::Type takeAddressType(Decoder &d, Instruction &out) {
  ptx::Type type = d.takeType();
  d.finish();
  if (type.kind != ptx::Type::Kind::Unsigned || type.bits < 32) d.fail("expected .u32 or .u64");
  out.small[0] = uint8_t(type.bytes());
  return type;
}

void decodeAlloca(Decoder &d, Instruction &out) {
  ptx::Type type = takeAddressType(d, out);
  out.rows[0] = d.write(0, type);
  out.rows[1] = d.read(1, type);
  out.immediate = d.operandCount() > 2 ? d.integer(2) : 8;
  if (out.immediate <= 0 || (out.immediate & (out.immediate - 1)) || out.immediate > LocalStack::kBase)
    d.fail("the alignment must be a power of two");
  out.handler = allocate;
}

void decodeSave(Decoder &d, Instruction &out) {
  out.rows[0] = d.write(0, takeAddressType(d, out));
  out.handler = saveStack;
}

void decodeRestore(Decoder &d, Instruction &out) {
  out.rows[0] = d.read(0, takeAddressType(d, out));
  out.handler = restoreStack;
}

} // namespace

extern const Table kAllocaInstructions = {
    {"alloca", decodeAlloca, Counted::Memory, Unwritten::Use, Order::None},
    {"stacksave", decodeSave, Counted::Memory, Unwritten::Lanewise, Order::None},
    {"stackrestore", decodeRestore, Counted::Memory, Unwritten::Use, Order::None}};

} // namespace mxc::sim
