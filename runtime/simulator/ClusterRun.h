// Runs one cluster for a while.
#pragma once

#include "runtime/simulator/Warp.h"

namespace mxc::sim {

class ClusterRun {
public:
  ClusterRun(Grid &grid, uint64_t index);

  enum class State { Running, Done };
  /// Executes about `budget` warp instructions. Throws FaultError with its place; deadlock is one.
  State run(uint64_t budget);
  void addStatistics(Statistics &to) const;

private:
  bool runWarp(Warp &warp, uint32_t budget); // true: something was executed
  bool chooseFragment(Warp &warp);
  void beginStrict(Warp &warp, const Instruction &instruction);
  bool unblock();
  [[noreturn]] void reportDeadlock();
  void finish();

  Grid &grid_;
  std::unique_ptr<Cluster> cluster_;
  Statistics statistics_;
  uint64_t executed_ = 0, limit_;
  bool isInstrumented_;
};

} // namespace mxc::sim
