// Functions that nvcc's code calls and no module defines: CUDA programming guide, "Formatted output",
// "Assertion", "Dynamic global memory allocation".
#include "runtime/simulator/instructions/Call.h"
#include "runtime/simulator/instructions/PrintFormat.h"
#include "runtime/simulator/machine/GridState.h"
#include "runtime/simulator/machine/Lanes.h"
#include "runtime/simulator/machine/SavedFunction.h"
#include "runtime/simulator/memory/Access.h"

#include <cstring>

namespace mxc::sim {

namespace {

/// 0 for an argument that is not passed.
uint64_t argument(Warp &warp, const Call &call, size_t index, int lane) {
  uint64_t bits = 0;
  if (index < call.arguments.size()) {
    const ParameterPlace &place = call.arguments[index];
    std::memcpy(&bits, laneBytes(warp, place, lane), std::min(place.bytes(), 8u));
  }
  return bits;
}

void giveResult(Warp &warp, const Call &call, int lane, uint64_t bits) {
  if (call.results.empty()) return;
  const ParameterPlace &place = call.results[0];
  std::memcpy(laneBytes(warp, place, lane), &bits, std::min(place.bytes(), 8u));
}

uint64_t bitsAt(Warp &warp, uint64_t address, uint32_t bytes, int lane) {
  uint64_t bits = 0;
  std::memcpy(&bits, access(warp, ptx::Space::Generic, address, bytes, AccessKind::Read, lane), bytes);
  return bits;
}

std::string textAt(Warp &warp, uint64_t address, int lane) {
  constexpr size_t kMostLetters = 65536;
  std::string text;
  for (; text.size() < kMostLetters; ++address) {
    const char letter = char(bitsAt(warp, address, 1, lane));
    if (!letter) break;
    text += letter;
  }
  return text;
}

/// vprintf(format, arguments): these lie one after the other, each at a multiple of its size.
Outcome print(Warp &warp, const Instruction &i) {
  const Call &call = callOf(i);
  std::string all;
  forEachLane(warp, [&](int lane) {
    const uint64_t format = argument(warp, call, 0, lane);
    uint64_t at = argument(warp, call, 1, lane);
    const PrintSource source{.next =
                                 [&](uint32_t bytes) {
                                   at = (at + bytes - 1) / bytes * bytes;
                                   const uint64_t bits = bitsAt(warp, at, bytes, lane);
                                   at += bytes;
                                   return bits;
                                 },
                             .text = [&](uint64_t address) { return textAt(warp, address, lane); }};
    if (!format) return giveResult(warp, call, lane, ~uint64_t(0));
    PrintedFormat printed = printFormat(textAt(warp, format, lane), source);
    all += printed.text;
    giveResult(warp, call, lane, uint64_t(printed.arguments));
  });
  gridOf(warp).services->printed.add(std::move(all));
  return Outcome::Next;
}

/// __assertfail(assertion, file, line, function, size of a letter)
Outcome failAssertion(Warp &warp, const Instruction &i) {
  const Call &call = callOf(i);
  const int lane = __builtin_ctz(warp.mask);
  auto text = [&](size_t index) {
    const uint64_t address = argument(warp, call, index, lane);
    return address ? textAt(warp, address, lane) : "(unknown)";
  };
  auto triple = [](const std::array<uint32_t, 3> &of) {
    return "[" + std::to_string(of[0]) + "," + std::to_string(of[1]) + "," + std::to_string(of[2]) + "]";
  };
  throw FaultError(FaultKind::Assertion,
                   text(1) + ":" + std::to_string(uint32_t(argument(warp, call, 2, lane))) + ": " + text(3) +
                       ": block: " + triple(warp.cta->position) +
                       ", thread: " + triple(threadOf(warp, lane)) + " Assertion `" + text(0) + "` failed.",
                   lane);
}

/// malloc(bytes)
Outcome allocate(Warp &warp, const Instruction &i) {
  const Call &call = callOf(i);
  forEachLane(warp, [&](int lane) {
    giveResult(warp, call, lane, gridOf(warp).services->heap.allocate(argument(warp, call, 0, lane)));
  });
  return Outcome::Next;
}

/// __nv_aligned_device_malloc(bytes, alignment)
Outcome allocateAligned(Warp &warp, const Instruction &i) {
  const Call &call = callOf(i);
  forEachLane(warp, [&](int lane) {
    const uint64_t bytes = argument(warp, call, 0, lane), alignment = argument(warp, call, 1, lane);
    const bool isPower = alignment && !(alignment & (alignment - 1));
    giveResult(warp, call, lane, isPower ? gridOf(warp).services->heap.allocate(bytes, alignment) : 0);
  });
  return Outcome::Next;
}

/// free(address): nothing for null.
Outcome release(Warp &warp, const Instruction &i) {
  forEachLane(warp, [&](int lane) {
    const uint64_t address = argument(warp, callOf(i), 0, lane);
    if (address && !gridOf(warp).services->heap.release(address))
      throw FaultError(FaultKind::Trap,
                       "free of " + hexadecimal(address) +
                           ": no block that malloc gave to a kernel begins there, or it was freed before",
                       lane);
  });
  return Outcome::Next;
}

struct SystemFunction {
  std::string_view name;
  Handler handler;
};
constexpr SystemFunction kFunctions[] = {{"vprintf", print},
                                         {"__assertfail", failAssertion},
                                         {"malloc", allocate},
                                         {"__nv_aligned_device_malloc", allocateAligned},
                                         {"free", release}};

} // namespace

Handler systemFunction(std::string_view name) {
  for (const SystemFunction &function : kFunctions)
    if (function.name == name) return function.handler;
  return nullptr;
}

} // namespace mxc::sim
