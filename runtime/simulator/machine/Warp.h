// The state of a running grid: clusters of CTAs of warps.
#pragma once

#include "runtime/simulator/machine/AsyncQueue.h"
#include "runtime/simulator/machine/Barriers.h"
#include "runtime/simulator/machine/GlobalMemory.h"
#include "runtime/simulator/machine/HostBudget.h"
#include "runtime/simulator/machine/KernelServices.h"
#include "runtime/simulator/machine/LocalStack.h"
#include "runtime/simulator/machine/Meetings.h"
#include "runtime/simulator/machine/Program.h"
#include "runtime/simulator/machine/ReaderSets.h"
#include "runtime/simulator/machine/Recycler.h"
#include "runtime/simulator/machine/SharedMemory.h"
#include "runtime/simulator/machine/TensorMemory.h"
#include "runtime/simulator/report/Features.h"
#include "runtime/simulator/report/Findings.h"
#include "runtime/simulator/report/Statistics.h"
#include "runtime/simulator/report/Timeline.h"

#include <atomic>
#include <map>
#include <memory>

namespace mxc::sim {

struct ClusterGlobalOrder;
struct Cta;
struct Cluster;
struct Grid;
struct GlobalOrder;
struct UnwrittenValues;
struct WarpGlobalOrder;
class TimelineFile;
class WgmmaRegisters;
struct SavedFunction;

/// Lanes that parted at a branch and should meet at `pc`.
struct Join {
  uint32_t pc = kNone;  // kNone: they never meet
  uint32_t awaited = 0; // lanes that have not arrived
  uint32_t arrived = 0; // lanes that wait here
  uint32_t depth = 0;   // of calls, where they parted
};

struct Frame { // of a call
  uint32_t returnPc = 0;
  const FunctionPlace *function = nullptr;
  const std::vector<ParameterPlace> *results = nullptr; // in the caller: where they go
  std::shared_ptr<const SavedFunction> saved;           // null: the function was not active
};

/// Why a split is blocked, for the deadlock report.
struct Wait {
  enum class Kind : uint8_t {
    Other,          // what, detail: how many
    Mbarrier,       // address; detail: the parity
    NamedBarrier,   // address: its number; detail: threads that it expects, 0: all
    ClusterBarrier, // detail: threads that have not arrived
    Lanes,          // what: the instruction; detail: the lanes that it needs
    Groups,         // what: of which kind; detail: how many may be pending
  } kind = Kind::Other;
  const char *what = "";
  uint64_t address = 0, detail = 0;
  const AsyncGroups::Kind *groups = nullptr; // Groups: those of the warp's lanes
  bool isByStrictChecks = false; // Lanes: silicon goes on with those that are there (Finding::Aligned)
};

/// Lanes of a warp that are at one place. A warp is one split until lanes part.
struct WarpSplit {
  uint32_t pc = 0, mask = 0;
  std::vector<std::shared_ptr<Join>> joins; // innermost last
  std::vector<Frame> frames;
  uint64_t token = 0;     // of the instruction that blocks: what it waits for; 0: first execution
  bool isBlocked = false; // at the last attempt
  bool isParked = false;  // at a join, waiting for others
  Wait wait;              // why it is blocked
  uint64_t executed = 0;  // since it was last parked or parted
  bool isTimed = false;   // blocked at an instruction that gives up when its time is up (mbarrier.try_wait)
  bool isTimeUp = false;  // it gives up at the next attempt
  uint32_t timeouts = 0;  // since it last got what it waited for
};

struct Warp {
  Cta *cta = nullptr;
  uint32_t index = 0; // in the CTA
  uint32_t mask = 0;  // lanes that execute the current instruction
  std::byte *registers = nullptr;
  uint32_t existing = 0, exited = 0; // lanes
  std::vector<WarpSplit> splits;
  size_t current = 0;         // the split that executes
  Wait wait;                  // set by a handler that is Blocked
  bool isOrdering = false;    // Checks::Strict: executes an instruction that may order memory (SharedRaces.h)
  Meetings meetings;          // .. of its lanes
  bool isToldApart = false;   // .. what lanes did that have not met since may be known to others
  std::byte *local = nullptr; // localBytes a lane, lane after lane
  std::vector<uint8_t> localWritten;
  std::unique_ptr<LocalStack> stack; // what alloca handed out; null before the first
  std::vector<uint32_t> written; // registers: lanes that were written, by row offset / 64 (Checks::Strict)
  bool holdsUnwritten = false;   // Checks::Standard: some register has a value of `unwritten`
  uint32_t unwrittenLoads = 0;   // lanes of the load that executes which found what nobody wrote
  std::shared_ptr<UnwrittenValues> unwritten; // memory/UnwrittenValues.h; null before the first
  const Allocation *lastAllocation = nullptr;
  Statistics *statistics = nullptr; // null: not collected
  std::vector<uint64_t> opcodeCounts;
  uint64_t instructions = 0; // executed
  bool hasGivenUp = false;   // mbarrier.try_wait has said false without waiting (a lazy schedule)
  std::shared_ptr<WgmmaRegisters> wgmmaRegisters; // Checks::Strict, from the first wgmma on
  std::shared_ptr<WarpGlobalOrder> globalOrder;   // Checks::Strict: memory/GlobalOrder.h; null before its use
  AsyncGroups asyncGroups;                        // cp.async, bulk and wgmma groups of its lanes
  std::unique_ptr<std::byte[]> storage;

