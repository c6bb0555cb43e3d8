#include "compiler/codegen/EntriesToPtx.h"
#include "compiler/FatalErrorGuard.h"
#include "compiler/codegen/EntryModules.h"
#include "compiler/codegen/ModuleToPtx.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "llvm/Support/ThreadPool.h"

#include <atomic>

using namespace mlir;

namespace mxc {

namespace {

using AddStage = void (*)(OpPassManager &, const PipelineOptions &);

/// A stage for one module after the other.
class StageRunner {
public:
  StageRunner(MLIRContext &context, const PipelineOptions &options, AddStage add)
      : passes_(&context, ModuleOp::getOperationName()) {
    passes_.enableVerifier(false);
    add(passes_, options);
  }
  LogicalResult run(ModuleOp module) { return passes_.run(module); }

private:
  PassManager passes_;
};

/// Straight-line code is cleaned up by LLVM, which would do it once more, and gives the same PTX. Of loops O3
/// makes something else then.
class EntryLowering {
public:
  EntryLowering(MLIRContext &context, const PipelineOptions &options)
      : lower_(context, options, addEntryToNvvm), cleanUp_(context, options, addCleanUp) {}
  LogicalResult run(ModuleOp module) {
    if (failed(lower_.run(module))) return failure();
    return isStraightLine(module) ? success() : cleanUp_.run(module);
  }

private:
  StageRunner lower_, cleanUp_;
};

/// What MLIR would do beside an entry's thread it does on that thread: others have no guard.
class CallersThread : public llvm::ThreadPoolInterface {
public:
  void wait() override {}
  void wait(llvm::ThreadPoolTaskGroup &) override {}
  unsigned getMaxConcurrency() const override { return 1; }

private:
  void asyncEnqueue(llvm::unique_function<void()> task, llvm::ThreadPoolTaskGroup *) override { task(); }
};

class Entries {
public:
  Entries(EntryModules entries, const PipelineOptions &options, const Target &target)
      : entries_(std::move(entries)), options_(options), target_(target),
        context_(*entries_.front()->getContext()) {
    static CallersThread pool;
    context_.loadAllAvailableDialects(); // later would be a race
    context_.setThreadPool(pool);
  }

  LogicalResult lower() {
    return forEach([this] { return EntryLowering(context_, options_); },
                   [this](EntryLowering &lowering, size_t i) { return lowering.run(*entries_[i]); });
  }

  FailureOr<std::string> toPtx() {
    shareGlobals(entries_);
    std::vector<std::string> texts(entries_.size());
    LogicalResult result = forEach([this] { return PtxWriter(target_); },
                                   [&](PtxWriter &writer, size_t i) -> LogicalResult {
                                     OwningOpRef<ModuleOp> entry = std::move(entries_[i]);
                                     if (failed(prepare(*entry, i))) return failure();
                                     FailureOr<std::string> text = writer.write(*entry);
                                     if (succeeded(text)) texts[i] = std::move(*text);
                                     return text;
                                   });
    if (failed(result)) return failure();
    return joinedPtx(std::move(texts));
  }

  const EntryModules &modules() const { return entries_; }
  EntryModules takeModules() { return std::move(entries_); }

private:
  LogicalResult prepare(ModuleOp entry, size_t i) {
    if (i > 0)
      entry->removeAttr("mx.abi");
    else if (failed(StageRunner(context_, options_, addAbi).run(entry)))
      return failure();
    return verify(entry);
  }

  /// work(state, i) for every entry, with a state of each thread. The longest entries tend to stand last.
  LogicalResult forEach(auto makeState, auto work) {
    ParallelDiagnosticHandler diagnostics(&context_);
    std::atomic<size_t> taken = 0;
    std::atomic<bool> hasFailed = false;
    onGuardedThreads(entries_.size(), [&] {
      auto state = makeState();
      for (size_t k = taken++; k < entries_.size(); k = taken++) {
        const size_t i = entries_.size() - 1 - k;
        diagnostics.setOrderIDForThread(i);
        if (failed(work(state, i))) hasFailed = true;
        diagnostics.eraseOrderIDForThread();
      }
    });
    return failure(hasFailed);
  }

  EntryModules entries_;
  const PipelineOptions &options_;
  const Target &target_;
  MLIRContext &context_;
};

FailureOr<std::string> wholeToPtx(ModuleOp module, const PipelineOptions &options, const Target &target) {
  if (failed(StageRunner(*module.getContext(), options, addAbi).run(module)) || failed(verify(module)))
    return failure();
  return PtxWriter(target).write(module);
}

} // namespace

FailureOr<std::string> entriesToPtx(ModuleOp module, const PipelineOptions &options, const Target &target) {
  EntryModules taken = takeEntries(module);
  if (taken.empty()) {
    if (failed(EntryLowering(*module.getContext(), options).run(module))) return failure();
    return wholeToPtx(module, options, target);
  }
  Entries entries(std::move(taken), options, target);
  if (failed(entries.lower())) return failure();
  if (canBeApart(entries.modules())) return entries.toPtx();
  putBack(entries.takeModules(), module);
  return wholeToPtx(module, options, target);
}

} // namespace mxc
