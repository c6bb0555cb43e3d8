#include "runtime/simulator/async/BulkReduction.h"

namespace mxc::sim {

void BulkReduction::operator()(std::byte *to, const std::byte *from, size_t bytes) const {
  std::byte old[sizeof(uint64_t)]; // nobody asks
  for (size_t at = 0; at < bytes; at += elementBytes)
    update(to + at, from + at, old, place);
}

BulkReduction bulkReduction(std::string_view operation, std::string_view type) {
  if (operation == "add" && type == "s64") return {}; // atom alone has it
  // The .ftz types of tensor maps flush as atomics in global memory do; .f32 does not (seen on an H200; the
  // manual's "current implementation" flushes).
  AtomicPlace place = type == "f32.ftz" ? AtomicPlace::Global : AtomicPlace::Bulk;
  std::optional<ptx::Type> element = ptx::typeNamed(type.substr(0, type.find('.')));
  if (!element) return {};
  return {atomicUpdate(operation, *element), place, element->bytes()};
}

} // namespace mxc::sim
