// What a kernel does on a simulator, which has no times: counts.
#pragma once

#include "runtime/simulator/report/Statistics.h"
#include "tools/mxc/bench/BenchCase.h"

namespace mxc::bench {

struct CountRow {
  std::string name, tile;
  sim::Statistics counts = {};
};

struct CountCase {
  std::string kernel, file, shape;
  Dimensions dimensions;
  double bytesRead = 0, bytesWritten = 0; // that a launch must
  uint64_t elements = 0;                  // of the largest tensor
  std::vector<CountRow> rows = {};
};

/// Launches each candidate once on `target`'s simulator.
CountCase countCase(const std::vector<Candidate> &candidates, const std::string &file,
                    const Dimensions &dimensions, const Arguments &scalars, const std::string &target);

double instructionsPerElement(const CountCase &result, const CountRow &row); // of lanes
double bytesRead(const CountRow &row), bytesWritten(const CountRow &row);    // whole sectors, and bulk copies
uint64_t bankConflicts(const CountRow &row);

std::string countText(const CountCase &result); // a table
std::string countJson(const std::string &device, const std::vector<CountCase> &cases);
std::string countCsv(const std::string &device, const std::vector<CountCase> &cases);
std::string countHtml(const std::string &device, const std::string &model,
                      const std::vector<CountCase> &cases);

} // namespace mxc::bench
