// A measurement that never was.
#pragma once

#include "tools/mxc/bench/BenchReport.h"

inline mxc::bench::Case sampleCase() {
  mxc::bench::Case result;
  result.kernel = "quantize", result.file = "q.mlir", result.shape = "M = 64, K = 32";
  result.dimensions = {{"M", 64}, {"K", 32}};
  result.clocks.add({1980, 3201, 0});
  result.rows = {
      {.name = "warps = 4", .tile = "warps = 4", .bytes = 3e6, .timing = {{1.0, 1.001, 1.002}}},
      {.name = "slow <\"&>", .tile = "", .bytes = 3e6, .timing = {{2.0, 2.001, 2.002}}},
      {.name = "streaming", .tile = "", .isCeiling = true, .bytes = 2.9e6, .timing = {{0.9, 0.901, 0.902}}}};
  for (mxc::bench::Row &row : result.rows)
    row.clocks = result.clocks;
  return result;
}
