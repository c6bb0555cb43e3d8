#include "runtime/simulator/machine/WgmmaRegisters.h"

#include <algorithm>

namespace mxc::sim {

static uint32_t indexOf(uint32_t row) { return row / 64; } // as Warp::written

WgmmaRegisters &WgmmaRegisters::of(Warp &warp) {
  if (!warp.wgmmaRegisters)
    warp.wgmmaRegisters = std::make_shared<WgmmaRegisters>(*gridOf(warp).options, warp.written.size());
  return *warp.wgmmaRegisters;
}

void WgmmaRegisters::touch(const Instruction &instruction) {
  uint32_t line = instruction.source ? instruction.source->place.line : 0;
  auto refuse = [&](const char *what, const Pending &pending) {
    report(options_, Finding::WgmmaRegisters, FaultKind::Unfinished,
           std::string(what) + (pending.isAccumulator ? " an accumulator" : " a fragment of A") +
               " of the wgmma.mma_async of line " + std::to_string(pending.line) +
               ", for which no wgmma.wait_group has waited");
  };
  for (Row row : instruction.reads) {
    uint32_t at = indexOf(row.offset);
    if (isPending(at) && pending_[at].isAccumulator) refuse("reads", pending_[at]);
    touches_[at].read = line;
  }
  for (Row row : instruction.writes) {
    uint32_t at = indexOf(row.offset);
    if (isPending(at)) refuse("writes", pending_[at]);
    touches_[at].written = line, touches_[at].isWritten = true;
  }
}

void WgmmaRegisters::fence() { touches_.assign(touches_.size(), {0, 0, false}); }

void WgmmaRegisters::issue(const Use &use) {
  auto require = [&](uint32_t row, bool isAccumulator) {
    const Touch &touch = touches_[indexOf(row)];
    const Pending &pending = pending_[indexOf(row)];
    const char *what = isAccumulator ? "an accumulator" : "a fragment of A";
    if (touch.isWritten || (isAccumulator && touch.read)) {
      uint32_t line = touch.isWritten ? touch.written : touch.read;
      report(options_, Finding::WgmmaRegisters, FaultKind::Race,
             std::string(what) + " was " + (touch.isWritten ? "written" : "read") + " by other instructions" +
                 (line ? ", last in line " + std::to_string(line) : "") +
                 ", and no wgmma.fence has been executed since");
    }
    bool mayFollow = isAccumulator && pending.isAccumulator && pending.shape == use.shape;
    if (isPending(indexOf(row)) && !mayFollow && (isAccumulator || pending.isAccumulator))
      report(options_, Finding::WgmmaRegisters, FaultKind::Unfinished,
             std::string(what) + " belongs to the wgmma.mma_async of line " + std::to_string(pending.line) +
                 " too, for which no wgmma.wait_group has waited");
  };
  for (uint32_t row : use.a)
    require(row, false);
  for (uint32_t row : use.accumulator)
    require(row, true);
  for (uint32_t row : use.a)
    pending_[indexOf(row)] = {use.line, use.shape, open_, false};
  for (uint32_t row : use.accumulator)
    pending_[indexOf(row)] = {use.line, use.shape, open_, true};
}

void WgmmaRegisters::commit() { ++open_; }

void WgmmaRegisters::wait(uint64_t groups) {
  uint32_t closed = open_ - 1;
  if (groups < closed) done_ = std::max(done_, closed - uint32_t(groups));
}

} // namespace mxc::sim
