// How the simulator runs kernels: chosen by the caller or by MXC_SIM_* variables.
#pragma once

#include "runtime/simulator/Finding.h"

#include <cstdint>
#include <string>
#include <vector>

namespace mxc::sim {

enum class Checks : uint8_t {
  Off,      // nothing but what a GPU traps on: addresses out of bounds, misaligned
  Standard, // what is wrong by any reading
  Strict,   // the letter of the PTX memory model
};

/// When asynchronous operations complete, and which warp runs next.
struct Schedule {
  enum class Kind : uint8_t {
    Eager,  // at once
    Lazy,   // only when something waits for it
    Random, // at a moment that `seed` chooses
    Sweep,  // eager, lazy and random with the seeds 1 to `seed`, one after the other (run/ScheduleSweep.h)
  } kind = Kind::Eager;
  uint64_t seed = 0;
};

/// How tensor cores add up floating-point products.
enum class TensorArithmetic : uint8_t {
  Exact,  // as the chip does, to the bit
  Double, // in f64, rounded once an instruction: what the chip's arithmetic is measured against
};

/// From which instruction of a cluster to which a timeline is recorded.
struct TimelineWindow {
  uint64_t from = 0, to = ~uint64_t(0);
};

/// A range of a CTA's dynamic shared memory that has a name: "operands full 2".
struct NamedRange {
  std::string name;
  uint32_t offset = 0, bytes = 0;
};

struct Options {
  std::string target = "sm_100a"; // the chip: "sm_90a", "sm_100a", "sm_103a", "sm_120a", "sm_121a"
  Checks checks = Checks::Standard;
  uint32_t leftOut = 0; // findings that are not reported, a bit each
  Schedule schedule;
  TensorArithmetic tensorArithmetic = TensorArithmetic::Exact;
  unsigned threads = 0;         // host threads; 0: one a core
  uint32_t multiprocessors = 0; // 0: the chip's
  std::string traceFilter;      // "", "*" or "CTA:WARP", either of them a * perhaps: a line an instruction on
                                // standard error
  std::string reportFile;       // faults go here too; "": standard error alone
  bool collectStatistics = false;
  bool isBehindGrid = false; // Checks::Strict: a dependent launch takes it that a grid in front of it wrote
                             // all that is in memory, whoever did
  std::string featuresFile;  // report/Features.h; "": none
  std::string timelineFile;  // report/TimelineFile.h; "": none
  TimelineWindow timelineWindow;
  std::vector<NamedRange> sharedNames; // of dynamic shared memory, for the timeline
  std::vector<std::string> warpNames;  // likewise; "": none
  uint64_t instructionLimit =
      ~uint64_t(0);         // warp instructions of one cluster: ends endless loops (MXC_SIM_LIMIT)
  uint64_t memoryBytes = 0; // of the host that a module or a launch may take; 0: half of it (MXC_SIM_MEMORY)

  bool leavesOut(Finding finding) const { return leftOut >> unsigned(finding) & 1; }
};

/// Options::memoryBytes, or what stands for 0.
uint64_t memoryBudget(const Options &options);

/// From MXC_SIM_CHECKS, MXC_SIM_SCHEDULE ("eager", "lazy", "random:7", "sweep:4"), MXC_SIM_TENSOR,
/// MXC_SIM_THREADS, MXC_SIM_SMS, MXC_SIM_TRACE, MXC_SIM_REPORT, MXC_SIM_TIMELINE, MXC_SIM_TIMELINE_WINDOW,
/// MXC_SIM_FEATURES, MXC_SIM_LIMIT, MXC_SIM_MEMORY. Throws mxc::Error (Usage) for a value that is none.
Options optionsFromEnvironment(std::string target);

std::string traceFilterNamed(const std::string &filter); // without leading zeros; throws mxc::Error (Usage)
/// The level, then names of findings (Findings.def) to leave out: "strict", "strict,-shared-race". These
/// functions throw mxc::Error (Usage).
void setChecks(Options &options, const std::string &text);
/// "eager", "lazy", "random:SEED", "sweep" or "sweep:SEEDS". Throws mxc::Error (Usage).
Schedule scheduleNamed(const std::string &name);
std::string name(const Schedule &schedule);                  // as scheduleNamed takes it
TimelineWindow timelineWindowNamed(const std::string &text); // "FROM:TO"; throws mxc::Error (Usage)
TensorArithmetic
tensorArithmeticNamed(const std::string &name); // "exact" or "f64"; throws mxc::Error (Usage)

} // namespace mxc::sim
