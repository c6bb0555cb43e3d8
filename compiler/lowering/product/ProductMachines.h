// One form of a block-scaled product on one generation of tensor cores: which tiles it runs, and their plans.
#pragma once

#include "compiler/lowering/product/plan/ProductPlan.h"

namespace mxc {

class ProductMachine {
public:
  virtual ~ProductMachine() = default;

  /// Whether it runs tiles of that attribute.
  virtual bool takes(mlir::Attribute tile) const = 0;
  /// Adds to the kernel's ABI what any of the operation's tiles may need: workspaces.
  virtual void declare(mx::ProductOpInterface op, KernelSignature &signature) const = 0;
  /// What `tile`, which it takes, asks of the chip.
  virtual std::unique_ptr<ProductPlan> plan(mx::ProductOpInterface op, mlir::Attribute tile,
                                            const Target &target) const = 0;
};

/// The machines of a target for products of that operand; none where they are not written for it yet.
llvm::ArrayRef<const ProductMachine *> productMachines(const Target &target, BlockFormat format);

} // namespace mxc
