#include "runtime/simulator/async/TensorBox.h"

#include "runtime/simulator/async/RowOverrun.h"
#include "runtime/simulator/memory/GlobalOrder.h"

#include <algorithm>
#include <cstring>

namespace mxc::sim {

uint64_t TensorBox::rowCount() const {
  if (isRowList) return 4;
  uint64_t rows = 1;
  for (unsigned d = 1; d < map.rank; ++d)
    rows *= map.boxElements(d);
  return rows;
}

uint32_t TensorBox::globalRowBytes() const { return map.box[0] * map.elementBits() / 8; }
uint32_t TensorBox::sharedRowBytes() const { return map.box[0] * map.sharedElementBits() / 8; }
uint32_t TensorBox::pitchBytes() const { return map.swizzleBytes() ? map.swizzleBytes() : sharedRowBytes(); }
uint32_t TensorBox::countedBytes() const { return uint32_t(rowCount()) * globalRowBytes(); }

uint32_t swizzledAddress(const TensorMap &map, uint32_t address) {
  uint32_t line = address >> 7;
  switch (map.swizzle) {
  case TensorMap::Swizzle::Span32:
    return address ^ (line & 1) << 4;
  case TensorMap::Swizzle::Span64:
    return address ^ (line & 3) << 4;
  case TensorMap::Swizzle::Span128:
    return map.atom == TensorMap::Atom::Bytes32 ? address ^ (line & 3) << 5 : address ^ (line & 7) << 4;
  default:
    return address;
  }
}

std::string problemOfBox(const TensorBox &box, unsigned rank, bool isStore) {
  const TensorMap &map = box.map;
  if (std::string problem = problemOf(map); !problem.empty()) return problem;
  if (map.rank != rank)
    return "the tensor map has rank " + std::to_string(map.rank) + ", the instruction " +
           std::to_string(rank);
  bool isKnown = map.atom == TensorMap::Atom::Bytes16 || map.atom == TensorMap::Atom::Bytes32;
  if (map.swizzle == TensorMap::Swizzle::Span96 || (map.swizzle == TensorMap::Swizzle::Span128 && !isKnown))
    return "swizzles of 96 bytes, or with atoms of 64 bytes or 32 with a flip, are not simulated";
  if (map.interleave) return "interleaved layouts are not simulated";
  if (map.swizzleBytes() && box.sharedRowBytes() > map.swizzleBytes())
    return "rows of " + std::to_string(box.sharedRowBytes()) + " bytes exceed the swizzle's span";
  if (uint64_t bytes = box.rowCount() * box.pitchBytes(); bytes > 1u << kSharedRankShift)
    return "a box of " + std::to_string(bytes) + " bytes exceeds shared memory";
  bool isPadded = map.sharedElementBits() != map.elementBits();
  if (isStore && isPadded) return "stores of padded element types are not simulated";
  if (box.at[0] * int64_t(map.elementBits()) % 128 != 0)
    return "the first coordinate must be a multiple of 16 bytes, found " + std::to_string(box.at[0]);
  for (unsigned d = 0; isStore && d < rank; ++d)
    if (box.at[d] < 0) return "coordinate " + std::to_string(box.at[d]) + " of a store is negative";
  return "";
}

namespace {

/// f(row, address of the row's element 0, whether the row is inside of the tensor).
template <class F> void forEachRow(const TensorBox &box, F f) {
  const TensorMap &map = box.map;
  if (box.isRowList) {
    for (uint32_t row = 0; row < 4; ++row) {
      bool isInside = box.rows[row] >= 0 && uint64_t(box.rows[row]) < map.size[1];
      f(row, map.address + uint64_t(box.rows[row]) * map.strideBytes[0], isInside);
    }
    return;
  }
  std::array<uint32_t, 5> index{};
  for (uint32_t row = 0, rows = uint32_t(box.rowCount()); row < rows; ++row) {
    uint64_t address = map.address;
    bool isInside = true;
    for (unsigned d = 1; d < map.rank; ++d) {
      int64_t coordinate = box.at[d] + int64_t(index[d]) * map.elementStride[d];
      isInside &= coordinate >= 0 && uint64_t(coordinate) < map.size[d];
      address += uint64_t(coordinate) * map.strideBytes[d - 1];
    }
    f(row, address, isInside);
    for (unsigned d = 1; d < map.rank && ++index[d] == map.boxElements(d); ++d)
      index[d] = 0;
  }
}

/// The bytes of a row of the box that are inside of the tensor: [first, last), counted from the box's first
/// element.
struct Inside {
  uint32_t first, last;
  int64_t start; // of the box's first element, from the tensor's
};
Inside insideOf(const TensorBox &box) {
  const TensorMap &map = box.map;
  int64_t count = map.box[0], bits = map.elementBits();
  int64_t first = std::clamp<int64_t>(-box.at[0], 0, count);
  int64_t last = std::clamp<int64_t>(int64_t(map.size[0]) - box.at[0], 0, count);
  return {uint32_t(first * bits / 8), uint32_t((last * bits + 7) / 8), box.at[0] * bits / 8};
}

constexpr uint32_t kMaximumRowBytes = 256 * 8;

/// Loads of tf32 round to 10 bits of fraction, to nearest even; subnormals stay, NaNs become one. (Seen on an
/// H200.)
void roundToTf32(std::byte *row, uint32_t bytes) {
  for (uint32_t i = 0; i < bytes; i += 4) {
    uint32_t bits;
    std::memcpy(&bits, row + i, 4);
    if ((bits & 0x7fffffff) > 0x7f800000)
      bits = 0x7fffe000;
    else
      bits = (bits + 0xfff + (bits >> 13 & 1)) & ~uint32_t(0x1fff);
    std::memcpy(row + i, &bits, 4);
  }
}

bool isTf32(TensorMapType type) { return type == TensorMapType::Tf32 || type == TensorMapType::Tf32Ftz; }

/// The shared bytes of a row's chunk of 16: at once for the whole box where that is one piece.
struct SharedBox {
  Cluster &cluster;
  const TensorBox &box;
  bool isRead;
  std::byte *whole = nullptr;

