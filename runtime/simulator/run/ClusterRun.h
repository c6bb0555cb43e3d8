// Runs one cluster for a while.
#pragma once

#include "runtime/simulator/machine/Warp.h"

namespace mxc::sim {

class ClusterRun {
public:
  ClusterRun(Grid &grid, uint64_t index);
  ~ClusterRun();

  enum class State { Running, Done };
  /// Executes about `budget` warp instructions. Throws FaultError with its place; deadlock is one.
  State run(uint64_t budget);
  void addStatistics(Statistics &to) const;
  const Features *features() const { return cluster_->features.get(); }

private:
  struct Slice { // of a warp: instructions that it may execute, and has
    uint32_t budget, executed = 0;
  };

  bool runWarp(Warp &warp, uint32_t budget);
  bool isPlain(const Warp &warp) const;
  bool runPlain(Warp &warp, Slice &slice);
  bool step(Warp &warp, Slice &slice);
  bool goOn(Warp &warp, Outcome outcome, Slice &slice);
  bool chooseSplit(Warp &warp);
  void checkLeftBehind(Warp &warp);
  void beginStrict(Warp &warp, const Instruction &instruction);
  void endStrict(Warp &warp, const Instruction &instruction, uint32_t mask, Outcome outcome);
  void checkResident();
  bool unblock();
  bool endTimedWaits();
  void performForSpinners(bool goesOn);
  bool isAsleep(const Warp &warp) const;
  void chooseSleepers();
  void fallBehind(const Warp &warp, Slice &slice);
  bool changeSleepers(bool goesOn);
  void finish();
  void noteExecution(const Warp &warp, const Instruction &instruction);
  void noteWait(const Warp &warp, const Instruction &instruction);
  void noteSpelling(const Instruction &instruction, uint32_t pc);
  void writeTimeline() noexcept;

  Grid &grid_;
  std::unique_ptr<Cluster> cluster_;
  Statistics statistics_;
  uint64_t executed_ = 0, limit_, residentSeen_ = 0; // residentSeen_: of `executed_`, at the last look
  uint64_t sleepers_ = 0;                            // bits of warps
  uint64_t pollsSeen_ = 0, quietRounds_ = 0;         // since an operation was last performed for spinners
  std::vector<bool> executedOnce_;                   // by instruction, while features are recorded
  bool sleepsLong_ = false;                          // until nobody else can go on
  bool isInstrumented_, isStrict_;
  bool isAdversarial_; // strict checks of a random schedule: all that the letter allows
  bool releasersFallBehind_, hasFallenBehind_ = false; // one has, and is asleep
};

} // namespace mxc::sim
