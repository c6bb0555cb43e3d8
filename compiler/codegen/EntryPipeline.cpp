#include "compiler/codegen/EntryPipeline.h"
#include "compiler/codegen/EntryModules.h"
#include "compiler/codegen/LlvmText.h"
#include "compiler/codegen/ModuleToPtx.h"
#include "compiler/guard/FatalErrorGuard.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "llvm/Support/ThreadPool.h"

#include <atomic>
#include <mutex>

using namespace mlir;

namespace mxc {

namespace {

using AddStage = void (*)(OpPassManager &, const PipelineOptions &);

/// Stages for one module after the other.
class StageRunner {
public:
  StageRunner(MLIRContext &context, const PipelineOptions &options, std::initializer_list<AddStage> stages)
      : passes_(&context, ModuleOp::getOperationName()) {
    passes_.enableVerifier(false); // after every pass it is a quarter of the lowering's time
    for (AddStage add : stages)
      add(passes_, options);
  }
  LogicalResult run(ModuleOp module) { return passes_.run(module); }

private:
  PassManager passes_;
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

/// Tells how many steps are done, from whichever thread does them.
class StepCount {
public:
  StepCount(const Progress &progress, std::string doing, size_t total)
      : progress_(progress), doing_(std::move(doing)), total_(total) {
    if (progress_) progress_(doing_, 0, total_);
  }
  void addOne() {
    std::lock_guard lock(mutex_);
    ++done_;
    if (progress_) progress_(doing_, done_, total_);
  }

private:
  const Progress &progress_;
  const std::string doing_;
  const size_t total_;
  std::mutex mutex_;
  size_t done_ = 0;
};

class Entries {
public:
  Entries(ModuleOp module, const PipelineOptions &options, const Target &target, const Progress &progress)
      : entries_(takeEntries(module)), options_(options), target_(target), progress_(progress),
        context_(*module.getContext()) {
    if (entries_.size() < 2) return;
    static CallersThread pool;
    context_.loadAllAvailableDialects(); // later would be a race
    context_.setThreadPool(pool);
  }

  LogicalResult lower(std::initializer_list<AddStage> stages) {
    return forEach(
        "lowering", [&] { return StageRunner(context_, options_, stages); },
        [this](StageRunner &runner, size_t i) { return runner.run(*entries_[i]); });
  }

  /// As they go to LLVM: as one module where they must, and the first has the record of the ABI.
  LogicalResult complete() {
    if (entries_.size() > 1 && !canBeApart(entries_)) join();
    shareGlobals(entries_);
    for (const OwningOpRef<ModuleOp> &later : llvm::drop_begin(entries_))
      ModuleOp(*later)->removeAttr("mx.abi");
    if (!options_.entry.empty()) return success(); // the record is somewhere else
    return StageRunner(context_, options_, {addAbi}).run(*entries_.front());
  }

  FailureOr<std::string> printed() {
    join();
    ModuleOp module = *entries_.front();
    if (failed(verify(module))) return failure();
    std::string text;
    llvm::raw_string_ostream out(text);
    module.print(out);
    out << '\n';
    return text;
  }

  FailureOr<std::string> toLlvm() {
    return generate([] { return 0; },
                    [this](int, ModuleOp entry) { return moduleToLlvmText(entry, target_); }, joinedLlvm);
  }

  FailureOr<std::string> toPtx() {
    return generate([this] { return PtxWriter(target_); },
                    [](PtxWriter &writer, ModuleOp entry) { return writer.write(entry); }, joinedPtx);
  }

private:
  void join() {
    OwningOpRef<ModuleOp> module = joinedModule(std::move(entries_));
    entries_.clear();
    entries_.push_back(std::move(module));
  }

  FailureOr<std::string> generate(auto makeWriter, auto write, auto joined) {
    std::vector<std::string> texts(entries_.size());
    LogicalResult result =
        forEach("generating code", makeWriter, [&](auto &writer, size_t i) -> LogicalResult {
          OwningOpRef<ModuleOp> entry = std::move(entries_[i]);
          if (failed(verify(*entry))) return failure();
          FailureOr<std::string> text = write(writer, *entry);
          if (succeeded(text)) texts[i] = std::move(*text);
          return text;
        });
    if (failed(result)) return failure();
    return joined(std::move(texts));
  }

  /// work(state, i) for every entry, with a state of each thread. The longest entries tend to stand last.
  LogicalResult forEach(const char *doing, auto makeState, auto work) {
    StepCount steps(progress_, std::string(doing) + " for " + std::string(target_.name), entries_.size());
    if (entries_.size() < 2) {
      auto state = makeState();
      return work(state, 0);
    }
    ParallelDiagnosticHandler diagnostics(&context_);
    std::atomic<size_t> taken = 0;
    std::atomic<bool> hasFailed = false;
    onGuardedThreads(entries_.size(), [&] {
      auto state = makeState();
      for (size_t k = taken++; k < entries_.size(); k = taken++) {
        const size_t i = entries_.size() - 1 - k;
        diagnostics.setOrderIDForThread(i);
        if (failed(work(state, i))) hasFailed = true;
        steps.addOne();
        diagnostics.eraseOrderIDForThread();
      }
    });
    return failure(hasFailed);
  }

  EntryModules entries_;
  const PipelineOptions &options_;
  const Target &target_;
  const Progress &progress_;
  MLIRContext &context_;
};

} // namespace

FailureOr<std::string> entriesAt(Stage stage, ModuleOp module, const PipelineOptions &options,
                                 const Target &target, const Progress &progress) {
  Entries entries(module, options, target, progress);
  if (stage == Stage::Tile) {
    if (failed(entries.lower({addTileStage}))) return failure();
    return entries.printed();
  }
  if (failed(entries.lower({addTileStage, addNvvmStage})) || failed(entries.complete())) return failure();
  if (stage == Stage::Nvvm) return entries.printed();
  return stage == Stage::Llvm ? entries.toLlvm() : entries.toPtx();
}

} // namespace mxc