  SharedBox(Cluster &cluster, const TensorBox &box, bool isRead)
      : cluster(cluster), box(box), isRead(isRead) {
    forEachPiece(box, [&](uint32_t address, uint32_t bytes) {
      std::byte *at = sharedBytes(cluster, address, bytes, isRead);
      if (bytes != 16) whole = at;
    });
  }
  std::byte *chunk(uint32_t row, uint32_t offset) const {
    uint32_t address = swizzledAddress(box.map, box.shared + row * box.pitchBytes() + offset);
    return whole ? whole + (address - box.shared) : sharedBytes(cluster, address, 16, isRead);
  }
};

} // namespace

void loadBox(Cluster &cluster, const TensorBox &box) {
  const TensorMap &map = box.map;
  const Inside inside = insideOf(box);
  const uint32_t globalBytesOfRow = box.globalRowBytes(), sharedBytesOfRow = box.sharedRowBytes();
  // A chunk holds 16 bytes, or 16 elements of a padded type.
  const uint32_t taken = uint32_t(16 * map.elementBits() / map.sharedElementBits());
  SharedBox target(cluster, box, false);
  alignas(16) std::byte row[kMaximumRowBytes];
  forEachRow(box, [&](uint32_t index, uint64_t address, bool isInside) {
    bool isAny = isInside && inside.first < inside.last;
    if (!isAny || inside.first > 0 || inside.last < globalBytesOfRow) {
      // Every 16 bits of what is filled with NaN are 0x7ff7, whatever the type. (Seen on an H200.)
      bool isNan = map.fill == TensorMap::Fill::NotANumber;
      for (uint32_t i = 0; i < globalBytesOfRow; ++i)
        row[i] = std::byte(isNan ? (i & 1 ? 0x7f : 0xf7) : 0);
    }
    if (isAny) {
      uint32_t bytes = inside.last - inside.first;
      const std::byte *source =
          globalBytes(cluster, address + uint64_t(inside.start) + inside.first, bytes, true);
      std::memcpy(row + inside.first, source, bytes);
      if (isTf32(map.type)) roundToTf32(row + inside.first, bytes);
    }
    for (uint32_t chunk = 0; chunk * 16 < sharedBytesOfRow; ++chunk)
      std::memcpy(target.chunk(index, chunk * 16), row + size_t(chunk) * taken, taken);
  });
  forEachPiece(box, [&](uint32_t address, uint32_t bytes) { settleAsyncWrite(cluster, address, bytes); });
}

void requireBoxOrder(Warp &warp, const TensorBox &box, int lane) {
  if (!isStrict(warp)) return;
  const Inside inside = insideOf(box);
  if (inside.first >= inside.last) return;
  forEachRow(box, [&](uint32_t, uint64_t address, bool isInside) {
    if (isInside)
      requireGlobalOrder(warp, address + uint64_t(inside.start) + inside.first, inside.last - inside.first,
                         lane);
  });
}

std::vector<std::byte> gatherBox(Cluster &cluster, const TensorBox &box) {
  const uint32_t rows = uint32_t(box.rowCount()), bytes = box.sharedRowBytes();
  std::vector<std::byte> data(size_t(rows) * bytes);
  SharedBox source(cluster, box, true);
  for (uint32_t row = 0; row < rows; ++row)
    for (uint32_t offset = 0; offset < bytes; offset += 16)
      std::memcpy(data.data() + size_t(row) * bytes + offset, source.chunk(row, offset), 16);
  return data;
}

void storeBox(Cluster &cluster, const TensorBox &box, const std::vector<std::byte> &rows,
              BulkReduction reduction) {
  const Inside inside = insideOf(box);
  if (inside.first >= inside.last) return;
  const uint32_t bytes = inside.last - inside.first, rowBytes = box.globalRowBytes();
  const uint32_t overrun = (kStorePieceBytes - inside.last % kStorePieceBytes) % kStorePieceBytes;
  forEachRow(box, [&](uint32_t index, uint64_t address, bool isInside) {
    if (!isInside) return;
    uint64_t first = address + uint64_t(inside.start) + inside.first;
    std::byte *to = globalBytes(cluster, first, bytes, false);
    const std::byte *from = rows.data() + size_t(index) * rowBytes + inside.first;
    if (reduction)
      reduction(to, from, bytes);
    else
      std::memcpy(to, from, bytes);
    if (overrun) overrunRow(cluster, box.map, first + bytes, from + bytes, overrun, reduction);
  });
}

BulkReduction tensorReduction(std::string_view operation, TensorMapType type) {
  bool isBitwise = operation == "and" || operation == "or" || operation == "xor";
  switch (type) {
  case TensorMapType::U32:
    return bulkReduction(operation, isBitwise ? "b32" : "u32");
  case TensorMapType::S32:
    return bulkReduction(operation, isBitwise ? "b32" : "s32");
  case TensorMapType::U64:
    return bulkReduction(operation, isBitwise ? "b64" : "u64");
  case TensorMapType::S64:
    return bulkReduction(operation, "s64");
  case TensorMapType::F16:
    return bulkReduction(operation, "f16");
  case TensorMapType::Bf16:
    return bulkReduction(operation, "bf16");
  case TensorMapType::F32:
  case TensorMapType::Tf32: // sums are not rounded to tf32 (seen on an H200)
    return bulkReduction(operation, "f32");
  case TensorMapType::F32Ftz:
  case TensorMapType::Tf32Ftz:
    return bulkReduction(operation, "f32.ftz");
  case TensorMapType::F64:
    return bulkReduction(operation, "f64");
  default:
    return {};
  }
}

} // namespace mxc::sim
