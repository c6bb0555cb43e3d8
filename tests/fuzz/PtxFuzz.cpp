// Whatever the text, the simulator parses, decodes and runs it, or reports an error or a fault. The last byte
// chooses the chip, the checks and the schedule.
#include "dialect/formats/Error.h"
#include "runtime/simulator/decode/LoadedModule.h"
#include "runtime/simulator/run/Engine.h"

#include <cstring>

using namespace mxc::sim;

namespace {

constexpr uint64_t kBufferBytes = 1 << 16;

void runKernel(LoadedModule &module, const std::string &name, GlobalMemory &memory, const Options &options) {
  const Program *program = module.kernel(name);
  if (!program) return;
  const KernelFacts &facts = factsOf(*program);
  if (facts.parameterBytes > 4096) return;
  Launch launch;
  launch.block = {std::min(64u, facts.maximumThreads), 1, 1};
  if (facts.requiredThreads[0]) launch.block = facts.requiredThreads;
  if (facts.requiredCluster[0] == 2) launch.grid[0] = launch.cluster[0] = 2;
  launch.dynamicSharedBytes = 4096;
  launch.parameters.resize(facts.parameterBytes);
  for (size_t at = 0; at + 8 <= launch.parameters.size(); at += 8) {
    uint64_t buffer = memory.allocate(kBufferBytes, "parameter");
    std::memcpy(launch.parameters.data() + at, &buffer, 8);
  }
  KernelServices services(memory);
  run(*program, launch, memory, options, services);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (!size) return 0;
  static const char *const kChips[] = {"sm_90a", "sm_100a", "sm_103a", "sm_120a", "sm_121a"};
  Options options;
  options.target = kChips[data[size - 1] % 4];
  options.checks = data[size - 1] & 4 ? Checks::Standard : Checks::Strict;
  options.schedule = {data[size - 1] & 8 ? Schedule::Kind::Random : Schedule::Kind::Lazy, 1};
  options.threads = 1, options.multiprocessors = 4, options.instructionLimit = 5000;
  options.memoryBytes = uint64_t(1) << 28;
  GlobalMemory memory(uint64_t(1) << 28);
  try {
    LoadedModule module({reinterpret_cast<const char *>(data), size}, "fuzz", memory, options);
    unsupportedInstructions(module);
    for (const auto &function : module.module().functions)
      if (function.isEntry) runKernel(module, function.name, memory, options);
  } catch (const mxc::Error &) {
  }
  return 0;
}
