#include "runtime/simulator/machine/GridWorkspace.h"

#include "runtime/simulator/report/Fault.h"

#include <cstring>

namespace mxc::sim {

GridWorkspace::GridWorkspace(GlobalMemory &memory) : memory_(memory) {
  const uint32_t words[] = {8, 0};
  address_ = memory.allocate(sizeof words, "the workspace of the cooperative launch");
  if (!address_)
    throw FaultError(FaultKind::Limit, "no device memory is left for the workspace of a cooperative launch");
  std::memcpy(memory.host(address_), words, sizeof words);
  memory.markWritten(address_, sizeof words);
}

} // namespace mxc::sim
