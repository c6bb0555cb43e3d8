// Which driver call allocated which device memory. Host and managed memory are device memory too: the host
// reaches all of it.
#pragma once

#include "runtime/simulator/driver/Context.h"
#include "runtime/simulator/machine/GlobalMemory.h"

#include <map>
#include <mutex>
#include <optional>

namespace mxc::sim {

struct AllocationRecord {
  enum class Kind : uint8_t { Device, Host, Managed } kind = Kind::Device;
  uint64_t address = 0, bytes = 0, id = 0; // id: of all allocations of the process
  unsigned flags = 0;
  std::shared_ptr<Context> context;
};

class Allocations {
public:
  explicit Allocations(GlobalMemory &memory) : memory_(memory) {}

  uint64_t allocate(AllocationRecord::Kind kind, uint64_t bytes, const std::shared_ptr<Context> &context,
                    unsigned flags = 0);
  bool release(uint64_t address, bool isHost); // false: no such allocation begins there
  void releaseAllOf(const Context &context);
  std::optional<AllocationRecord> holding(uint64_t address) const;

private:
  GlobalMemory &memory_;
  mutable std::mutex mutex_;
  std::map<uint64_t, AllocationRecord> records_;
};

} // namespace mxc::sim
