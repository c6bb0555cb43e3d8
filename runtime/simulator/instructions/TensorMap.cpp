// tensormap.replace and tensormap.cp_fenceproxy (PTX ISA 9.7.9.26.3, 9.7.9.26.4): tensor maps that kernels
// patch and publish.
#include "runtime/simulator/TensorMapFormat.h"
#include "runtime/simulator/decode/Table.h"
#include "runtime/simulator/machine/Lanes.h"
#include "runtime/simulator/memory/Access.h"

#include <cstring>

namespace mxc::sim {

namespace {

constexpr int kField = 0, kOrdinal = 1, kSpace = 2, kIsWide = 3; // small
constexpr int kValue = 0;                                        // rows

constexpr struct {
  std::string_view name;
  TensorMapField field;
  bool hasOrdinal;
} kFields[] = {
    {"global_address", TensorMapField::GlobalAddress, false},
    {"rank", TensorMapField::Rank, false},
    {"box_dim", TensorMapField::BoxDim, true},
    {"global_dim", TensorMapField::GlobalDim, true},
    {"global_stride", TensorMapField::GlobalStride, true},
    {"element_stride", TensorMapField::ElementStride, true},
    {"elemtype", TensorMapField::ElementType, false},
    {"interleave_layout", TensorMapField::Interleave, false},
    {"swizzle_mode", TensorMapField::SwizzleMode, false},
    {"swizzle_atomicity", TensorMapField::SwizzleAtom, false},
    {"fill_mode", TensorMapField::FillMode, false},
};

constexpr uint32_t kPiece = 32; // what one access takes

void readMap(Warp &warp, ptx::Space space, uint64_t address, std::byte *bytes, int lane) {
  for (uint32_t at = 0; at < kTensorMapBytes; at += kPiece)
    std::memcpy(bytes + at, access(warp, space, address + at, kPiece, AccessKind::Read, lane), kPiece);
}

void writeMap(Warp &warp, ptx::Space space, uint64_t address, const std::byte *bytes, int lane) {
  for (uint32_t at = 0; at < kTensorMapBytes; at += kPiece)
    std::memcpy(access(warp, space, address + at, kPiece, AccessKind::Write, lane), bytes + at, kPiece);
}

Outcome replace(Warp &warp, const Instruction &i) {
  auto space = ptx::Space(i.small[kSpace]);
  forEachLane(warp, [&](int lane) {
    uint64_t address = addressOf(warp, i.address, lane);
    if (space == ptx::Space::Shared) address = sharedAddress(address);
    std::byte bytes[kTensorMapBytes];
    readMap(warp, space, address, bytes, lane);
    TensorMap map = decodeTensorMap(bytes);
    if (map.isUnknown)
      throw FaultError(FaultKind::Illegal, "tensormap.replace: these 128 bytes are no tensor map", lane);
    uint64_t value = i.small[kIsWide] ? lanes<uint64_t>(warp, i.rows[kValue])[lane]
                                      : lanes<uint32_t>(warp, i.rows[kValue])[lane];
    if (!replaceTensorMapField(map, TensorMapField(i.small[kField]), i.small[kOrdinal], value))
      throw FaultError(FaultKind::Illegal,
                       "tensormap.replace of ordinal " + std::to_string(i.small[kOrdinal]), lane);
    encodeTensorMap(map, bytes);
    if (decodeTensorMap(bytes) != map)
      throw FaultError(FaultKind::Illegal,
                       "tensormap.replace: the field cannot hold " + std::to_string(value), lane);
    writeMap(warp, space, address, bytes, lane);
  });
  return Outcome::Next;
}

/// Copies only the map's bytes of the 128: kernels need not have written the others.
/// rows: the destination is i.address, the source's base is i.rows[1] of small[4] bytes a lane, with
/// i.immediate.
Outcome publish(Warp &warp, const Instruction &i) {
  Address from{{i.rows[1], i.small[4]}, i.immediate};
  uint64_t last = 0;
  forEachLane(warp, [&](int lane) {
    uint64_t to = addressOf(warp, i.address, lane);
    if (to == last) return; // the whole warp executes it together, for one map
    last = to;
    if (to % 128)
      throw FaultError(FaultKind::Misaligned, "tensormap.cp_fenceproxy to a misaligned address", lane);
    std::byte bytes[kTensorMapBytes];
    readMap(warp, ptx::Space::Shared, sharedAddress(addressOf(warp, from, lane)), bytes, lane);
    writeMap(warp, ptx::Space::Global, to, bytes, lane);
  });
  return Outcome::Next;
}

void decodeReplace(Decoder &d, Instruction &out) {
  if (!d.take("tile")) d.fail("expected .tile");
  size_t value = 1;
  bool isKnown = false;
  for (const auto &field : kFields)
    if (d.take(field.name)) {
      isKnown = true;
      out.small[kField] = uint8_t(field.field);
      if (!field.hasOrdinal) continue;
      int64_t ordinal = d.integer(1);
      if (ordinal < 0 || ordinal > 4) d.fail("an ordinal is 0 to 4, found " + std::to_string(ordinal));
      out.small[kOrdinal] = uint8_t(ordinal);
      value = 2;
    }
  if (!isKnown) d.fail("the field is not known");
  std::string_view space = d.takeOneOf({"global", "shared::cta"});
  out.small[kSpace] = uint8_t(space.empty()       ? ptx::Space::Generic
                              : space == "global" ? ptx::Space::Global
                                                  : ptx::Space::Shared);
  d.ignore({"b1024"});
  bool isWide = d.take("b64");
  if (!isWide && !d.take("b32")) d.fail("expected .b32 or .b64");
  d.finish();
  out.small[kIsWide] = isWide;
  out.address = d.address(0);
  out.rows[kValue] = d.read(value, isWide ? kTypeB64 : kTypeB32);
  out.handler = replace;
}

void decodePublish(Decoder &d, Instruction &out) {
  d.ignore({"global", "shared::cta", "tensormap::generic", "release", "sync", "aligned"});
  d.takeOneOf({"cta", "cluster", "gpu", "sys"});
  d.finish();
  if (d.integer(2) != 128) d.fail("expected a size of 128");
  out.address = d.address(0);
  Address from = d.address(1);
  out.rows[1] = from.base.offset, out.small[4] = uint8_t(from.base.bytes), out.immediate = from.displacement;
  out.handler = publish;
}

void decodeTensorMapInstruction(Decoder &d, Instruction &out) {
  if (d.take("replace")) return decodeReplace(d, out);
  if (!d.take("cp_fenceproxy")) d.fail("expected .replace or .cp_fenceproxy");
  decodePublish(d, out);
}

} // namespace

extern const Table kTensorMapInstructions;
const Table kTensorMapInstructions = {
    {"tensormap", decodeTensorMapInstruction, Counted::Copy, Unwritten::Use, Order::Own}};

} // namespace mxc::sim
