#include "runtime/simulator/driver/Transfer.h"

#include "runtime/simulator/driver/Simulator.h"

#include <cstring>

namespace mxc::sim {

Range deviceRange(CUdeviceptr address, uint64_t bytes) {
  SimulatedDevice *device = Simulator::instance().deviceReserving(address);
  require(device && device->memory().find(address, bytes));
  return {address, bytes, device};
}

Range unifiedRange(uint64_t address, uint64_t bytes) {
  if (Simulator::instance().deviceReserving(address)) return deviceRange(address, bytes);
  require(address != 0 || bytes == 0);
  return {address, bytes, nullptr};
}

static bool keepsShadow(SimulatedDevice *device) { return device && device->options().checks != Checks::Off; }

static std::vector<std::unique_lock<std::mutex>> lockMemories(SimulatedDevice *first,
                                                              SimulatedDevice *second) {
  std::vector<std::unique_lock<std::mutex>> locks;
  if (first && second && second->ordinal() < first->ordinal()) std::swap(first, second);
  if (first) locks.push_back(first->exclusiveMemory());
  if (second && second != first) locks.push_back(second->exclusiveMemory());
  return locks;
}

static void requireRoom(const Range &to, const Rows &rows) {
  if (to.device) to.device->requireRoom(to.address, rows.count > 1 ? to.bytes : rows.bytes);
}

void copy(const Range &to, const Range &from, const Rows &rows) {
  auto locks = lockMemories(to.device, from.device);
  requireRoom(to, rows);
  bool isMarked = keepsShadow(to.device), isKnown = keepsShadow(from.device);
  for (uint64_t row = 0; row < rows.count; ++row) {
    uint64_t target = to.address + row * rows.toPitch, source = from.address + row * rows.fromPitch;
    std::memmove(reinterpret_cast<void *>(target), reinterpret_cast<void *>(source), rows.bytes);
    if (!isMarked) continue;
    if (!isKnown) {
      to.device->memory().markWritten(target, rows.bytes);
      continue;
    }
    uint8_t *state = to.device->memory().shadow(target);
    std::memmove(state, from.device->memory().shadow(source), rows.bytes);
    for (uint64_t i = 0; i < rows.bytes; ++i)
      state[i] &= kGlobalWritten;
  }
}

void fill(const Range &to, uint32_t pattern, unsigned patternBytes, const Rows &rows) {
  auto locks = lockMemories(to.device, nullptr);
  requireRoom(to, rows);
  bool isMarked = keepsShadow(to.device);
  for (uint64_t row = 0; row < rows.count; ++row) {
    uint64_t target = to.address + row * rows.toPitch;
    std::byte *bytes = reinterpret_cast<std::byte *>(target);
    if (patternBytes == 1)
      std::memset(bytes, static_cast<int>(pattern & 0xff), rows.bytes);
    else
      for (uint64_t i = 0; i < rows.bytes; i += patternBytes)
        std::memcpy(bytes + i, &pattern, patternBytes);
    if (isMarked) to.device->memory().markWritten(target, rows.bytes);
  }
}

} // namespace mxc::sim
