#include "runtime/simulator/instructions/MatrixFragments.h"

#include "runtime/simulator/machine/Lanes.h"

namespace mxc::sim {

void loadFragment(Warp &warp, std::span<const uint32_t> registers, Element element, Packing packing,
                  DotOperand &to) {
  int blocks = to.rows() / 8, count = packing == Packing::Bytes ? 4 : int(32 / bitsOf(element));
  bool isShifted = packing == Packing::Bytes && element == Element::E2M1;
  for (size_t i = 0; i < registers.size(); ++i) {
    const uint32_t *words = lanes<uint32_t>(warp, registers[i]);
    int firstRow = int(i) % blocks * 8, firstK = int(i) / blocks * 4 * count;
    for (int lane = 0; lane < kLanes; ++lane) {
      uint32_t word = isShifted ? words[lane] >> 2 & 0x0F0F0F0F : words[lane];
      to.setPacked(firstRow + lane / 4, firstK + lane % 4 * count, &word, count, packing == Packing::Bytes);
    }
  }
}

namespace {

/// f(register, lane, index into the tile of its first element)
template <class F> void forAccumulator(size_t registers, int rows, int columns, int columnsOfRegister, F f) {
  size_t ofRow = size_t(2 / columnsOfRegister), ofBlock = ofRow * size_t(rows) / 8; // registers of 8 columns
  for (size_t i = 0; i < registers; ++i) {
    size_t block = i / ofBlock, row = i % ofBlock / ofRow * 8, column = block * 8 + i % ofRow;
    for (size_t lane = 0; lane < kLanes; ++lane)
      f(i, lane, (row + lane / 4) * size_t(columns) + column + lane % 4 * 2);
  }
}

} // namespace

void loadAccumulator(Warp &warp, std::span<const uint32_t> registers, int rows, int columns, bool isHalf,
                     uint32_t *tile) {
  forAccumulator(registers.size(), rows, columns, isHalf ? 2 : 1, [&](size_t i, size_t lane, size_t at) {
    uint32_t word = lanes<uint32_t>(warp, registers[i])[lane];
    tile[at] = isHalf ? word & 0xFFFF : word;
    if (isHalf) tile[at + 1] = word >> 16;
  });
}

void storeAccumulator(Warp &warp, std::span<const uint32_t> registers, int rows, int columns, bool isHalf,
                      const uint32_t *tile) {
  forAccumulator(registers.size(), rows, columns, isHalf ? 2 : 1, [&](size_t i, size_t lane, size_t at) {
    lanes<uint32_t>(warp, registers[i])[lane] = isHalf ? (tile[at] & 0xFFFF) | tile[at + 1] << 16 : tile[at];
  });
}

} // namespace mxc::sim
