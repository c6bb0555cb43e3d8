// Sets of warps that have read a byte of shared memory with nothing that orders their reads: a write must be
// ordered after every one of them.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

namespace mxc::sim {

/// A reader is a stamp of SharedRaces.h. Bytes that the same warps read share a set; `number` is what their
/// SharedMemory::lastRead holds, one that no stamp has.
class ReaderSets {
public:
  using Readers = std::vector<uint32_t>; // sorted
  static constexpr uint32_t kFirst = 1023u << 22;
  static bool isSet(uint32_t read) { return read >= kFirst; }

  const Readers &of(uint32_t number) const { return *sets_[number - kFirst]; }
  uint32_t numberOf(Readers readers) {
    auto [at, isNew] = numbers_.try_emplace(std::move(readers), kFirst + uint32_t(sets_.size()));
    if (isNew) sets_.push_back(&at->first);
    return at->second;
  }
  size_t count() const { return sets_.size(); }
  void clear() { numbers_.clear(), sets_.clear(); }

private:
  std::map<Readers, uint32_t> numbers_;
  std::vector<const Readers *> sets_; // nodes of a map stay where they are
};

} // namespace mxc::sim
