#include "runtime/simulator/driver/Allocations.h"

#include "runtime/simulator/driver/Refusal.h"
#include "runtime/simulator/driver/SimulatedDevice.h"

namespace mxc::sim {

uint64_t Allocations::allocate(AllocationRecord::Kind kind, uint64_t bytes,
                               const std::shared_ptr<Context> &context, unsigned flags) {
  static std::atomic<uint64_t> ids{0};
  require(bytes > 0);
  uint64_t id = ++ids;
  constexpr const char *kNames[] = {"allocation ", "host allocation ", "managed allocation "};
  uint64_t address = memory_.allocate(bytes, kNames[static_cast<int>(kind)] + std::to_string(id));
  require(address != 0, CUDA_ERROR_OUT_OF_MEMORY);
  // What the host writes there, the simulator does not see.
  if (kind != AllocationRecord::Kind::Device) {
    try {
      context->device.requireRoom(address, bytes);
    } catch (...) {
      memory_.release(address);
      throw;
    }
    memory_.markWritten(address, bytes);
  }
  std::lock_guard lock(mutex_);
  records_[address] = {kind, address, bytes, id, flags, context};
  return address;
}

bool Allocations::release(uint64_t address, bool isHost) {
  std::lock_guard lock(mutex_);
  auto found = records_.find(address);
  if (found == records_.end() || (found->second.kind == AllocationRecord::Kind::Host) != isHost) return false;
  memory_.release(address);
  records_.erase(found);
  return true;
}

void Allocations::releaseAllOf(const Context &context) {
  std::lock_guard lock(mutex_);
  std::erase_if(records_, [&](const auto &entry) {
    return entry.second.context.get() == &context && memory_.release(entry.first);
  });
}

std::optional<AllocationRecord> Allocations::holding(uint64_t address) const {
  std::lock_guard lock(mutex_);
  auto after = records_.upper_bound(address);
  if (after == records_.begin()) return std::nullopt;
  const AllocationRecord &record = std::prev(after)->second;
  if (address - record.address >= record.bytes) return std::nullopt;
  return record;
}

} // namespace mxc::sim
