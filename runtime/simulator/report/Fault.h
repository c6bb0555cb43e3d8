// What goes wrong in a kernel, with where.
#pragma once

#include "runtime/simulator/Finding.h"

#include <array>
#include <cstdint>
#include <exception>
#include <optional>
#include <string>

namespace mxc::sim {

enum class FaultKind : uint8_t {
  OutOfBounds,   // CUDA_ERROR_ILLEGAL_ADDRESS
  Misaligned,    // CUDA_ERROR_MISALIGNED_ADDRESS
  AddressSpace,  // CUDA_ERROR_INVALID_ADDRESS_SPACE
  Illegal,       // CUDA_ERROR_ILLEGAL_INSTRUCTION: unknown to this simulator or to the target, bad descriptor
  Assertion,     // CUDA_ERROR_ASSERT
  Trap,          // CUDA_ERROR_LAUNCH_FAILED
  Unwritten,     // the rest: CUDA_ERROR_LAUNCH_FAILED. Memory or a register that nobody wrote
  Unfinished,    // a read or write of bytes that a pending asynchronous operation owns
  ProxyOrder,    // generic-proxy accesses that the async proxy sees without a fence.proxy.async
  Race,          // two accesses without an order
  TensorMemory,  // leaks, wrong warp, outside of the allocation
  BarrierMisuse, // mbarrier and named barriers: tx underflow, re-init while in use, wrong counts
  Divergence,    // lanes apart at an .aligned instruction
  Deadlock,
  Schedules, // results that are not the same under every schedule
  Limit,     // MXC_SIM_LIMIT instructions were executed
};
const char *name(FaultKind kind); // "out of bounds"

std::string hexadecimal(uint64_t value); // "0x10400", as messages write addresses

struct Fault {
  FaultKind kind = FaultKind::Trap;
  std::string message;             // what was expected, what came: address, allocation, barrier
  std::string kernel, instruction; // "quantize", "ld.global.v4.b32 {%r1, ..}, [%rd4]"
  uint32_t line = 0, column = 0;   // of the PTX
  std::string source;              // "kernel.cu:23:5", where the PTX says it (.loc)
  std::array<uint32_t, 3> cta{}, thread{};
  int warp = -1, lane = -1;       // -1: of no single one
  std::optional<Finding> finding; // of a check that can be left out
  std::string schedule;           // of a sweep: the one that shows it, "random:3"
  std::string text() const;       // the whole report, several lines
};

/// Thrown by handlers; the engine fills in the place.
struct FaultError : std::exception {
  explicit FaultError(FaultKind kind, std::string message, int lane = -1) {
    fault.kind = kind, fault.message = std::move(message), fault.lane = lane;
  }
  FaultError(FaultKind kind, Finding finding, std::string message, int lane = -1)
      : FaultError(kind, std::move(message), lane) {
    fault.finding = finding;
  }
  Fault fault;
  const char *what() const noexcept override { return fault.message.c_str(); }
};

} // namespace mxc::sim
