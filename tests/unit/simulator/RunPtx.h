// Small PTX kernels on the simulator: inputs and outputs as vectors.
#pragma once

#include "runtime/simulator/decode/LoadedModule.h"
#include "runtime/simulator/report/Findings.h"
#include "runtime/simulator/run/Engine.h"

#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

struct PtxRun {
  std::string target = "sm_100a";
  mxc::sim::Checks checks = mxc::sim::Checks::Standard;
  mxc::sim::Schedule schedule;
  mxc::sim::TensorArithmetic tensorArithmetic = mxc::sim::TensorArithmetic::Exact;
  std::array<uint32_t, 3> grid{1, 1, 1}, block{32, 1, 1}, cluster{1, 1, 1};
  uint32_t dynamicSharedBytes = 0;
  bool isClusterExplicit = false; // it is too if `cluster` is not 1 x 1 x 1
  bool isCooperative = false;
  unsigned threads = 1, multiprocessors = 4;
  uint32_t leftOut = 0;     // Options::leftOut
  uint64_t memoryBytes = 0; // the budget; 0: the usual one
  bool isCounted = true;    // statistics: instructions go one by one, loads lane by lane
};

/// "test(.param .u64 in, .param .u64 out)" around the body, which may use %in and %out (.b64, their
/// addresses).
inline std::string kernelOf(const std::string &body, const std::string &target = "sm_100a") {
  return ".version 8.8\n.target " + target +
         "\n.address_size 64\n.visible .entry test(.param .u64 p_in, .param .u64 p_out)\n{\n"
         ".reg .b64 %in, %out;\nld.param.u64 %in, [p_in];\nld.param.u64 %out, [p_out];\n" +
         body + "\nret;\n}\n";
}

struct PtxOutcome {
  std::optional<mxc::sim::Fault> fault;
  mxc::sim::Statistics statistics;
  std::vector<std::byte> output;
  std::string printed;
};

/// Runs kernel `test` of the PTX text with a buffer that holds `input` and one of `outputBytes` that nobody
/// wrote. What checks find, they do not find where it is left out: else throws std::logic_error.
inline PtxOutcome runPtxBytes(const std::string &ptx, const std::vector<std::byte> &input, size_t outputBytes,
                              const PtxRun &how = {}) {
  using namespace mxc::sim;
  GlobalMemory memory(uint64_t(1) << 32);
  Options options;
  options.target = how.target, options.checks = how.checks, options.leftOut = how.leftOut,
  options.schedule = how.schedule;
  options.tensorArithmetic = how.tensorArithmetic;
  options.memoryBytes = how.memoryBytes;
  options.threads = how.threads, options.multiprocessors = how.multiprocessors,
  options.collectStatistics = how.isCounted, options.instructionLimit = how.leftOut ? 200'000 : 50'000'000;
  LoadedModule module(ptx, "test.ptx", memory, options);
  uint64_t in = memory.allocate(std::max<size_t>(1, input.size()), "in"),
           out = memory.allocate(std::max<size_t>(1, outputBytes), "out");
  if (!input.empty()) std::memcpy(memory.host(in), input.data(), input.size());
  memory.markWritten(in, input.size());
  Launch launch;
  launch.grid = how.grid, launch.block = how.block, launch.cluster = how.cluster;
  launch.dynamicSharedBytes = how.dynamicSharedBytes;
  launch.isClusterExplicit = how.isClusterExplicit || how.cluster != std::array<uint32_t, 3>{1, 1, 1};
  uint64_t parameters[] = {in, out};
  launch.parameters.resize(16);
  std::memcpy(launch.parameters.data(), parameters, 16);
  launch.isCooperative = how.isCooperative;
  KernelServices services(memory);
  LaunchResult result = run(*module.kernel("test"), launch, memory, options, services);
  PtxOutcome outcome{result.fault, result.statistics, {}, services.printed.take()};
  outcome.output.assign(memory.host(out), memory.host(out) + outputBytes);
  if (const std::optional<Finding> finding = outcome.fault ? outcome.fault->finding : std::nullopt;
      finding && !how.leftOut) {
    PtxRun without = how;
    without.leftOut = 1u << unsigned(*finding);
    const std::optional<Fault> left = runPtxBytes(ptx, input, outputBytes, without).fault;
    if (left && left->finding == finding) throw std::logic_error("found though left out: " + left->text());
  }
  return outcome;
}

/// The outputs of a kernel that must not fault; a fault is thrown as std::runtime_error with its report.
template <class Out, class In>
std::vector<Out> runPtx(const std::string &ptx, const std::vector<In> &input, size_t outputs,
                        const PtxRun &how = {}) {
  std::vector<std::byte> bytes(input.size() * sizeof(In));
  std::memcpy(bytes.data(), input.data(), bytes.size());
  PtxOutcome outcome = runPtxBytes(ptx, bytes, outputs * sizeof(Out), how);
  if (outcome.fault) throw std::runtime_error(outcome.fault->text());
  std::vector<Out> result(outputs);
  std::memcpy(result.data(), outcome.output.data(), outputs * sizeof(Out));
  return result;
}
