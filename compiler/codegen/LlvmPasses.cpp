#include "compiler/codegen/LlvmPasses.h"

#include "llvm/Analysis/CFG.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Target/TargetMachine.h"

namespace mxc {

// The passes of O3, in its order, without which the PTX of straight-line code would differ, each as often as
// it still finds something, and those that a prologue may want. O3 spends its time on running InstCombine
// eight times, on GVN, and on looking for loops and calls.
static constexpr char kStraightLinePasses[] =
    "function(nvvm-intr-range,sroa,early-cse,sccp,"
    "instcombine<max-iterations=1;no-verify-fixpoint>,simplifycfg<switch-range-to-icmp>,"
    "speculative-execution<only-if-divergent-target>,correlated-propagation,"
    "simplifycfg<switch-range-to-icmp>,"
    "reassociate,vector-combine,instcombine<max-iterations=1;no-verify-fixpoint>,"
    "simplifycfg<switch-range-to-icmp;switch-to-arithmetic;hoist-common-insts;sink-common-insts>,"
    "simplifycfg<switch-range-to-icmp;switch-to-arithmetic;hoist-loads-stores-with-cond-faulting;"
    "speculate-unpredictables>)";

static bool callsFunctionWithBody(llvm::Function &function) {
  return llvm::any_of(llvm::instructions(function), [](const llvm::Instruction &instruction) {
    auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    return call && (!call->getCalledFunction() || !call->getCalledFunction()->isDeclaration()) &&
           !call->isInlineAsm();
  });
}

bool isStraightLine(llvm::Module &module) {
  return llvm::all_of(module, [](llvm::Function &function) {
    if (function.isDeclaration()) return true;
    llvm::SmallVector<std::pair<const llvm::BasicBlock *, const llvm::BasicBlock *>> backEdges;
    llvm::FindFunctionBackedges(function, backEdges);
    return backEdges.empty() && !callsFunctionWithBody(function);
  });
}

void optimize(llvm::Module &module, llvm::TargetMachine &machine, bool isStraightLine) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager sccs;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(sccs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, sccs, modules);
  if (!isStraightLine) {
    builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O3).run(module, modules);
    return;
  }
  llvm::ModulePassManager passes;
  llvm::cantFail(builder.parsePassPipeline(passes, kStraightLinePasses));
  passes.run(module, modules);
}

} // namespace mxc
