// Clusters over host threads. A cluster belongs to one thread at a time; those that wait for other clusters
// through global memory are set aside, so that all that a GPU would hold at once make progress.
#include "runtime/simulator/run/Engine.h"

#include "dialect/formats/Error.h"
#include "runtime/environment/HostMemory.h"
#include "runtime/simulator/machine/GridState.h"
#include "runtime/simulator/machine/GridWorkspace.h"
#include "runtime/simulator/machine/PlacedModule.h"
#include "runtime/simulator/memory/GlobalOrder.h"
#include "runtime/simulator/ptx/SourceLocation.h"
#include "runtime/simulator/report/TimelineFile.h"
#include "runtime/simulator/run/ClusterRun.h"

#include <deque>
#include <exception>
#include <mutex>
#include <new>
#include <random>
#include <thread>

namespace mxc::sim {

namespace {

constexpr uint64_t kSlice = 2'000'000; // warp instructions before a cluster is set aside
constexpr uint64_t kTogether = 6;      // clusters that take turns; seldom more, which take memory

class GridRun {
public:
  GridRun(Grid &grid, uint64_t resident)
      : grid_(grid), resident_(resident), random_(uint32_t(grid.options->schedule.seed)) {}

  LaunchResult run(unsigned threads) {
    {
      std::vector<std::jthread> others; // joined at the end, whatever is thrown
      try {
        for (unsigned i = 1; i < threads; ++i)
          others.emplace_back([this] { work(); });
      } catch (const std::exception &) { // the host has no more threads, or memory for them: these will do
      }
      work();
    }
    if (error_) result_.fault = faultOf(error_);
    return std::move(result_);
  }

private:
  /// Strict checks of a random schedule whose seed has its second bit: any cluster may be ahead of any other
  /// one, however short they are. Under the other seeds a cluster runs as far as it can, so that one of its
  /// warps may be far ahead of another.
  bool takesTurns() const {
    const Schedule &schedule = grid_.options->schedule;
    return grid_.options->checks == Checks::Strict && schedule.kind == Schedule::Kind::Random &&
           (schedule.seed & 2);
  }

  /// How long a cluster runs before it is set aside. The mutex is held.
  uint64_t slice() { return takesTurns() ? uint64_t(16) << random_() % 12 : kSlice; }

  std::unique_ptr<ClusterRun> next(uint64_t &budget) {
    std::lock_guard lock(mutex_);
    if (error_) return nullptr;
    budget = slice();
    const bool goesOn = takesTurns() && !waiting_.empty() && random_() % (alive_ < kTogether ? 2 : 32);
    if (alive_ < resident_ && !goesOn) {
      uint64_t index = grid_.nextCluster.fetch_add(1);
      if (index < grid_.clusterCount) {
        ++alive_;
        return std::make_unique<ClusterRun>(grid_, index);
      }
    }
    if (waiting_.empty()) return nullptr;
    if (takesTurns()) std::swap(waiting_.front(), waiting_[random_() % waiting_.size()]);
    std::unique_ptr<ClusterRun> cluster = std::move(waiting_.front());
    waiting_.pop_front();
    return cluster;
  }

  void runClusters() {
    uint64_t budget = 0;
    while (std::unique_ptr<ClusterRun> cluster = next(budget)) {
      bool isDone = cluster->run(budget) == ClusterRun::State::Done;
      std::lock_guard lock(mutex_);
      if (!isDone) {
        waiting_.push_back(std::move(cluster));
        continue;
      }
      --alive_;
      if (grid_.options->collectStatistics) cluster->addStatistics(result_.statistics);
      if (const Features *features = cluster->features()) result_.features.merge(std::set(features->lines()));
    }
  }

  /// Whatever a thread throws ends the launch, never the process. What it was is told by the thread that
  /// launched.
  void work() noexcept {
    try {
      runClusters();
    } catch (...) {
      std::lock_guard lock(mutex_);
      if (!error_) error_ = std::current_exception();
    }
  }

  Fault faultOf(const std::exception_ptr &thrown) const {
    Fault fault;
    try {
      std::rethrow_exception(thrown);
    } catch (const FaultError &error) {
      fault = error.fault;
    } catch (const std::bad_alloc &) {
      fault = FaultError(FaultKind::Limit, "the host has no memory left for the launch").fault;
    } catch (const std::exception &error) {
      fault = FaultError(FaultKind::Trap, std::string("the simulator failed: ") + error.what()).fault;
    } catch (...) {
      fault = FaultError(FaultKind::Trap, "the simulator failed").fault;
    }
    if (fault.kernel.empty()) fault.kernel = grid_.program->function->name; // between warps
    if (fault.line) fault.source = ptx::sourceLocation(grid_.program->module->text, fault.line);
    return fault;
  }

