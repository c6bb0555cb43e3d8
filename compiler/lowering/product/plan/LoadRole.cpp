#include "compiler/lowering/product/plan/LoadRole.h"
#include "compiler/lowering/pipeline/Steps.h"

using namespace mlir;

namespace mxc {

int loadWarps(const ClusterTilePlan &plan) { return plan.loadsBoxes() ? 1 : 4; }

void emitLoad(const TileEntry &e, const LoadRole &role) {
  if (!e.tilePlan.loadsBoxes()) return emitLoadByElements(e, role);
  emitRole(
      e, e.tiles, role.name, role.firstWarp, /*warps=*/1, /*leader=*/false,
      [&](const ValueBuilder &v, const TileRecord &tile) {
        const BoxLoads loads(e, v, tile, role.ring.boxes, role.brought);
        steps::forRange(v, v.mul(tile.beginStep(v, role.stepK), role.stages),
                        v.mul(tile.endStep(v, role.stepK), role.stages),
                        [&](Value step) { loads.fill(e.ring(role.ring.name), step); });
      },
      [](const ValueBuilder &) {}, role.isEarly);
}

} // namespace mxc
