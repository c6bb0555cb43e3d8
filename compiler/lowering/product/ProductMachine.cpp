#include "compiler/lowering/product/ProductMachine.h"

namespace mxc {

llvm::ArrayRef<const ProductMachine *> productMachines(const Target &target) {
  static const ProductMachine *const ofWarpgroups[] = {warpgroupMachine(), fewRowsMachine()};
  static const ProductMachine *const ofTensorMemory[] = {tensorMemoryMachine()};
  static const ProductMachine *const ofWarps[] = {warpMachine()};
  switch (target.tensorCore) {
  case TensorCore::None:
    return {};
  case TensorCore::Warpgroups:
    return ofWarpgroups;
  case TensorCore::TensorMemory:
    return ofTensorMemory;
  case TensorCore::Warps:
    return ofWarps;
  }
  llvm_unreachable("a tensor core");
}

} // namespace mxc
