#include "runtime/simulator/instructions/TensorFragments.h"

namespace mxc::sim {

namespace {

struct Cell {
  uint32_t lane, column;
};

/// t: lane of the warp; i: repetition; j: register in it.
struct Shape {
  std::string_view name;
  uint32_t lanes, registersPerRepeat, columnsPerRepeat, maximumRepeats;
  Cell (*cell)(uint32_t t, uint32_t i, uint32_t j);
};

const Shape kShapes[] = {
    {"32x32b", 32, 1, 1, 128, [](uint32_t t, uint32_t i, uint32_t) -> Cell { return {t, i}; }},
    {"16x64b", 16, 1, 2, 128,
     [](uint32_t t, uint32_t i, uint32_t) -> Cell { return {t / 4 + 8 * (t & 1), 2 * i + (t >> 1 & 1)}; }},
    {"16x128b", 16, 2, 4, 64,
     [](uint32_t t, uint32_t i, uint32_t j) -> Cell { return {t / 4 + 8 * j, 4 * i + t % 4}; }},
    {"16x256b", 16, 4, 8, 32,
     [](uint32_t t, uint32_t i, uint32_t j) -> Cell {
       return {t / 4 + 8 * (j / 2), 8 * i + 2 * (t % 4) + j % 2};
     }},
    {"16x32bx2", 16, 1, 1, 128, [](uint32_t t, uint32_t i, uint32_t) -> Cell { return {t % 16, i}; }},
};

} // namespace

TensorFragment tensorFragment(std::string_view name, uint32_t repeats, uint32_t halfOffset, bool isPacked) {
  TensorFragment fragment;
  for (const Shape &shape : kShapes) {
    if (shape.name != name || repeats == 0 || repeats > shape.maximumRepeats || (repeats & (repeats - 1)))
      continue;
    fragment.registers = repeats * shape.registersPerRepeat;
    fragment.lanes = shape.lanes;
    fragment.isPacked = isPacked;
    uint32_t width = isPacked ? 2 : 1, columns = repeats * shape.columnsPerRepeat * width;
    fragment.regions.push_back({0, shape.lanes, 0, columns});
    bool isSplit = name == "16x32bx2";
    if (isSplit) fragment.regions.push_back({0, shape.lanes, halfOffset, columns});
    for (uint32_t i = 0; i < repeats; ++i)
      for (uint32_t j = 0; j < shape.registersPerRepeat; ++j)
        for (uint32_t t = 0; t < 32; ++t) {
          Cell cell = shape.cell(t, i, j);
          uint32_t half = isSplit && t >= 16 ? halfOffset : 0;
          fragment.offsets.push_back(cell.lane * TensorMemory::kColumns + cell.column * width + half);
        }
  }
  return fragment;
}

} // namespace mxc::sim