  WarpSplit &split() { return splits[current]; }
  uint32_t liveLanes() const { return existing & ~exited; }
};

struct Cta {
  Cluster *cluster = nullptr;
  std::array<uint32_t, 3> position{}; // %ctaid
  uint32_t rank = 0;                  // in the cluster
  std::vector<Warp> warps;
  SharedMemory shared;
  TensorMemory tensor;
  NamedBarriers barriers;
  uint32_t liveThreads = 0;
};

/// Copies that complete on mbarriers, and the phases that they belong to, by CopyObservation.h.
struct CopyPhases {
  struct Phase {
    uint32_t barrier = 0, number = 0;
  };
  std::map<uint32_t, uint32_t> barriers; // shared address of an mbarrier with copies: its number
  std::vector<uint32_t> clocks;          // of each: its place in what is given and learned
  std::vector<uint32_t> ended;           // .. how many of its phases have
  std::vector<uint32_t> underWay;        // .. the phase now, as SharedMemory::copied has it; 0: no copy yet
  std::vector<Phase> phases;             // with copies
};

/// Bulk copies to global memory, by groups, and who knows that they have read (ReadObservation.h).
struct BulkReads {
  struct Group {
    uint32_t warp = 0; // in the cluster
    int lane = 0;
    uint64_t group = 0; // how many the lane had committed before
    bool isObserved = false;
    uint32_t given = 0; // AccessOrder::given of the warp at that time
    uint32_t line = 0;  // of the copy
  };
  std::vector<Group> groups;
  std::vector<uint32_t> unobserved; // of these
};

/// Which accesses of which warps are ordered, by SharedRaces.h; warps are numbered through the cluster. What
/// is given and learned has more numbers (addClock): for each mbarrier of CopyPhases its ended phases, for
/// each warpgroup of ProductReads the groups of wgmma that are done.
struct AccessOrder {
  CopyPhases copies;
  BulkReads bulkReads;
  std::vector<uint32_t> given;                // how often each warp gave its accesses away
  std::vector<bool> isOpen;                   // whether it has some to give
  std::vector<std::vector<uint32_t>> learned; // of each: what others had given
  /// .. but for what only some lanes know, which have acquired it from global memory; empty: the same
  std::vector<std::vector<uint32_t>> learnedByAll;
  struct Mbarrier {
    std::vector<uint32_t> arriving, given;         // what arrivals tell, also of the phases that have ended
    uint32_t initializer = kNone, initialized = 0; // a warp, and how often it had given away its accesses
    // With asynchronous arrivals: the place in learned of its phases that have ended, how many have since
    // the first such arrival, and how many will have with the last one.
    uint32_t clock = kNone, ended = 0, awaited = 0;
    uint32_t line = 0; // of what issued that one
  };
  std::map<uint32_t, Mbarrier> mbarriers; // by their shared addresses
  struct TensorReads {
    uint32_t clock = 0, commits = 0; // tcgen05.commit of a leading CTA: its place in learned; so far
  };
  std::map<uint32_t, TensorReads> tensorReads; // by the leading CTA's rank
  /// The last access to shared memory by a warp of another CTA: who knows that the warp has given away its
  /// accesses so often knows that it is over.
  struct RemoteUse {
    uint32_t given = 0;
    bool isArrival = false; // on an mbarrier
  };
  std::map<uint32_t, std::map<uint32_t, RemoteUse>> remoteUses; // by a CTA's rank and the warp's number
  ReaderSets readers;
  const std::vector<uint32_t> *performing = nullptr; // AsyncOperation::order of what is being performed
};

/// What a warp tells by an arrival: what it has given away, and what it has learned. Empty: nothing yet.
std::vector<uint32_t> orderOf(const Warp &warp);

struct Cluster {
  Grid *grid = nullptr;
  std::array<uint32_t, 3> position{}; // %clusterid
  std::vector<std::unique_ptr<Cta>> ctas;
  ClusterBarrier barrier;
  AsyncQueue async;
  AccessOrder order;                               // Checks::Strict
  std::shared_ptr<ClusterGlobalOrder> globalOrder; // likewise; null before its use
  uint64_t random = 0;                             // state of its generator
  /// Reads that ask for what others write (atomic, volatile, ordered; test_wait): a thread that waits in a
  /// loop.
  uint64_t polls = 0;
  uint32_t multiprocessor = 0;
  bool hasAwaitedGrids = false;       // griddepcontrol.wait, by some thread
  std::unique_ptr<Timeline> timeline; // null: not recorded
  std::unique_ptr<Features> features; // likewise
};

struct Grid {
  const Program *program = nullptr;
  const Launch *launch = nullptr;
  GlobalMemory *memory = nullptr;
  const Options *options = nullptr;
  std::array<uint32_t, 3> clusters{};
  uint64_t id = 0;
  uint64_t workspace = 0; // of a cooperative launch: GridWorkspace.h
  KernelServices *services = nullptr;
  std::atomic<uint64_t> nextCluster{0}; // handed out in order; clusterlaunchcontrol takes from it too
  uint64_t clusterCount = 0;
  Recycler<std::unique_ptr<std::byte[]>> warpStorage;
  Recycler<SharedMemory> sharedMemory;
  HostBudget whileRunning;               // beside what clusters are made with
  uint64_t residentLimit = ~uint64_t(0); // of the process: kernels write memory whose pages are not there yet
  std::shared_ptr<GlobalOrder> globalOrder; // Checks::Strict
  TimelineFile *timelineFile = nullptr;     // null: no timelines are recorded
};

/// The next value of a cluster's generator (splitmix64).
uint64_t nextRandom(Cluster &cluster);

inline Cluster &clusterOf(Warp &warp) { return *warp.cta->cluster; }
inline Grid &gridOf(Warp &warp) { return *warp.cta->cluster->grid; }
inline bool isStrict(Warp &warp) { return gridOf(warp).options->checks == Checks::Strict; }
inline bool isChecked(Warp &warp) { return gridOf(warp).options->checks != Checks::Off; }

/// Checks::Strict: in those lanes the register has been written.
inline void requireWritten(const Warp &warp, Row row, uint32_t lanes) {
  if (uint32_t missing = lanes & ~warp.written[row.offset / 64])
    report(*gridOf(const_cast<Warp &>(warp)).options, Finding::Unwritten, FaultKind::Unwritten,
           "a register that nobody wrote", __builtin_ctz(missing));
}

} // namespace mxc::sim
