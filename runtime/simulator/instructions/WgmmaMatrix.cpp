#include "runtime/simulator/instructions/WgmmaMatrix.h"

#include "runtime/simulator/memory/Access.h"

#include <cstring>

namespace mxc::sim {

SmemMatrix decodeWgmmaDescriptor(uint64_t bits) {
  constexpr uint32_t kSpans[] = {16, 128, 64, 32}; // by bits 62 and 63
  constexpr uint64_t kReserved = ~(uint64_t(0x3FFF) | uint64_t(0x3FFF) << 16 | uint64_t(0x3FFF) << 32 |
                                   uint64_t(7) << 49 | uint64_t(3) << 62);
  if (bits & kReserved)
    throw FaultError(FaultKind::Illegal,
                     "reserved bits of a wgmma matrix descriptor are set: " + std::to_string(bits));
  if (bits >> 49 & 7 && bits >> 62) // without a swizzle it says nothing
    throw FaultError(FaultKind::Illegal,
                     "a matrix descriptor with a base offset: the simulator takes swizzle atoms that "
                     "begin at a multiple of their size alone");
  auto field = [bits](int shift) { return uint32_t(bits >> shift & 0x3FFF) << 4; };
  return {field(0), field(16), field(32), kSpans[bits >> 62]};
}

void loadMatrix(Cluster &cluster, uint32_t rank, const SmemMatrix &matrix, bool isTransposed, int firstRow,
                Element element, DotOperand &to) {
  auto bytesAt = [&](uint32_t offset) {
    return reinterpret_cast<const uint8_t *>(
        sharedBytes(cluster, rank << kSharedRankShift | offset, 16, true));
  };
  int perChunk = int(128 / bitsOf(element));
  if (!isTransposed) {
    for (int row = 0; row < to.rows(); ++row)
      for (int k = 0; k < to.k(); k += perChunk)
        to.setPacked(row, k, bytesAt(matrix.kMajor(uint32_t(firstRow + row), uint32_t(k / perChunk))),
                     perChunk);
    return;
  }
  for (int k = 0; k < to.k(); ++k)
    for (int row = 0; row < to.rows(); row += perChunk) {
      const uint8_t *bytes = bytesAt(matrix.rowMajor(uint32_t((firstRow + row) / perChunk), uint32_t(k)));
      for (int i = 0; i < perChunk; ++i) {
        uint16_t element16;
        std::memcpy(&element16, bytes + i * 2, 2);
        to.set(row + i, k, element16);
      }
    }
}

} // namespace mxc::sim
