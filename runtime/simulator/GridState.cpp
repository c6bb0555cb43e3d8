#include "runtime/simulator/GridState.h"

#include "runtime/simulator/instructions/Lanes.h"

#include <bit>
#include <cstring>
#include <map>

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

using Triple = std::array<uint32_t, 3>;

uint32_t component(const Triple &triple, char axis) { return axis == 'w' ? 0 : triple[size_t(axis - 'x')]; }

Triple placeInCluster(const Warp &warp) {
  const Triple &cluster = warp.cta->cluster->grid->launch->cluster;
  uint32_t rank = warp.cta->rank;
  return {rank % cluster[0], rank / cluster[0] % cluster[1], rank / cluster[0] / cluster[1]};
}

uint32_t threadsOf(const Triple &triple) { return triple[0] * triple[1] * triple[2]; }

uint32_t lanesBelow(int lane) { return (uint32_t(1) << lane) - 1; }

/// A special register's value for a lane (PTX ISA 10). Unknown ones are 0.
uint64_t specialValue(const Warp &warp, const std::string &name, int lane) {
  const Grid &grid = *warp.cta->cluster->grid;
  const Launch &launch = *grid.launch;
  const uint32_t warps = (threadsOf(launch.block) + kLanes - 1) / kLanes;
  size_t dot = name.find('.');
  std::string_view base = std::string_view(name).substr(0, dot);
  if (dot != std::string::npos && dot + 1 < name.size()) {
    char axis = name[dot + 1];
    if (base == "tid") return component(threadOf(warp, lane), axis);
    if (base == "ctaid") return component(warp.cta->position, axis);
    if (base == "cluster_ctaid") return component(placeInCluster(warp), axis);
    if (base == "clusterid") return component(warp.cta->cluster->position, axis);
    if (base == "ntid") return component(launch.block, axis);
    if (base == "nctaid") return component(launch.grid, axis);
    if (base == "cluster_nctaid") return component(launch.cluster, axis);
    if (base == "nclusterid") return component(grid.clusters, axis);
    return 0;
  }
  if (name == "laneid") return uint64_t(lane);
  if (name == "warpid") return warp.index;
  if (name == "nwarpid") return warps;
  if (name == "cluster_ctarank") return warp.cta->rank;
  if (name == "cluster_nctarank") return threadsOf(launch.cluster);
  if (name == "is_explicit_cluster") return threadsOf(launch.cluster) > 1;
  if (name == "smid") return warp.cta->cluster->multiprocessor + warp.cta->rank;
  if (name == "nsmid") return grid.options->multiprocessors;
  if (name == "gridid") return grid.id;
  if (name == "lanemask_eq") return uint64_t(1) << lane;
  if (name == "lanemask_lt") return lanesBelow(lane);
  if (name == "lanemask_le") return lanesBelow(lane) | uint64_t(1) << lane;
  if (name == "lanemask_gt") return ~(lanesBelow(lane) | uint32_t(1) << lane);
  if (name == "lanemask_ge") return ~lanesBelow(lane);
  if (name == "dynamic_smem_size") return launch.dynamicSharedBytes;
  if (name == "total_smem_size" || name == "aggr_smem_size")
    return (warp.cta->shared.bytes.size() + 127) / 128 * 128;
  if (name == "reserved_smem_offset_end" || name == "reserved_smem_offset_cap") return kSharedBase;
  if (name == "reserved_smem_offset_begin") return 0;
  if (name == "WARP_SZ") return kLanes;
  return 0;
}

void fillConstants(Warp &warp) {
  const Program &program = *warp.cta->cluster->grid->program;
  for (const WarpConstant &constant : program.warpConstants)
    for (int lane = 0; lane < kLanes; ++lane) {
      bool isSpecial = constant.kind == WarpConstant::Kind::Special;
      uint64_t value = isSpecial ? specialValue(warp, constant.special, lane)
                                 : uint64_t(warp.cta->rank) << kSharedRankShift | constant.offset;
      setLaneBits(warp, constant.row, lane, value);
    }
}

void startWarp(Warp &warp, Cta &cta, uint32_t index, uint32_t threads) {
  const Grid &grid = *cta.cluster->grid;
  const Program &program = *grid.program;
  warp.cta = &cta;
  warp.index = index;
  uint32_t first = index * kLanes;
  warp.existing = threads - first >= kLanes ? ~0u : lanesBelow(int(threads - first));
  size_t registerBytes = program.registerImage.size(), localBytes = size_t(program.localBytes) * kLanes;
  warp.storage.reset(new std::byte[registerBytes + localBytes + 64]);
  auto base = reinterpret_cast<uintptr_t>(warp.storage.get());
  warp.registers = warp.storage.get() + ((64 - base % 64) % 64);
  std::memset(warp.registers, 0, program.registerRows);
  std::memcpy(warp.registers + program.registerRows, program.registerImage.data() + program.registerRows,
              registerBytes - program.registerRows);
  warp.local = warp.registers + registerBytes;
  std::memset(warp.local, 0, localBytes);
  if (grid.options->checks == Checks::Strict) {
    warp.written.assign(registerBytes / 64, 0);
    warp.localWritten.assign(localBytes, 0);
  }
  if (grid.options->collectStatistics) warp.opcodeCounts.assign(program.statisticNames.size(), 0);
  Fragment start;
  start.mask = warp.existing;
  warp.fragments.push_back(std::move(start));
  fillConstants(warp);
}

} // namespace

std::unique_ptr<Cluster> makeCluster(Grid &grid, uint64_t index) {
  auto cluster = std::make_unique<Cluster>();
  cluster->grid = &grid;
  cluster->position = {uint32_t(index % grid.clusters[0]),
                       uint32_t(index / grid.clusters[0] % grid.clusters[1]),
                       uint32_t(index / grid.clusters[0] / grid.clusters[1])};
  cluster->random = grid.options->schedule.seed * 0x9E3779B97F4A7C15 ^ (index + 1) * 0xD1B54A32D192ED03;
  const Launch &launch = *grid.launch;
  uint32_t ranks = threadsOf(launch.cluster), threads = threadsOf(launch.block);
  uint32_t sharedBytes = grid.program->dynamicSharedOffset - kSharedBase + launch.dynamicSharedBytes;
  sharedBytes = std::max(sharedBytes, grid.program->facts.staticSharedBytes);
  cluster->multiprocessor = uint32_t(index * ranks % std::max(1u, grid.options->multiprocessors));
  for (uint32_t rank = 0; rank < ranks; ++rank) {
    auto cta = std::make_unique<Cta>();
    cta->cluster = cluster.get();
    cta->rank = rank;
    cta->position = {cluster->position[0] * launch.cluster[0] + rank % launch.cluster[0],
                     cluster->position[1] * launch.cluster[1] + rank / launch.cluster[0] % launch.cluster[1],
                     cluster->position[2] * launch.cluster[2] + rank / launch.cluster[0] / launch.cluster[1]};
    cta->liveThreads = threads;
    cta->shared.bytes.resize(sharedBytes);
    if (grid.options->checks != Checks::Off) cta->shared.state.resize(sharedBytes);
    if (grid.options->checks == Checks::Strict)
      cta->shared.lastWrite.resize(sharedBytes), cta->shared.lastRead.resize(sharedBytes);
    cta->warps = std::vector<Warp>((threads + kLanes - 1) / kLanes);
    for (uint32_t i = 0; i < cta->warps.size(); ++i)
      startWarp(cta->warps[i], *cta, i, threads);
    cluster->ctas.push_back(std::move(cta));
  }
  return cluster;
}

} // namespace mxc::sim
