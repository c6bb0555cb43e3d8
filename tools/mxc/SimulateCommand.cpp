// mxc simulate
#include "dialect/formats/Error.h"
#include "runtime/files/FileBytes.h"
#include "runtime/simulator/driver/Image.h"
#include "runtime/simulator/run/ScheduleSweep.h"
#include "tools/mxc/Commands.h"
#include "tools/mxc/OutputFile.h"
#include "tools/mxc/SimulateArguments.h"
#include "tools/mxc/SimulatedChip.h"
#include "tools/mxc/TimelineNames.h"

#include <cstdlib>

namespace mxc {

static std::array<uint32_t, 3> extentsOf(const std::string &option, const std::string &text) {
  std::array<uint32_t, 3> extents{1, 1, 1};
  const char *at = text.c_str();
  for (size_t axis = 0; axis < 3; ++axis) {
    char *end = nullptr;
    unsigned long value = std::strtoul(at, &end, 10);
    if (end == at || value == 0 || value > 0x7FFFFFFF || *at == '-') break;
    extents[axis] = static_cast<uint32_t>(value);
    if (*end == 0) return extents;
    if (*end != ',') break;
    at = end + 1;
  }
  throw Error(ErrorKind::Usage,
              option + ": expected up to three sizes from 1, as 4,2,1, found '" + text + "'");
}

/// For a text that mxc compiled.
static void nameParts(std::string_view text, const std::string &entry, sim::Options &options) {
  for (const ModuleAbi &record : abiFromImage({text.data(), text.size()}))
    for (const KernelAbi &kernel : record.kernels)
      for (const AbiVariant &variant : kernel.variants)
        if (variant.entry == entry) mxc::nameParts(variant, options);
}

static std::string entryOf(const sim::LoadedModule &module, const std::string &asked,
                           const std::string &file) {
  constexpr size_t kShown = 20;
  std::string names, only;
  size_t count = 0;
  for (const sim::ptx::Function &function : module.module().functions) {
    if (!function.isEntry || function.isExtern) continue;
    if (function.name == asked) return asked;
    if (++count <= kShown) names += (count > 1 ? ", " : "") + function.name;
    only = function.name;
  }
  if (count > kShown) names += ", ..";
  if (asked.empty() && count == 1) return only;
  throw Error(asked.empty() && count ? ErrorKind::Usage : ErrorKind::InvalidInput,
              file + ": expected --entry with one of its kernels (" + names + "), found '" + asked + "'");
}

static std::string text(const std::array<uint32_t, 3> &extents) {
  return std::to_string(extents[0]) + "," + std::to_string(extents[1]) + "," + std::to_string(extents[2]);
}

/// The extents that every chip has: CUDA programming guide, "Technical specifications per compute
/// capability".
static void checkExtents(const std::string &option, const std::array<uint32_t, 3> &extents,
                         const std::array<uint32_t, 3> &limits) {
  for (size_t axis = 0; axis < 3; ++axis)
    if (extents[axis] > limits[axis])
      throw Error(ErrorKind::Usage,
                  option + ": expected at most " + text(limits) + ", found " + std::to_string(extents[axis]));
}

/// CTAs and warps are numbered from 0; without this a trace of none is silence.
static void checkTrace(const std::string &filter, const sim::Launch &launch) {
  if (filter.empty() || filter == "*") return;
  const uint64_t threads = uint64_t(launch.block[0]) * launch.block[1] * launch.block[2];
  const uint64_t counts[] = {uint64_t(launch.grid[0]) * launch.grid[1] * launch.grid[2], (threads + 31) / 32};
  const size_t colon = filter.find(':');
  const std::string parts[] = {filter.substr(0, colon), filter.substr(colon + 1)};
  for (size_t i = 0; i < 2; ++i)
    if (parts[i] != "*" && std::stoull(parts[i]) >= counts[i])
      throw Error(ErrorKind::Usage, "--trace " + filter + ": expected a CTA below " +
                                        std::to_string(counts[0]) + " and a warp below " +
                                        std::to_string(counts[1]) + ", or *");
}

static void checkLaunch(const sim::Launch &launch, const sim::KernelFacts &facts, const Chip &chip) {
  checkExtents("--grid", launch.grid, {0x7FFFFFFF, 65535, 65535});
  checkExtents("--block", launch.block, {1024, 1024, 64});
  auto limit = static_cast<uint32_t>(chip.limits.clusterSize);
  checkExtents("--cluster", launch.cluster, {limit, limit, limit});
  if (uint32_t ctas = launch.cluster[0] * launch.cluster[1] * launch.cluster[2]; ctas > limit)
    throw Error(ErrorKind::Usage, "--cluster: " + std::to_string(ctas) + " CTAs, the chip has at most " +
                                      std::to_string(limit) + " in a cluster");
  uint64_t shared = uint64_t(facts.staticSharedBytes) + launch.dynamicSharedBytes;
  if (shared > static_cast<uint64_t>(chip.limits.sharedBytesPerBlockOptIn))
    throw Error(ErrorKind::Usage, "--shared: " + std::to_string(shared) +
                                      " bytes of shared memory, the chip has " +
                                      std::to_string(chip.limits.sharedBytesPerBlockOptIn) + " a CTA");
  uint64_t threads = uint64_t(launch.block[0]) * launch.block[1] * launch.block[2];
  if (threads > facts.maximumThreads)
    throw Error(ErrorKind::Usage, "--block: " + std::to_string(threads) +
                                      " threads, the kernel takes at most " +
                                      std::to_string(facts.maximumThreads));
  if (facts.requiredThreads[0] && facts.requiredThreads != launch.block)
    throw Error(ErrorKind::Usage, "--block: the kernel requires (.reqntid) " + text(facts.requiredThreads));
  if (facts.requiredCluster[0] && facts.requiredCluster != launch.cluster)
    throw Error(ErrorKind::Usage,
                "--cluster: the kernel requires (.reqnctapercluster) " + text(facts.requiredCluster));
  for (size_t axis = 0; axis < 3; ++axis)
    if (launch.grid[axis] % launch.cluster[axis])
      throw Error(ErrorKind::Usage, "--cluster: must divide the grid along every axis");
}

void simulatePtx(const SimulateCommand &command) {
  constexpr size_t kMaximumBytes = size_t(1) << 30;
  if (!command.stats.empty() && command.stats != "text" && command.stats != "json")
    throw Error(ErrorKind::Usage, "--stats: expected text or json, found '" + command.stats + "'");
  if (command.input.empty())
    throw Error(ErrorKind::Usage, "expected a PTX file, or -- and a program with its arguments");
  FileBytes file = readFile(command.input == "-" ? "/dev/stdin" : command.input, kMaximumBytes);
  std::string_view text(reinterpret_cast<const char *>(file.data.get()), file.size);
  std::string target = command.target;
  if (target.empty()) target = sim::targetOfPtx(text);
  if (!command.target.empty()) requireChip("--target", command.target);
  sim::Options options = sim::optionsFromEnvironment(target);
  if (!command.schedule.empty()) options.schedule = sim::scheduleNamed(command.schedule);
  if (!command.checks.empty()) sim::setChecks(options, command.checks);
  if (!command.tensor.empty()) options.tensorArithmetic = sim::tensorArithmeticNamed(command.tensor);
  if (!command.trace.empty()) options.traceFilter = sim::traceFilterNamed(command.trace);
  options.collectStatistics = !command.stats.empty();
  checkOutputs({command.timeline, command.features}, {command.input}); // those of --arg: below
  if (!command.timeline.empty()) options.timelineFile = command.timeline;
  if (!command.timelineWindow.empty())
    options.timelineWindow = sim::timelineWindowNamed(command.timelineWindow);
  if (!command.features.empty()) options.featuresFile = command.features;
  sim::GlobalMemory memory(uint64_t(1) << 36);
  sim::LoadedModule module(text, command.input, memory, options);
  if (command.listUnsupported) {
    std::string list;
    for (const std::string &line : sim::unsupportedInstructions(module))
      list += line + "\n";
    return writeOutput("-", list.empty() ? "every instruction is supported\n" : list);
  }
  const std::string entry = entryOf(module, command.entry, command.input);
  if (!options.timelineFile.empty()) nameParts(text, entry, options);
  const sim::Program &kernel = *module.kernel(entry);
  sim::Launch launch;
  launch.grid = extentsOf("--grid", command.grid);
  launch.block = extentsOf("--block", command.block);
  launch.isClusterExplicit = !command.cluster.empty() || sim::factsOf(kernel).requiredCluster[0];
  launch.cluster = extentsOf("--cluster", command.cluster.empty() ? "1" : command.cluster);
  if (command.cluster.empty() && sim::factsOf(kernel).requiredCluster[0])
    launch.cluster = sim::factsOf(kernel).requiredCluster;
  launch.dynamicSharedBytes = command.sharedBytes;
  checkLaunch(launch, sim::factsOf(kernel), requireChip("--target", target));
  if (!command.trace.empty()) checkTrace(options.traceFilter, launch);
  SimulateArguments arguments(command.arguments, sim::factsOf(kernel), memory, command.input,
                              sim::memoryBudget(options));
  arguments.checkFiles({command.timeline, command.features});
  launch.parameters = arguments.parameters();
  launch.isCooperative = command.isCooperative;
  sim::KernelServices services(memory);
  sim::LaunchResult result = sim::runAsScheduled(kernel, launch, memory, options, services);
  if (std::string printed = services.printed.take(); !printed.empty()) writeOutput("-", printed);
  if (command.stats == "text") writeOutput("-", result.statistics.text());
  if (command.stats == "json") writeOutput("-", result.statistics.json());
  if (result.fault) throw Error(ErrorKind::InvalidInput, result.fault->text());
  arguments.writeOutputs(memory);
}

} // namespace mxc
