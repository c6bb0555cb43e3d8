// PTX text in device memory, and its kernels decoded.
#pragma once

#include "runtime/simulator/Options.h"
#include "runtime/simulator/machine/Launch.h"
#include "runtime/simulator/machine/PlacedModule.h"

#include <memory>

namespace mxc::sim {

struct Program; // a kernel decoded for execution (machine/Program.h)

/// A module in device memory: its variables are allocated and initialized.
class LoadedModule {
public:
  /// Throws mxc::Error (InvalidInput): PTX errors with line and column, a target that the chip does not run;
  /// Device: no memory.
  LoadedModule(std::string_view ptx, std::string_view name, GlobalMemory &memory, const Options &options);
  ~LoadedModule();
  LoadedModule(const LoadedModule &) = delete;

  const PlacedModule &placed() const { return placed_; }
  const ptx::Module &module() const { return placed_.module; }
  /// The kernel of that name, decoded at the first call; null if there is none. Throws mxc::Error:
  /// InvalidInput for one beyond the chip's limits, Device where the host's memory would not do.
  const Program *kernel(std::string_view name);
  /// A module variable's allocation; null if there is none.
  const Allocation *variable(std::string_view name) const { return placed_.variable(name); }

private:
  void checkBudget(uint64_t bytes) const;
  void placeVariables(uint64_t budget);
  void initialize(const ptx::Variable &variable);
  void releaseVariables();

  PlacedModule placed_;
  GlobalMemory &memory_;
  uint64_t decodeLeft_; // bytes that kernels may still take when they are decoded
  std::map<std::string, std::unique_ptr<Program>, std::less<>> programs_;
};

const KernelFacts &factsOf(const Program &program);

/// Instructions of a module's kernels that would fault because the simulator or the chip lacks them:
/// "quantize, line 12: foo.bar.b32: ..".
std::vector<std::string> unsupportedInstructions(const LoadedModule &module);

} // namespace mxc::sim
