// Addresses between windows: cvta, isspacep, mapa, getctarank (PTX ISA 9.7.9.20 to 9.7.9.24).
#include "runtime/simulator/decode/Table.h"
#include "runtime/simulator/instructions/Elementwise.h"
#include "runtime/simulator/machine/PlacedModule.h"
#include "runtime/simulator/memory/Access.h"

#include <algorithm>

namespace mxc::sim {

namespace {

using ptx::Space;
using ptx::Type;

struct Window {
  std::string_view name;
  Space space;
  uint64_t base; // 0: a generic address is the address
};
constexpr Window kWindows[] = {
    {"global", Space::Global, 0},
    {"const", Space::Const, 0},
    {"shared", Space::Shared, kSharedWindow},
    {"shared::cta", Space::Shared, kSharedWindow},
    {"shared::cluster", Space::Shared, kSharedWindow},
    {"local", Space::Local, kLocalWindow},
    {"param", Space::Param, kParameterWindow},
    {"param::entry", Space::Param, kParameterWindow},
};

const Window &takeWindow(Decoder &d) {
  for (const Window &window : kWindows)
    if (d.take(window.name)) return window;
  d.fail("expected a state space");
}

Outcome toWindow(Warp &warp, const Instruction &i) {
  const uint64_t *a = lanes<uint64_t>(warp, i.rows[1]);
  uint64_t base = uint64_t(i.immediate);
  forLanes<uint64_t>(warp, i.rows[0], [=](int lane) { return base | uint32_t(a[lane]); });
  return Outcome::Next;
}
Outcome keep(Warp &warp, const Instruction &i) {
  const uint64_t *a = lanes<uint64_t>(warp, i.rows[1]);
  forLanes<uint64_t>(warp, i.rows[0], [=](int lane) { return a[lane]; });
  return Outcome::Next;
}

void decodeConvert(Decoder &d, Instruction &out) {
  bool isFromGeneric = d.take("to");
  const Window &window = takeWindow(d);
  Type type = d.takeType();
  if (type.bits != 64) d.fail("generic addresses have 64 bits");
  out.immediate = isFromGeneric ? 0 : int64_t(window.base);
  out.handler = window.base ? toWindow : keep;
  takeOperands(d, out, type, 1);
}

enum class SpaceTest : uint8_t { Window, OwnShared, ClusterShared, Global, Constant };

/// Constant variables lie in global memory here.
bool isInConstantVariable(Warp &warp, uint64_t address) {
  return std::ranges::any_of(gridOf(warp).program->module->variables, [&](const auto &variable) {
    return variable.second.isReadOnly && variable.second.holds(address, 1);
  });
}

bool isInSpace(Warp &warp, const Instruction &i, uint64_t address) {
  Space space = spaceOf(address);
  uint32_t rank = uint32_t(address) >> kSharedRankShift;
  switch (SpaceTest(i.small[0])) {
  case SpaceTest::OwnShared:
    return space == Space::Shared && rank == warp.cta->rank;
  case SpaceTest::ClusterShared:
    return space == Space::Shared && rank < clusterOf(warp).ctas.size();
  case SpaceTest::Window:
    return space == Space(i.small[1]);
  case SpaceTest::Global:
    return space == Space::Global && !isInConstantVariable(warp, address);
  case SpaceTest::Constant:
    return isInConstantVariable(warp, address);
  }
  return false;
}

Outcome testSpace(Warp &warp, const Instruction &i) {
  Row row{i.rows[1], 8};
  uint32_t bits = 0;
  forEachLane(warp,
              [&](int lane) { bits |= uint32_t(isInSpace(warp, i, laneBits(warp, row, lane))) << lane; });
  uint32_t &p = predicate(warp, i.rows[0]);
  p = (p & ~warp.mask) | bits;
  return Outcome::Next;
}

void decodeTest(Decoder &d, Instruction &out) {
  const Window &window = takeWindow(d);
  d.finish();
  SpaceTest test = SpaceTest::Window;
  if (window.space == Space::Global) test = SpaceTest::Global;
  if (window.space == Space::Const) test = SpaceTest::Constant;
  if (window.space == Space::Shared)
    test = window.name == "shared::cluster" ? SpaceTest::ClusterShared : SpaceTest::OwnShared;
  out.small[0] = uint8_t(test);
  out.small[1] = uint8_t(window.space);
  out.rows[1] = d.read(1, kTypeB64);
  out.rows[0] = d.write(0, kTypePredicate);
  out.handler = testSpace;
}

constexpr uint32_t kOffsetMask = (1u << kSharedRankShift) - 1;

/// The same offset in the shared memory of CTA b. `immediate`: what stands above the low 32 bits.
template <class T> Outcome mapToRank(Warp &warp, const Instruction &i) {
  const T *a = lanes<T>(warp, i.rows[1]);
  const uint32_t *rank = lanes<uint32_t>(warp, i.rows[2]);
  T upper = T(i.immediate);
  forLanes<T>(warp, i.rows[0], [=](int lane) {
    return upper | T((uint32_t(a[lane]) & kOffsetMask) | rank[lane] << kSharedRankShift);
  });
  return Outcome::Next;
}

void decodeMap(Decoder &d, Instruction &out) {
  bool isShared = d.take("shared::cluster");
  Type type = d.takeType();
  d.finish();
  if (type.bits != 64 && (type.bits != 32 || !isShared)) d.fail("expected .u64, or .shared::cluster.u32");
  out.immediate = isShared ? 0 : int64_t(kSharedWindow);
  out.handler = type.bits == 32 ? mapToRank<uint32_t> : mapToRank<uint64_t>;
  out.rows[1] = d.read(1, type);
  out.rows[2] = d.read(2, kTypeB32);
  out.rows[0] = d.write(0, type);
}

template <class T> struct RankOf {
  uint32_t operator()(T address) const { return uint32_t(address) >> kSharedRankShift; }
};

void decodeRank(Decoder &d, Instruction &out) {
  d.take("shared::cluster");
  Type type = d.takeType();
  d.finish();
  if (type.bits != 32 && type.bits != 64) d.fail("an address has 32 or 64 bits");
  out.handler = type.bits == 32 ? unary<RankOf<uint32_t>, uint32_t, uint32_t>
                                : unary<RankOf<uint64_t>, uint32_t, uint64_t>;
  out.rows[1] = d.read(1, type);
  out.rows[0] = d.write(0, kTypeB32);
}

} // namespace

extern const Table kAddressSpaceInstructions;
const Table kAddressSpaceInstructions = {
    {"cvta", decodeConvert, Counted::Move, Unwritten::Lanewise, Order::None},
    {"isspacep", decodeTest, Counted::Move, Unwritten::Lanewise, Order::None},
    {"mapa", decodeMap, Counted::Move, Unwritten::Lanewise, Order::None},
    {"getctarank", decodeRank, Counted::Move, Unwritten::Lanewise, Order::None}};

} // namespace mxc::sim
