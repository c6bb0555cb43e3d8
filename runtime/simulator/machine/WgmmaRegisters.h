// Checks::Strict: what wgmma asks of registers (PTX ISA 9.7.15.3 and 9.7.15.7). Whatever a thread does to
// them needs a wgmma.fence before a wgmma.mma_async that uses them; what a wgmma.mma_async uses is not to be
// touched before a wgmma.wait_group has waited for it, whether the hardware is done or not.
#pragma once

#include "runtime/simulator/machine/Warp.h"

#include <span>

namespace mxc::sim {

class WgmmaRegisters {
public:
  struct Use {                                // by one wgmma.mma_async
    std::span<const uint32_t> accumulator, a; // rows
    uint32_t line = 0, shape = 0;             // two of one shape may follow each other on an accumulator
  };

  /// Those of the warp, made at its first wgmma instruction: all registers count as written without a fence.
  static WgmmaRegisters &of(Warp &warp);
  WgmmaRegisters(const Options &options, size_t rows) : options_(options), touches_(rows), pending_(rows) {}

  /// An ordinary instruction reads and writes registers. Throws FaultError (Unfinished).
  void touch(const Instruction &instruction);
  void fence();
  /// Throws FaultError: Race without a fence, Unfinished for registers of a pending one.
  void issue(const Use &use);
  void commit();
  void wait(uint64_t groups); // all but so many of the latest

private:
  struct Touch { // since the last fence; lines
    uint32_t written = 0, read = 0;
    bool isWritten = true; // at first, by whom is not known
  };
  struct Pending {
    uint32_t line = 0, shape = 0, group = 0;
    bool isAccumulator = false;
  };
  bool isPending(uint32_t row) const { return pending_[row].line && pending_[row].group > done_; }

  const Options &options_;
  std::vector<Touch> touches_;
  std::vector<Pending> pending_;
  uint32_t open_ = 1, done_ = 0; // numbers of groups: the open one, the latest that was waited for
};

} // namespace mxc::sim
