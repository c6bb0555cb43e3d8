// How long a product takes on a chip with tensor memory, as a model says it: for ranking tiles, not for
// promising times. docs/model.md has the formulas, their sources and a table.
#pragma once

#include "compiler/abi/ShapeExpression.h"
#include "compiler/targets/TensorRates.h"

#include <algorithm>

namespace mxc {

/// What the model asks of a tile of a product.
struct PipeTile {
  int m = 0, n = 0;                            // of c, a cluster
  int parts = 1;                               // products that share the n columns
  int ctas = 1, slices = 1;                    // a cluster; clusters that share a tile's steps along K
  int supergroup = 1;                          // rows of tiles that share b in L2
  int rows = 0, columnsB = 0;                  // of a and b, a CTA
  int stepK = 0;                               // elements of K a step
  int instructions = 4, instructionBytes = 32; // of a step, along K
  int copies = 1;       // parts of a step along K that are copied each by itself: those past K bring nothing
  int elementBytes = 0; // of c
  int bitsA = 8, bitsB = 8;  // an element of a, and of b
  int64_t stepBytes = 0;     // of operands and scales, a CTA, on their way
  int64_t bytesInFlight = 0; // of them, in all stages
  int overlapColumns = 0;    // of two accumulators, in whole boxes of results
};

/// The cost of one tile, in cycles of the multiprocessors that work on it.
struct TileCost {
  int multiply = 0; // tensor core, a step along K
  int copy = 0;     // the same step's bytes on their way into a multiprocessor
  int bubble = 0;   // a tile's wait for its accumulator, where two overlap
  int store = 0;    // a tile's way out, after the next one's steps
  int storeRow = 0; // and more for each row of c in the CTA: its parts, where slices share a tile
  int64_t bytesInFlight = 0;

  int step() const { return std::max(multiply, copy); }
};
TileCost costOf(const PipeTile &tile, const TensorRates &rates);

struct ProductShape {
  int64_t m, n, k, batches = 1;
};

struct ProductTime {
  double pipeMicros;   // of the tensor cores and what feeds them
  double memoryMicros; // of reading a and b and writing c
  double micros() const { return std::max(pipeMicros, memoryMicros); }
};
ProductTime timeOf(const PipeTile &tile, const TensorRates &rates, const ProductShape &shape);

/// Cycles of the tensor cores and what feeds them, without what every tile has: over M, N, K (and B of
/// batches) and SMs.
ShapeExpression pipeCycles(const PipeTile &tile, const TensorRates &rates, bool isBatched);

} // namespace mxc
