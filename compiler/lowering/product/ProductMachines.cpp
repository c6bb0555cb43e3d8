#include "compiler/lowering/product/ProductMachines.h"
#include "compiler/lowering/product/blockwise/BlockwisePlan.h"
#include "compiler/lowering/product/fewrows/FewRowsPlan.h"
#include "compiler/lowering/product/tensormemory/TensorMemoryPlan.h"
#include "compiler/lowering/product/warpgroups/WarpgroupPlan.h"
#include "compiler/lowering/product/warps/WarpPlan.h"
#include "dialect/formats/Blockwise.h"

namespace mxc {

namespace {
template <class Plan, class Tile> class MachineOf : public ProductMachine {
  bool takes(mlir::Attribute tile) const override { return llvm::isa<Tile>(tile); }
  void declare(mx::ProductOpInterface op, KernelSignature &signature) const override {
    Plan::declare(op, signature);
  }
  std::unique_ptr<ProductPlan> plan(mx::ProductOpInterface op, mlir::Attribute tile,
                                    const Target &target) const override {
    return std::make_unique<Plan>(op, llvm::cast<Tile>(tile), target);
  }
};
} // namespace

llvm::ArrayRef<const ProductMachine *> productMachines(const Target &target, BlockFormat format) {
  static const MachineOf<WarpgroupPlan, mx::MatmulTileAttr> warpgroups;
  static const MachineOf<FewRowsPlan, mx::SwapTileAttr> fewRows;
  static const MachineOf<BlockwisePlan, mx::MatmulTileAttr> blockwise;
  static const MachineOf<TensorMemoryPlan, mx::MatmulTileAttr> tensorMemory;
  static const MachineOf<WarpPlan, mx::MatmulTileAttr> warps;
  static const ProductMachine *const ofWarpgroups[] = {&warpgroups, &fewRows},
                                     *const ofFullRate[] = {&blockwise},
                                     *const ofTensorMemory[] = {&tensorMemory}, *const ofWarps[] = {&warps};
  using Machines = llvm::ArrayRef<const ProductMachine *>;
  const bool isFullRate = isBlockwise(format);
  switch (target.tensorCore) {
  case TensorCore::None:
    return {};
  case TensorCore::Warpgroups:
    return isFullRate ? Machines(ofFullRate) : Machines(ofWarpgroups);
  case TensorCore::TensorMemory:
    return isFullRate ? Machines() : Machines(ofTensorMemory);
  case TensorCore::Warps:
    return isFullRate ? Machines() : Machines(ofWarps);
  }
  llvm_unreachable("a tensor core");
}

} // namespace mxc
