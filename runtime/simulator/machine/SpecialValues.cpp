#include "runtime/simulator/machine/SpecialValues.h"

#include "runtime/simulator/machine/GridState.h"

namespace mxc::sim {

namespace {

using Triple = std::array<uint32_t, 3>;

const Grid &gridOf(const Warp &warp) { return *warp.cta->cluster->grid; }
const Launch &launchOf(const Warp &warp) { return *gridOf(warp).launch; }
uint32_t product(const Triple &of) { return of[0] * of[1] * of[2]; }

Triple threadId(const Warp &warp, int lane) { return threadOf(warp, lane); }
Triple threadCount(const Warp &warp, int) { return launchOf(warp).block; }
Triple ctaId(const Warp &warp, int) { return warp.cta->position; }
Triple ctaCount(const Warp &warp, int) { return launchOf(warp).grid; }
Triple clusterId(const Warp &warp, int) { return warp.cta->cluster->position; }
Triple clusterCount(const Warp &warp, int) { return gridOf(warp).clusters; }
Triple ctasInCluster(const Warp &warp, int) { return launchOf(warp).cluster; }
Triple ctaInCluster(const Warp &warp, int) {
  const Triple &cluster = launchOf(warp).cluster;
  uint32_t rank = warp.cta->rank;
  return {rank % cluster[0], rank / cluster[0] % cluster[1], rank / cluster[0] / cluster[1]};
}

template <Triple (*Of)(const Warp &, int), size_t Axis> uint64_t component(const Warp &warp, int lane) {
  return Of(warp, lane)[Axis];
}

struct VectorRegister { // .w is 0
  std::string_view name;
  SpecialValue axes[3];
};
template <Triple (*Of)(const Warp &, int)> constexpr VectorRegister vectorRegister(std::string_view name) {
  return {name, {component<Of, 0>, component<Of, 1>, component<Of, 2>}};
}
constexpr VectorRegister kVectors[] = {
    vectorRegister<threadId>("tid"),
    vectorRegister<threadCount>("ntid"),
    vectorRegister<ctaId>("ctaid"),
    vectorRegister<ctaCount>("nctaid"),
    vectorRegister<clusterId>("clusterid"),
    vectorRegister<clusterCount>("nclusterid"),
    vectorRegister<ctaInCluster>("cluster_ctaid"),
    vectorRegister<ctasInCluster>("cluster_nctaid"),
};

uint64_t below(int lane) { return (uint64_t(1) << lane) - 1; } // lanes below it

struct ScalarRegister {
  std::string_view name;
  SpecialValue value;
};
constexpr ScalarRegister kScalars[] = {
    {"laneid", [](const Warp &, int lane) { return uint64_t(lane); }},
    {"warpid", [](const Warp &warp, int) { return uint64_t(warp.index); }},
    {"nwarpid",
     [](const Warp &warp, int) { return uint64_t(product(launchOf(warp).block) + kLanes - 1) / kLanes; }},
    {"cluster_ctarank", [](const Warp &warp, int) { return uint64_t(warp.cta->rank); }},
    {"cluster_nctarank", [](const Warp &warp, int) { return uint64_t(product(launchOf(warp).cluster)); }},
    {"is_explicit_cluster", [](const Warp &warp, int) { return uint64_t(launchOf(warp).isClusterExplicit); }},
    {"smid",
     [](const Warp &warp, int) { return uint64_t(warp.cta->cluster->multiprocessor + warp.cta->rank); }},
    {"nsmid", [](const Warp &warp, int) { return uint64_t(gridOf(warp).options->multiprocessors); }},
    {"gridid", [](const Warp &warp, int) { return gridOf(warp).id; }},
    {"envreg1", [](const Warp &warp, int) { return gridOf(warp).workspace >> 32; }},
    {"envreg2", [](const Warp &warp, int) { return gridOf(warp).workspace & 0xffffffff; }},
    {"lanemask_eq", [](const Warp &, int lane) { return uint64_t(1) << lane; }},
    {"lanemask_lt", [](const Warp &, int lane) { return below(lane); }},
    {"lanemask_le", [](const Warp &, int lane) { return below(lane + 1); }},
    {"lanemask_gt", [](const Warp &, int lane) { return ~below(lane + 1) & 0xffffffff; }},
    {"lanemask_ge", [](const Warp &, int lane) { return ~below(lane) & 0xffffffff; }},
    {"dynamic_smem_size", [](const Warp &warp, int) { return uint64_t(launchOf(warp).dynamicSharedBytes); }},
    {"total_smem_size",
     [](const Warp &warp, int) { return (sharedBytesOf(gridOf(warp)) + 127) / 128 * 128; }},
    {"aggr_smem_size", [](const Warp &warp, int) { return (sharedBytesOf(gridOf(warp)) + 127) / 128 * 128; }},
    {"reserved_smem_offset_1",
     [](const Warp &warp, int) {
       return uint64_t(warp.cta->rank) << kSharedRankShift | reservedSharedOffset(gridOf(warp));
     }},
    {"reserved_smem_offset_end", [](const Warp &, int) { return uint64_t(kSharedBase); }},
    {"reserved_smem_offset_cap", [](const Warp &, int) { return uint64_t(kSharedBase); }},
    {"WARP_SZ", [](const Warp &, int) { return uint64_t(kLanes); }},
};

} // namespace

SpecialValue specialValue(std::string_view name) {
  size_t dot = name.find('.');
  for (const VectorRegister &vector : kVectors)
    if (dot + 2 == name.size() && name.substr(0, dot) == vector.name && name[dot + 1] != 'w')
      return vector.axes[name[dot + 1] - 'x'];
  for (const ScalarRegister &scalar : kScalars)
    if (name == scalar.name) return scalar.value;
  return [](const Warp &, int) { return uint64_t(0); };
}

} // namespace mxc::sim
