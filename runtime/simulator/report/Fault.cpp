#include "runtime/simulator/report/Fault.h"

#include "dialect/formats/PrintableText.h"

#include <cstdio>

namespace mxc::sim {

const char *name(FaultKind kind) {
  switch (kind) {
  case FaultKind::OutOfBounds:
    return "out of bounds";
  case FaultKind::Misaligned:
    return "misaligned address";
  case FaultKind::AddressSpace:
    return "wrong address space";
  case FaultKind::Illegal:
    return "illegal instruction";
  case FaultKind::Assertion:
    return "assertion failed";
  case FaultKind::Trap:
    return "trap";
  case FaultKind::Unwritten:
    return "use of what nobody wrote";
  case FaultKind::Unfinished:
    return "bytes of an unfinished asynchronous operation";
  case FaultKind::ProxyOrder:
    return "no fence.proxy.async between generic and asynchronous access";
  case FaultKind::Race:
    return "accesses without an order";
  case FaultKind::TensorMemory:
    return "tensor memory misuse";
  case FaultKind::BarrierMisuse:
    return "barrier misuse";
  case FaultKind::Divergence:
    return "lanes apart at an instruction that needs them together";
  case FaultKind::Deadlock:
    return "deadlock";
  case FaultKind::Schedules:
    return "results that depend on the schedule";
  case FaultKind::Limit:
    return "limit of the simulator";
  }
  return "fault";
}

std::string hexadecimal(uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

static std::string triple(const std::array<uint32_t, 3> &values) {
  return "(" + std::to_string(values[0]) + ", " + std::to_string(values[1]) + ", " +
         std::to_string(values[2]) + ")";
}

std::string Fault::text() const {
  std::string text = std::string("simulator: ") + name(kind) + ": " + message;
  text += "\n  in " + kernel;
  if (line) text += ", PTX line " + std::to_string(line) + ": " + instruction;
  if (!source.empty()) text += "\n  at " + source;
  if (kind != FaultKind::Schedules) text += "\n  CTA " + triple(cta);
  if (warp >= 0) text += ", warp " + std::to_string(warp);
  if (lane >= 0) text += ", lane " + std::to_string(lane) + ", thread " + triple(thread);
  if (finding) text += "\n  finding: " + std::string(name(*finding));
  if (!schedule.empty())
    text += "\n  found under --schedule=" + schedule + " (MXC_SIM_SCHEDULE=" + schedule + ")";
  return printable(text) + "\n";
}

} // namespace mxc::sim
