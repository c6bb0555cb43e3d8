// One kernel at one shape, with each tile, beside the ceiling of the same traffic and, of products, of the
// tensor cores.
#pragma once

#include "runtime/launch/Kernel.h"
#include "runtime/measure/Measurement.h"

#include <optional>
#include <string>
#include <vector>

namespace mxc::bench {

/// A kernel to be measured, compiled with one choice of tiles.
struct Candidate {
  std::string name; // "default tiles", or the tile
  Kernel kernel;
};

struct Row {
  std::string name;
  std::string tile;                                // of the variant that was launched
  bool isCeiling = false, isTensorCeiling = false; // of the traffic; of the multiplications
  double bytes = 0, operations = 0; // of a launch; operations: of a product, twice its multiply-adds
  measure::Timing timing = {};
  measure::ClockRange clocks = {};                    // while it was timed
  std::optional<double> ratio = {}, tensorRatio = {}; // of its rate to the ceilings'
  std::string remark = {};                            // why there is no ratio; what is wrong with the results

  double gigabytesPerSecond() const { return bytes / timing.median() / 1e3; }
  double teraflopsPerSecond() const { return operations / timing.median() / 1e6; }
};

struct Case {
  std::string kernel, file, shape; // shape: "M = 8192, K = 8192", "static sizes"
  Dimensions dimensions;
  bool pdl = false;
  int sets = 0;
  measure::ClockRange clocks = {}; // of all rows
  std::vector<Row> rows =
      {}; // candidates in their order, then ceilings, the fastest first, the tensor cores' last

  const Row *ceiling() const;
  const Row *tensorCeiling() const;
  bool hasOperations() const { return !rows.empty() && rows.front().operations > 0; }
  bool hasWrongResults = false;
};

/// "M = 8192, K = 7168", in the kernel's order.
std::string shapeTextOf(const KernelAbi &kernel, const Dimensions &dimensions);

struct CaseOptions {
  bool pdl = false;
  int rounds = 11;
  bool warm = false; // one set of tensors, which L2 may keep
  /// How long each contender works before it is timed for a quarter as long. Absent: what products need for
  /// the clock that the chip's power limit leaves them, and none for others.
  std::optional<int> settleMillis = {};
};

/// Measures the candidates, all of one kernel, and the streaming kernels in turns; with products one that
/// only multiplies. Outputs are poisoned two ways and must come out the same. Throws mxc::Error as the
/// launches do.
Case measureCase(const std::vector<Candidate> &candidates, const std::string &file,
                 const Dimensions &dimensions, const Arguments &scalars, const CaseOptions &options);

/// A contender whose clocks moved from round to round or whose times scatter further than this says nothing
/// of a few percent: there is no ratio then.
inline constexpr double kClockMovement = 0.03, kSpread = 0.02;

/// Sets each row's ratios, or the remark why there are none.
void setRatios(Case &result);

} // namespace mxc::bench
