// How long a product takes on a chip with tensor memory, as a model says it: for ranking tiles, not for
// promising times. docs/model.md has the formulas, their sources and a table.
#pragma once

#include "compiler/lowering/product/plan/MatmulPlan.h"
#include "compiler/targets/TensorRates.h"

namespace mxc {

/// Of one tile, in cycles of the multiprocessors that work on it.
struct TileCost {
  int multiply = 0; // tensor core, a step of 128 along K
  int copy = 0;     // the same step's bytes on their way into a multiprocessor
  int bubble = 0;   // a tile's wait for its accumulator, where two overlap
  int store = 0;    // a tile's way out, behind the next one's steps
  int storeRow = 0; // and more for each row of c in the CTA: its parts, where slices share a tile
  int64_t stepBytes = 0, bytesInFlight = 0;

  int step() const { return std::max(multiply, copy); }
};
TileCost costOf(const MatmulPlan &plan, const TensorRates &rates);

struct ProductShape {
  int64_t m, n, k, batches = 1;
};

struct ProductTime {
  int64_t waves;       // tiles, or slices of them, that the busiest cluster works on, one after the other
  double pipeMicros;   // of the tensor cores and what feeds them
  double memoryMicros; // of reading a and b and writing c
  double micros() const { return std::max(pipeMicros, memoryMicros); }
};
ProductTime timeOf(const MatmulPlan &plan, const TensorRates &rates, const ProductShape &shape);

/// pipeMicros in cycles, without what every tile has: an expression of the ABI over M, N, K (and B of
/// batches) and SMs.
std::string cyclesText(const MatmulPlan &plan, const TensorRates &rates, bool isBatched);

} // namespace mxc
