// One simulated GPU: its chip, its memory, its primary context, and the launches on it.
#pragma once

#include "runtime/simulator/driver/Allocations.h"
#include "runtime/simulator/driver/Chips.h"
#include "runtime/simulator/driver/Context.h"
#include "runtime/simulator/run/Engine.h"

namespace mxc::sim {

class SimulatedDevice {
public:
  /// Throws mxc::Error (Device) if not even a small memory can be reserved.
  SimulatedDevice(const Chip &chip, int ordinal, Options options);

  const Chip &chip() const { return chip_; }
  int ordinal() const { return ordinal_; }
  int multiprocessors() const; // the chip's, or what the options say
  GlobalMemory &memory() { return *memory_; }
  Allocations &allocations() { return allocations_; }

  Options options() const;
  void setOptions(Options options); // for later modules and launches
  Statistics takeStatistics();      // of the launches since the last call

  /// From now on errors carry the reports of faults (lastFault), which are not printed then.
  void tellByErrors() { isToldByErrors_ = true; }
  std::string lastFault() const; // "": none so far
  /// Why a launch's timeline or features could not be written, since the last call; the launch itself ran.
  std::string takeFileFailure();
  void keepFileFailures() { keepsFileFailures_ = true; } // for that; else they are printed, too

  /// Runs a launch to its end. A fault is printed, goes to the report file and is the context's from then on.
  /// Before the host writes device memory: throws Refusal (OUT_OF_MEMORY), and says why, where that takes
  /// more of its own than the budget (MXC_SIM_MEMORY).
  void requireRoom(uint64_t address, uint64_t bytes);
  void launch(Context &context, const Program &program, const Launch &launch);

  /// Held by whatever reads, writes or frees memory, launches included.
  std::unique_lock<std::mutex> exclusiveMemory() { return std::unique_lock(memoryMutex_); }

private:
  void report(const std::string &text, const std::string &file);
  std::atomic<bool> isToldByErrors_{false};
  std::atomic<bool> keepsFileFailures_{false};
  std::string lastFault_, fileFailure_; // with the options' mutex

  const Chip &chip_;
  const int ordinal_;
  std::unique_ptr<GlobalMemory> memory_;
  Allocations allocations_;
  mutable std::mutex optionsMutex_; // statistics too
  std::mutex memoryMutex_;
  Options options_;
  Statistics statistics_;

public:                             // after the memory, which contexts use to their end
  std::shared_ptr<Context> primary; // never null; alive while it is retained
  int primaryRetained = 0;
  std::mutex primaryMutex;
};

} // namespace mxc::sim
