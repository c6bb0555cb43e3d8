#include "runtime/simulator/machine/GridState.h"

#include "runtime/simulator/machine/Lanes.h"

#include <algorithm>
#include <cstring>

namespace mxc::sim {

uint64_t nextRandom(Cluster &cluster) {
  uint64_t z = cluster.random += 0x9E3779B97F4A7C15;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
  return z ^ (z >> 31);
}

std::array<uint32_t, 3> threadOf(const Warp &warp, int lane) {
  const std::array<uint32_t, 3> &block = warp.cta->cluster->grid->launch->block;
  uint32_t thread = warp.index * kLanes + uint32_t(lane);
  return {thread % block[0], thread / block[0] % block[1], thread / block[0] / block[1]};
}

namespace {

void fillConstants(Warp &warp) {
  const uint64_t window = uint64_t(warp.cta->rank) << kSharedRankShift;
  for (const WarpConstant &constant : gridOf(warp).program->warpConstants) {
    if (constant.row.bytes == 0) { // a predicate
      predicate(warp, constant.row.offset) =
          laneMask([&](int lane) { return constant.special && constant.special(warp, lane) != 0; });
      continue;
    }
    for (int lane = 0; lane < kLanes; ++lane)
      setLaneBits(warp, constant.row, lane,
                  constant.special ? constant.special(warp, lane) : window | constant.offset);
  }
}

void startWarp(Warp &warp, Cta &cta, uint32_t index, uint32_t threads) {
  Grid &grid = *cta.cluster->grid;
  const Program &program = *grid.program;
  warp.cta = &cta;
  warp.index = index;
  uint32_t first = index * kLanes;
  warp.existing = threads - first >= kLanes ? ~0u : (1u << (threads - first)) - 1;
  size_t registerBytes = program.registerImage.size(), localBytes = size_t(program.localBytes) * kLanes;
  warp.storage = grid.warpStorage.take();
  if (!warp.storage) warp.storage.reset(new std::byte[registerBytes + localBytes + 64]);
  auto base = reinterpret_cast<uintptr_t>(warp.storage.get());
  warp.registers = warp.storage.get() + ((64 - base % 64) % 64);
  std::memset(warp.registers, 0, program.registerRows);
  std::copy(program.registerImage.begin() + program.registerRows, program.registerImage.end(),
            warp.registers + program.registerRows);
  warp.local = warp.registers + registerBytes;
  std::memset(warp.local, 0, localBytes);
  if (grid.options->checks == Checks::Strict) {
    warp.written.assign(registerBytes / 64, 0);
    warp.localWritten.assign(localBytes, 0);
  }
  if (grid.options->collectStatistics) warp.opcodeCounts.assign(program.opcodes.size(), 0);
  WarpSplit start;
  start.mask = warp.existing;
  warp.splits.push_back(std::move(start));
  fillConstants(warp);
}

} // namespace

uint64_t sharedBytesOf(const Grid &grid) {
  uint64_t bytes =
      uint64_t(grid.program->dynamicSharedOffset) - kSharedBase + grid.launch->dynamicSharedBytes;
  return std::max<uint64_t>(bytes, grid.program->facts.staticSharedBytes);
}

/// At least what multi_warp_scratch takes (cooperative_groups/details/memory.h).
static constexpr uint64_t kReservedSharedBytes = 288, kReservedSharedGap = 256;

uint64_t reservedSharedOffset(const Grid &grid) {
  return kSharedBase + (sharedBytesOf(grid) + kReservedSharedGap + 15) / 16 * 16;
}

/// With what is reserved, of kernels that ask for it.
static uint64_t allSharedBytesOf(const Grid &grid) {
  if (!grid.program->usesReservedShared) return sharedBytesOf(grid);
  return reservedSharedOffset(grid) - kSharedBase + kReservedSharedBytes;
}

/// Nobody initializes what is reserved.
static void markReservedWritten(const Grid &grid, SharedMemory &shared) {
  if (!grid.program->usesReservedShared || shared.state.empty()) return;
  std::fill(shared.state.begin() + int64_t(reservedSharedOffset(grid) - kSharedBase), shared.state.end(),
            uint8_t(kWritten));
}

uint64_t clusterBytes(const Grid &grid) {
  auto product = [](const std::array<uint32_t, 3> &of) { return uint64_t(of[0]) * of[1] * of[2]; };
  const Checks checks = grid.options->checks;
  const uint64_t warps = (product(grid.launch->block) + kLanes - 1) / kLanes;
  const uint64_t local = uint64_t(grid.program->localBytes) * kLanes * (checks == Checks::Strict ? 2 : 1);
  const uint64_t stateBytes = checks == Checks::Off ? 0 : checks == Checks::Standard ? 1 : 9; // of each byte
  // For each row of 64 bytes: the lanes that were written, those that hold what nobody wrote, and whence.
  const uint64_t registers = grid.program->registerImage.size(), states = registers / 64 * 40;
  const uint64_t counts = grid.options->collectStatistics ? 8 * grid.program->opcodes.size() : 0;
  const uint64_t perCta = warps * (sizeof(Warp) + registers + states + local + counts) +
                          allSharedBytesOf(grid) * (1 + stateBytes);
  return product(grid.launch->cluster) * perCta;
}

void recycle(std::unique_ptr<Cluster> cluster) {
  for (auto &cta : cluster->ctas) {
    cluster->grid->sharedMemory.give(std::move(cta->shared));
    for (Warp &warp : cta->warps)
      cluster->grid->warpStorage.give(std::move(warp.storage));
  }
}

std::unique_ptr<Cluster> makeCluster(Grid &grid, uint64_t index) {
  auto cluster = std::make_unique<Cluster>();
  cluster->grid = &grid;
  cluster->position = {uint32_t(index % grid.clusters[0]),
                       uint32_t(index / grid.clusters[0] % grid.clusters[1]),
                       uint32_t(index / grid.clusters[0] / grid.clusters[1])};
  cluster->random = grid.options->schedule.seed * 0x9E3779B97F4A7C15 ^ (index + 1) * 0xD1B54A32D192ED03;
  const Launch &launch = *grid.launch;
  auto product = [](const std::array<uint32_t, 3> &of) { return of[0] * of[1] * of[2]; };
  uint32_t ranks = product(launch.cluster), threads = product(launch.block);
  const uint64_t sharedBytes = allSharedBytesOf(grid);
  cluster->multiprocessor = uint32_t(index * ranks % std::max(1u, grid.options->multiprocessors));
  for (uint32_t rank = 0; rank < ranks; ++rank) {
    auto cta = std::make_unique<Cta>();
    cta->cluster = cluster.get();
    cta->rank = rank;
    cta->position = {cluster->position[0] * launch.cluster[0] + rank % launch.cluster[0],
                     cluster->position[1] * launch.cluster[1] + rank / launch.cluster[0] % launch.cluster[1],
                     cluster->position[2] * launch.cluster[2] + rank / launch.cluster[0] / launch.cluster[1]};
    cta->liveThreads = threads;
    cta->shared = grid.sharedMemory.take();
    cta->shared.reset(sharedBytes, grid.options->checks);
    markReservedWritten(grid, cta->shared);
    cta->warps = std::vector<Warp>((threads + kLanes - 1) / kLanes);
    for (uint32_t i = 0; i < cta->warps.size(); ++i)
      startWarp(cta->warps[i], *cta, i, threads);
    cluster->ctas.push_back(std::move(cta));
  }
  return cluster;
}

} // namespace mxc::sim
