// tcgen05.cp: shared memory to tensor memory; tcgen05.shift (PTX ISA 9.7.16.9). Both are asynchronous.
#include "runtime/simulator/instructions/TensorFeatures.h"
#include "runtime/simulator/machine/Lanes.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace mxc::sim {

namespace {

/// Row r of a copy goes to lane (r % 32) + 32 * warp for each warp (32 lanes) of the set of its 32-row block.
struct Shape {
  std::string_view word, multicast;
  uint32_t rows, chunks;          // of 16 bytes a row, four columns each
  std::array<uint8_t, 4> warps{}; // by block of 32 rows: bits of warps
};
const Shape kShapes[] = {
    {"128x256b", "", 128, 2, {1, 2, 4, 8}},
    {"128x128b", "", 128, 1, {1, 2, 4, 8}},
    {"64x128b", "warpx2::02_13", 64, 1, {0b0101, 0b1010}},
    {"64x128b", "warpx2::01_23", 64, 1, {0b0011, 0b1100}},
    {"32x128b", "warpx4", 32, 1, {0b1111}},
    {"4x256b", "", 4, 2, {}}, // row r to lane 32 r
};

enum class Format : uint8_t { Bytes, Four, Six };

struct Copy : InstructionData {
  const Shape *shape = nullptr;
  Format format = Format::Bytes;
  bool isPair = false;
  uint32_t descriptor = 0; // row
};

/// PTX ISA 9.7.16.9.1: 16 elements in the low 8 or 12 bytes of 16 become 16 bytes; 4 bits lie in the middle
/// of theirs.
void decompress(Format format, uint8_t *chunk) {
  if (format == Format::Bytes) return;
  uint32_t width = format == Format::Four ? 4 : 6, shift = format == Format::Four ? 2 : 0;
  uint8_t packed[17] = {};
  std::memcpy(packed, chunk, 16);
  for (uint32_t i = 0; i < 16; ++i) {
    uint32_t bit = i * width, pair = packed[bit / 8] | uint32_t(packed[bit / 8 + 1]) << 8;
    chunk[i] = uint8_t((pair >> bit % 8 & ((1u << width) - 1)) << shift);
  }
}

struct CopyOperation : TensorOperation {
  CtaGroup group;
  const Copy *copy;
  SmemMatrix source;
  uint32_t lane, column;

  void compute(Cluster &) override {
    for (Cta *cta : group)
      for (uint32_t row = 0; row < copy->shape->rows; ++row) {
        uint8_t bytes[32];
        for (uint32_t chunk = 0; chunk < copy->shape->chunks; ++chunk) {
          std::memcpy(bytes + 16 * chunk, chunkBytes(*cta, source.kMajor(row, chunk)), 16);
          decompress(copy->format, bytes + 16 * chunk);
        }
        forTargets(row, [&](uint32_t target) {
          std::memcpy(cta->tensor.row(target, column), bytes, 16 * copy->shape->chunks);
          std::fill_n(cta->tensor.writtenRow(target, column), 4 * copy->shape->chunks, 1);
        });
      }
  }

  template <class F> void forTargets(uint32_t row, F f) const {
    if (copy->shape->rows == 4) return f(lane + 32 * row);
    for (uint32_t warp = 0; warp < 4; ++warp)
      if (copy->shape->warps[row / 32] >> warp & 1) f(32 * warp + row % 32);
  }
};

void issueCopy(Warp &warp, const Instruction &i, int thread) {
  const Copy &copy = static_cast<const Copy &>(*i.data);
  auto operation = std::make_unique<CopyOperation>();
  operation->group = groupOf(warp, copy.isPair);
  operation->copy = &copy;
  operation->source = decodeMatrixDescriptor(lanes<uint64_t>(warp, copy.descriptor)[thread]);
  uint32_t address = uint32_t(addressOf(warp, i.address, thread)), lane = tensorLane(address);
  noteScaleCopy(warp, std::string(copy.shape->word), operation->source, address);
  bool isFewRows = copy.shape->rows == 4;
  if (isFewRows ? lane >= 32 : lane != 0)
    throw FaultError(FaultKind::TensorMemory,
                     "tcgen05.cp to lane " + std::to_string(lane) + " of tensor memory", thread);
  operation->lane = lane, operation->column = tensorColumn(address);
  for (Cta *cta : operation->group) {
    TensorRegion all{0, TensorMemory::kLanes, operation->column, 4 * copy.shape->chunks};
    if (!isFewRows) operation->uses.push_back({cta->rank, all, true, "the destination of tcgen05.cp"});
    for (uint32_t row = 0; isFewRows && row < 4; ++row)
      operation->uses.push_back(
          {cta->rank, {lane + 32 * row, 1, all.column, all.columns}, true, "the destination of tcgen05.cp"});
  }
  operation->chain = tensorChain(*operation->group.ctas[0]);
  requireTensorUses(warp, operation->uses, operation->chain, TensorOrder::AllDone, thread);
  for (Cta *cta : operation->group)
    for (uint32_t row = 0; row < copy.shape->rows; ++row)
      for (uint32_t chunk = 0; chunk < copy.shape->chunks; ++chunk)
        useChunk(warp, *operation, *operation->group.ctas[0], *cta, operation->source.kMajor(row, chunk),
                 "the source of tcgen05.cp", thread);
  issueTensorOperation(warp, i, std::move(operation));
}

Outcome copyHandler(Warp &warp, const Instruction &i) {
  forEachLane(warp, [&](int thread) { issueCopy(warp, i, thread); });
  return Outcome::Next;
}

constexpr uint32_t kShiftLanes = 32, kShiftColumns = 8; // 32-byte elements of the rows of a warp

struct ShiftOperation : TensorOperation {
  CtaGroup group;
  uint32_t lane, column;

