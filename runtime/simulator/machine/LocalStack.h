// Local memory that alloca hands out: a stack a lane, after the addresses of the kernel's local variables.
#pragma once

#include "runtime/simulator/machine/HostBudget.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace mxc::sim {

struct LocalStack {
  static constexpr uint32_t kBase = 1u << 24;        // local address of its first byte
  static constexpr uint32_t kLimitBytes = 512 << 10; // a lane has that much local memory on every chip
  struct Block {
    size_t depth; // of calls, where it was asked for; it is gone when that function has returned
    size_t begin; // what was in use before
  };
  struct Lane {
    std::vector<std::byte> bytes; // in use
    std::vector<Block> blocks;
    uint64_t held = 0; // the most that both ever took
  };
  explicit LocalStack(HostBudget &budget) : held(budget) {}
  HeldBytes held; // of all lanes
  std::array<Lane, 32> lanes;
};

} // namespace mxc::sim
