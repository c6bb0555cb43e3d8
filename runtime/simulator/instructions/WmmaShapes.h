// The matrices of wmma (PTX ISA 9.7.15.1): which shapes and types there are, and which registers hold which
// elements. The manual leaves that open; here it is as in mma.sync (MatrixFragments.h), with more rows and
// columns of blocks. f16 operands have 8 registers whatever their size: what is over repeats the others.
#pragma once

#include "runtime/simulator/instructions/MmaShapes.h"

namespace mxc::sim {

struct WmmaShape {
  int m = 0, n = 0, k = 0;
};

/// Takes the shape, one of those that have `type` for that matrix ("a", "b", "c", "d"). Fails otherwise.
WmmaShape takeWmmaShape(Decoder &d, char matrix, std::string_view type);

/// One matrix, as load and store see it: columns are k for A (rows m) and B (rows n), n for C and D (rows m).
struct WmmaMatrix {
  int rows = 0, columns = 0, elementBits = 32;
  int registers = 0; // of a lane
  int distinct = 0;  // of them; the others repeat these

  uint32_t registerBytes() const { return elementBits == 64 ? 8 : 4; }
  int registerElements() const { return elementBits == 64 ? 1 : 32 / elementBits; }
  /// The place of the first element of a register; the others follow in its row.
  struct Cell {
    uint32_t row, column;
  };
  Cell cell(int reg, int lane) const;
  bool isAccumulator = false;
};

WmmaMatrix wmmaMatrix(const WmmaShape &shape, char matrix, std::string_view type);

} // namespace mxc::sim
