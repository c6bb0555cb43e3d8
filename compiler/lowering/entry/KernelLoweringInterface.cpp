#include "compiler/lowering/entry/KernelLoweringInterface.h"

#include "compiler/lowering/entry/KernelLoweringInterface.cpp.inc"

namespace mxc {

#define MXC_KERNEL_FAMILY(Name) void register##Name##Lowering(mlir::DialectRegistry &registry);
#include "compiler/KernelFamilies.def"
#undef MXC_KERNEL_FAMILY

void registerKernelLowerings(mlir::DialectRegistry &registry) {
#define MXC_KERNEL_FAMILY(Name) register##Name##Lowering(registry);
#include "compiler/KernelFamilies.def"
#undef MXC_KERNEL_FAMILY
}

} // namespace mxc