  Grid &grid_;
  uint64_t resident_, alive_ = 0;
  std::mutex mutex_;
  std::deque<std::unique_ptr<ClusterRun>> waiting_;
  std::minstd_rand random_;
  std::exception_ptr error_; // the first
  LaunchResult result_;
};

} // namespace

/// Why a launch cannot be: the host's memory does not hold so many clusters at a time.
static LaunchResult refusal(const Grid &grid, uint64_t clusters, uint64_t bytes, uint64_t budget) {
  const std::string what =
      clusters == 1 ? "a cluster" : "a cooperative launch, of " + std::to_string(clusters) + " clusters,";
  FaultError error(FaultKind::Limit, what + " takes " + std::to_string(clusters * bytes) +
                                         " bytes of the host's memory for its registers, local and shared "
                                         "memory, the budget is " +
                                         std::to_string(budget) + " (MXC_SIM_MEMORY)");
  error.fault.kernel = grid.program->function->name;
  return {error.fault, {}, {}};
}

/// How the launch itself is made.
static void addLaunch(const Launch &launch, std::set<std::string> &features) {
  const auto &[x, y, z] = launch.cluster;
  features.insert("launch: cluster " + std::to_string(x) + " x " + std::to_string(y) + " x " +
                  std::to_string(z));
  if (launch.isDependent) features.insert("launch: programmatic stream serialization");
  if (launch.isCooperative) features.insert("launch: cooperative");
}

static LaunchResult runGrid(Grid &grid) {
  const Options &options = *grid.options;
  const Launch &launch = *grid.launch;
  unsigned threads = options.threads ? options.threads : std::max(1u, std::thread::hardware_concurrency());
  threads = unsigned(std::min<uint64_t>(threads, grid.clusterCount));
  uint64_t ctas = uint64_t(launch.cluster[0]) * launch.cluster[1] * launch.cluster[2];
  uint64_t resident = std::max<uint64_t>(threads, 2 * uint64_t(options.multiprocessors) / ctas);
  if (launch.isCooperative) resident = grid.clusterCount;
  const uint64_t budget = memoryBudget(options), bytes = std::max<uint64_t>(1, clusterBytes(grid)),
                 least = launch.isCooperative ? resident : 1;
  if (least > budget / bytes) return refusal(grid, least, bytes, budget);
  resident = std::min(resident, std::max(least, budget / 2 / bytes));
  grid.whileRunning.set(budget - resident * bytes);
  threads = unsigned(std::min<uint64_t>(threads, resident));
  // Stores make pages, of the memory and of its shadow: where all of them together are too many, they are
  // watched.
  if (2 * grid.memory->allocatedBytes() > budget - std::min(budget, residentBytes()))
    grid.residentLimit = budget;
  if (options.checks == Checks::Strict) {
    grid.memory->beginGrid(launch.isDependent, options.isBehindGrid);
    grid.globalOrder = makeGlobalOrder(*grid.memory);
  }
  return GridRun(grid, resident).run(threads);
}

LaunchResult run(const Program &program, const Launch &launch, GlobalMemory &memory, const Options &options,
                 KernelServices &services) {
  static std::atomic<uint64_t> launches{0};
  Grid grid;
  grid.program = &program, grid.launch = &launch, grid.memory = &memory, grid.options = &options;
  grid.services = &services;
  grid.id = ++launches;
  grid.clusterCount = 1;
  for (size_t axis = 0; axis < 3; ++axis) {
    grid.clusters[axis] = launch.grid[axis] / launch.cluster[axis];
    grid.clusterCount *= grid.clusters[axis];
  }
  std::optional<GridWorkspace> workspace;
  try {
    if (launch.isCooperative) grid.workspace = workspace.emplace(memory).address();
  } catch (FaultError &error) {
    error.fault.kernel = program.function->name;
    return {error.fault, {}, {}};
  }
  std::optional<TimelineFile> timeline;
  if (!options.timelineFile.empty())
    grid.timelineFile = &timeline.emplace(options.timelineFile, program.function->name,
                                          uint64_t(launch.grid[0]) * launch.grid[1] * launch.grid[2]);
  LaunchResult result = runGrid(grid);
  if (!options.featuresFile.empty()) {
    addLaunch(launch, result.features);
    if (!writeFeatures(options.featuresFile, result.features) && !result.fault)
      throw Error(ErrorKind::InvalidInput, options.featuresFile + ": cannot write the features");
  }
  if (timeline && timeline->hasFailed() && !result.fault)
    throw Error(ErrorKind::InvalidInput, options.timelineFile + ": cannot write the timeline");
  return result;
}

} // namespace mxc::sim
