// Runs kernels: a program, a launch, memory; results and faults come back.
#pragma once

#include "runtime/simulator/Fault.h"
#include "runtime/simulator/Options.h"
#include "runtime/simulator/Statistics.h"
#include "runtime/simulator/memory/GlobalMemory.h"
#include "runtime/simulator/ptx/Ast.h"

#include <memory>
#include <optional>
#include <vector>

namespace mxc::sim {

struct Program; // a kernel decoded for execution (Program.h)

/// A module in device memory: its variables are allocated and initialized.
class LoadedModule {
public:
  /// Throws mxc::Error (InvalidInput): PTX errors with line and column, a target that the chip does not run;
  /// Device: no memory.
  LoadedModule(std::string_view ptx, std::string_view name, GlobalMemory &memory, const Options &options);
  ~LoadedModule();
  LoadedModule(const LoadedModule &) = delete;

  const ptx::Module &module() const { return module_; }
  const std::string &target() const { return target_; } // the chip's
  std::string line(uint32_t number) const;              // of the text, trimmed; for reports
  /// The kernel of that name, decoded at the first call; null if there is none.
  const Program *kernel(std::string_view name);
  /// A module variable's allocation; null if there is none.
  const Allocation *variable(std::string_view name) const;
  uint64_t functionAddress(std::string_view name) const; // 0: no such function

private:
  friend struct Program;
  ptx::Module module_;
  GlobalMemory &memory_;
  std::string target_, text_;
  std::map<std::string, Allocation, std::less<>> variables_;
  std::map<std::string, std::unique_ptr<Program>, std::less<>> programs_;
};

struct KernelFacts { // what cuFuncGetAttribute and occupancy need
  uint32_t parameterBytes = 0, staticSharedBytes = 0, localBytes = 0, registers = 0, maximumThreads = 1024;
  std::array<uint32_t, 3> requiredThreads{}, requiredCluster{}; // 0: not given
  std::vector<uint32_t> parameterOffsets, parameterSizes;
  std::string target, version;
};
const KernelFacts &factsOf(const Program &program);

struct Launch {
  std::array<uint32_t, 3> grid{1, 1, 1}, block{1, 1, 1}, cluster{1, 1, 1};
  uint32_t dynamicSharedBytes = 0;
  std::vector<std::byte> parameters; // parameterBytes of them
  bool isClusterExplicit = false;    // dimensions were given, by the launch or the kernel: st.async needs it
};

struct LaunchResult {
  std::optional<Fault> fault;
  Statistics statistics; // if options.collectStatistics
};

/// Runs the grid to its end. Any thread may call it; one launch at a time a GlobalMemory.
LaunchResult run(const Program &program, const Launch &launch, GlobalMemory &memory, const Options &options);

/// Instructions of a module's kernels that would fault because the simulator or the chip lacks them:
/// "quantize, line 12: foo.bar.b32: ..".
std::vector<std::string> unsupportedInstructions(const LoadedModule &module);

} // namespace mxc::sim
