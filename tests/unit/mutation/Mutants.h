// A kernel's PTX with one of the lines taken out that order something.
#pragma once

#include "runtime/launch/Kernel.h"
#include "runtime/simulator/Options.h"

#include <string>
#include <vector>

struct Mutant {
  std::string removed; // what: "line 77: bar.sync 0;"
  std::string around;  // the lines beside it, some before and some after
  std::string order;   // three that order something before it, and three after: "..; bar.warp.sync; >
                       // fence.proxy.async; ..;"
  std::string ptx;
};

/// Every such line of the entry function in turn. A wait for an mbarrier becomes one that is over at once; an
/// arrival that announces bytes is taken out, and in a second mutant only the bytes are.
std::vector<Mutant> mutantsOf(const std::string &ptx, const std::string &entry);
/// Every access of global memory in it that acquires or releases becomes a relaxed one in turn.
std::vector<Mutant> relaxedMutantsOf(const std::string &ptx, const std::string &entry);

/// "ld.acquire.gpu.global.u32 %r2, [%rd1];" as "ld.relaxed.gpu..;"; "" of a line that orders nothing so.
std::string withoutOrder(std::string line);

/// "mbarrier.arrive.shared.b64" of such a line, without its guard.
std::string opcodeOf(const std::string &line);

/// The ways in which a kernel or a mutant is run: lazily, with random seeds from 1 on, eagerly.
std::vector<mxc::sim::Schedule> schedules(uint64_t seeds);

/// The simulated device under that schedule, with strict checks and one thread of the host; `isBehindGrid`:
/// all that a dependent launch finds in memory was written by the grid in front of it. A fault stays with the
/// context, so each run takes its own.
mxc::Device strictDevice(const std::string &target, mxc::sim::Schedule schedule, unsigned multiprocessors = 2,
                         bool isBehindGrid = false);

/// The only kernel of a PTX text.
mxc::Kernel kernelOf(const mxc::Device &device, const std::string &ptx);
