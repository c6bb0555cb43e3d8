#include "runtime/simulator/driver/SimulatedDevice.h"

#include "dialect/formats/Error.h"
#include "runtime/simulator/driver/Refusal.h"
#include "runtime/simulator/run/ScheduleSweep.h"

#include <cstdio>
#include <fstream>
#include <utility>

namespace mxc::sim {

/// How CUDA names a fault.
static CUresult resultOf(FaultKind kind) {
  switch (kind) {
  case FaultKind::OutOfBounds:
    return CUDA_ERROR_ILLEGAL_ADDRESS;
  case FaultKind::Misaligned:
    return CUDA_ERROR_MISALIGNED_ADDRESS;
  case FaultKind::AddressSpace:
    return CUDA_ERROR_INVALID_ADDRESS_SPACE;
  case FaultKind::Illegal:
    return CUDA_ERROR_ILLEGAL_INSTRUCTION;
  case FaultKind::Assertion:
    return CUDA_ERROR_ASSERT;
  default: // what a GPU would not have noticed, or not by that name
    return CUDA_ERROR_LAUNCH_FAILED;
  }
}

/// As much as the chip has, or what the process may reserve (ulimit -v).
static std::unique_ptr<GlobalMemory> reserveMemory(uint64_t bytes) {
  constexpr uint64_t kLeastBytes = uint64_t(64) << 20;
  for (;; bytes /= 2) {
    try {
      return std::make_unique<GlobalMemory>(bytes);
    } catch (const Error &) {
      if (bytes / 2 < kLeastBytes) throw;
    }
  }
}

SimulatedDevice::SimulatedDevice(const Chip &chip, int ordinal, Options options)
    : chip_(chip), ordinal_(ordinal), memory_(reserveMemory(chip.device.memoryBytes)), allocations_(*memory_),
      options_(std::move(options)) {
  options_.target = chip.target.text();
}

int SimulatedDevice::multiprocessors() const {
  uint32_t wanted = options().multiprocessors;
  return wanted ? static_cast<int>(wanted) : chip_.device.multiprocessors;
}

Options SimulatedDevice::options() const {
  std::lock_guard lock(optionsMutex_);
  return options_;
}

void SimulatedDevice::setOptions(Options options) {
  std::lock_guard lock(optionsMutex_);
  options_ = std::move(options);
  options_.target = chip_.target.text();
}

Statistics SimulatedDevice::takeStatistics() {
  std::lock_guard lock(optionsMutex_);
  return std::exchange(statistics_, {});
}

std::string SimulatedDevice::takeFileFailure() {
  std::lock_guard lock(optionsMutex_);
  return std::exchange(fileFailure_, {});
}

std::string SimulatedDevice::lastFault() const {
  std::lock_guard lock(optionsMutex_);
  return lastFault_;
}

void SimulatedDevice::requireRoom(uint64_t address, uint64_t bytes) {
  try {
    memory_->requireRoom(address, bytes, memoryBudget(options()));
  } catch (const Error &error) {
    std::fprintf(stderr, "simulator: %s\n", error.what());
    throw Refusal{CUDA_ERROR_OUT_OF_MEMORY};
  }
}

void SimulatedDevice::launch(Context &context, const Program &program, const Launch &launch) {
  Options options = this->options();
  if (!options.multiprocessors) options.multiprocessors = static_cast<uint32_t>(chip_.device.multiprocessors);
  LaunchResult result;
  try {
    auto lock = exclusiveMemory();
    result = runAsScheduled(program, launch, *memory_, options, context.services);
  } catch (const Error &error) {
    if (error.kind() == ErrorKind::InvalidInput) { // of a file beside the launch, which ran
      const std::string text = "simulator: " + std::string(error.what()) + "\n";
      report(text, options.reportFile);
      if (isToldByErrors_ && !keepsFileFailures_) std::fputs(text.c_str(), stderr); // no error tells it
      std::lock_guard lock(optionsMutex_);
      fileFailure_ = error.what();
      return;
    }
    context.fail(CUDA_ERROR_LAUNCH_FAILED);
    return report("simulator: a launch could not be run: " + std::string(error.what()) + "\n",
                  options.reportFile);
  } catch (const std::exception &error) { // out of the host's memory, threads
    context.fail(CUDA_ERROR_LAUNCH_FAILED);
    return report("simulator: a launch could not be run to its end: " + std::string(error.what()) + "\n",
                  options.reportFile);
  }
  if (options.collectStatistics) {
    std::lock_guard lock(optionsMutex_);
    statistics_.add(result.statistics);
  }
  if (!result.fault) return;
  context.fail(resultOf(result.fault->kind));
  std::string text = result.fault->text();
  report(text.ends_with('\n') ? text : text + '\n', options.reportFile);
}

void SimulatedDevice::report(const std::string &text, const std::string &file) {
  {
    std::lock_guard lock(optionsMutex_);
    lastFault_ = text;
  }
  if (!isToldByErrors_) std::fputs(text.c_str(), stderr);
  if (file.empty()) return;
  std::ofstream out(file, std::ios::app);
  if (!(out << text << std::flush))
    std::fprintf(stderr, "simulator: cannot write the report file %s\n", file.c_str());
}

} // namespace mxc::sim