  /// Each row takes what the next one had; the last one keeps its own.
  void compute(Cluster &) override {
    for (Cta *cta : group)
      for (uint32_t row = lane; row + 1 < lane + kShiftLanes; ++row) {
        std::copy_n(cta->tensor.row(row + 1, column), kShiftColumns, cta->tensor.row(row, column));
        std::copy_n(cta->tensor.writtenRow(row + 1, column), kShiftColumns,
                    cta->tensor.writtenRow(row, column));
      }
  }
};

Outcome shiftHandler(Warp &warp, const Instruction &i) {
  forEachLane(warp, [&](int thread) {
    auto operation = std::make_unique<ShiftOperation>();
    operation->group = groupOf(warp, i.small[0]);
    uint32_t address = uint32_t(addressOf(warp, i.address, thread));
    operation->lane = tensorLane(address), operation->column = tensorColumn(address);
    if (operation->lane % kShiftLanes)
      throw FaultError(FaultKind::TensorMemory,
                       "tcgen05.shift: the lane must be a multiple of 32, found " +
                           std::to_string(operation->lane),
                       thread);
    for (Cta *cta : operation->group)
      operation->uses.push_back({cta->rank,
                                 {operation->lane, kShiftLanes, operation->column, kShiftColumns},
                                 true,
                                 "the rows of tcgen05.shift"});
    operation->chain = tensorChain(*operation->group.ctas[0]);
    requireTensorUses(warp, operation->uses, operation->chain, TensorOrder::Issued, thread);
    issueTensorOperation(warp, i, std::move(operation));
  });
  return Outcome::Next;
}

} // namespace

void decodeTcgen05Copy(Decoder &d, Instruction &out) {
  d.take("cp");
  auto copy = std::make_unique<Copy>();
  copy->isPair = takeCtaGroup(d);
  std::string_view word = d.takeOneOf({"128x256b", "4x256b", "128x128b", "64x128b", "32x128b"});
  std::string_view multicast = d.takeOneOf({"warpx2::02_13", "warpx2::01_23", "warpx4"});
  for (const Shape &shape : kShapes)
    if (shape.word == word && shape.multicast == multicast) copy->shape = &shape;
  if (!copy->shape) d.fail("no such shape and multicast");
  bool isExpanded = d.take("b8x16");
  std::string_view format = d.takeOneOf({"b6x16_p32", "b4x16_p64"});
  if (isExpanded != !format.empty()) d.fail("expected .b8x16.b6x16_p32 or .b8x16.b4x16_p64");
  if (isExpanded) copy->format = format == "b4x16_p64" ? Format::Four : Format::Six;
  out.address = d.address(0);
  copy->descriptor = d.read(1, kTypeB64);
  out.data = std::move(copy);
  out.handler = copyHandler;
  d.finish();
}

void decodeTcgen05Shift(Decoder &d, Instruction &out) {
  d.take("shift");
  out.small[0] = takeCtaGroup(d);
  if (!d.take("down")) d.fail("expected .down");
  out.address = d.address(0);
  out.handler = shiftHandler;
  d.finish();
}

} // namespace mxc::sim
