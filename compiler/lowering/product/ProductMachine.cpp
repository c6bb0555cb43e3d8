#include "compiler/lowering/product/ProductMachine.h"
#include "compiler/lowering/product/blockwise/BlockwisePlan.h"

namespace mxc {

llvm::ArrayRef<const ProductMachine *> productMachines(const Target &target, BlockFormat format) {
  static const ProductMachine *const ofWarpgroups[] = {warpgroupMachine(), fewRowsMachine()};
  static const ProductMachine *const ofFullRate[] = {blockwiseMachine()};
  static const ProductMachine *const ofTensorMemory[] = {tensorMemoryMachine()};
  static const ProductMachine *const ofWarps[] = {warpMachine()};
  switch (target.tensorCore) {
  case TensorCore::None:
    return {};
  case TensorCore::Warpgroups:
    return isBlockwise(format) ? llvm::ArrayRef(ofFullRate) : llvm::ArrayRef(ofWarpgroups);
  case TensorCore::TensorMemory:
    return isBlockwise(format) ? llvm::ArrayRef<const ProductMachine *>() : llvm::ArrayRef(ofTensorMemory);
  case TensorCore::Warps:
    return isBlockwise(format) ? llvm::ArrayRef<const ProductMachine *>() : llvm::ArrayRef(ofWarps);
  }
  llvm_unreachable("a tensor core");
}

} // namespace mxc
