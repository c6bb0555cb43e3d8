#include "compiler/lowering/entry/EntryDriver.h"
#include "compiler/lowering/entry/Branch.h"
#include "compiler/lowering/nvvm/Launch.h"
#include "compiler/lowering/nvvm/Memory.h"

using namespace mlir;

namespace mxc {

static LogicalResult checkSharedBudget(Operation *op, const Target &target, const EntryPlan &plan) {
  if (plan.shared.bytes() <= target.maxSharedBytes) return success();
  return op->emitOpError("tile ") << plan.variant.tile << " needs " << plan.shared.bytes()
                                  << " bytes of shared memory (" << plan.shared.sum() << "), "
                                  << StringRef(target.name) << " gives a CTA " << target.maxSharedBytes;
}

// "k", "k$1", .. where it has no entry yet; null where an earlier variant takes all.
static AbiVariant *addVariant(KernelSignature &signature, AbiVariant added) {
  KernelAbi &abi = signature.abi;
  auto isImplied = [&](const AbiAlignment &earlier) {
    return llvm::any_of(added.alignments, [&](const AbiAlignment &own) {
      return own.argument == earlier.argument && own.bytes >= earlier.bytes;
    });
  };
  for (const AbiVariant &earlier : abi.variants)
    if (earlier.when.empty() && llvm::all_of(earlier.alignments, isImplied)) return nullptr;
  size_t index = abi.variants.size();
  if (added.entry.empty())
    added.entry =
        index == 0 ? abi.name : abi.name + "$" + std::to_string(index); // '$' is in no kernel's name
  return &abi.variants.emplace_back(std::move(added));
}

static std::vector<AbiRegion> regionsOf(const SharedLayout &layout) {
  std::vector<AbiRegion> regions;
  for (const SharedRegion &region : layout.regions())
    if (region.bytes)
      regions.push_back({region.name, uint32_t(region.offset), uint32_t(region.bytes),
                         uint32_t(region.stages), uint32_t(region.bytes / region.stages)});
  return regions;
}

FailureOr<std::string> emitEntry(Operation *op, ModuleOp module, const Target &target,
                                 KernelSignature &signature, EntryPlan plan,
                                 llvm::function_ref<void(EntryFunction &)> body) {
  if (failed(checkSharedBudget(op, target, plan))) return failure();
  if (!plan.shared.regions().empty())
    plan.variant.sharedBytes = std::max(plan.variant.sharedBytes, uint32_t(plan.shared.bytes()));
  plan.variant.sharedRegions = regionsOf(plan.shared);
  AbiVariant *variant = addVariant(signature, std::move(plan.variant));
  if (!variant) return std::string();
  EntryFunction entry(module, op->getLoc(), signature, *variant, plan.maps, plan.workspaces);
  if (!signature.emits(variant->entry)) { // the record has all but its roles
    entry.operation()->erase();
    return variant->entry;
  }
  if (plan.mostThreads) entry.takeThreads(plan.mostThreads);
  body(entry);
  entry.operation()->walk([&](mx::RoleOp role) { // in the order of the code, which inspect keeps
    variant->roles.push_back({role.getName().str(), uint32_t(role.getFirst()), uint32_t(role.getWarps())});
  });
  return variant->entry;
}

void shareEntry(KernelSignature &signature, AbiVariant variant, StringRef entry) {
  const AbiVariant &first = *llvm::find_if(signature.abi.variants,
                                           [&](const AbiVariant &earlier) { return earlier.entry == entry; });
  variant.entry = first.entry;
  variant.parameters = first.parameters;
  variant.sharedRegions = first.sharedRegions;
  if (!first.sharedRegions.empty()) variant.sharedBytes = std::max(variant.sharedBytes, first.sharedBytes);
  addVariant(signature, std::move(variant));
}

void whereWork(const ValueBuilder &v, Value hasWork, llvm::function_ref<void()> body, NextGrid next) {
  ifThen(v, hasWork, [&] {
    if (next == NextGrid::BeforeWaiting) nvvm::launchDependents(v);
    nvvm::waitForPrerequisites(v);
    body();
  });
}

Value sharedMemory(const ValueBuilder &v, const SharedLayout &layout) {
  return mx::SharedMemoryOp::create(v.b, v.loc, nvvm::pointerType(v.b.getContext(), 3),
                                    v.b.getI64IntegerAttr(layout.bytes()),
                                    v.b.getI32IntegerAttr(layout.alignment()));
}

} // namespace mxc
