#include "compiler/codegen/ModuleToPtx.h"
#include "compiler/FatalErrorGuard.h"
#include "compiler/codegen/CudaToolkit.h"
#include "compiler/codegen/EntryModules.h"
#include "compiler/codegen/LlvmPasses.h"

#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Linker/Linker.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/IPO/Internalize.h"

#include <algorithm>
#include <atomic>
#include <deque>
#include <mutex>
#include <thread>

namespace mxc {

static std::unique_ptr<llvm::TargetMachine> targetMachine(const Target &target) {
  static std::once_flag initialized;
  std::call_once(initialized, [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
  });
  llvm::Triple triple("nvptx64-nvidia-cuda");
  std::string error;
  const llvm::Target *nvptx = llvm::TargetRegistry::lookupTarget(triple, error);
  return std::unique_ptr<llvm::TargetMachine>(
      nvptx->createTargetMachine(triple, target.llvmChip, target.llvmFeatures, llvm::TargetOptions(),
                                 std::nullopt, std::nullopt, llvm::CodeGenOptLevel::Default));
}

namespace {
// What LLVM says of a context's modules; by itself it would print it, and end the process at the first error.
// Kept, since MLIR's diagnostics are one thread's.
class LlvmDiagnostics {
public:
  explicit LlvmDiagnostics(llvm::LLVMContext &context) : context_(context) {
    context.setDiagnosticHandlerCallBack(keep, this);
  }
  ~LlvmDiagnostics() { context_.setDiagnosticHandlerCallBack(nullptr); }

  /// Makes them diagnostics at `location`; fails if one is an error.
  mlir::LogicalResult report(mlir::Location location) const {
    for (const Message &message : messages_)
      if (message.isError)
        mlir::emitError(location) << message.text;
      else
        mlir::emitWarning(location) << message.text;
    return mlir::failure(llvm::any_of(messages_, [](const Message &m) { return m.isError; }));
  }
  bool fail(std::string text) {
    messages_.push_back({true, std::move(text)});
    return false;
  }

private:
  static void keep(const llvm::DiagnosticInfo *info, void *argument) {
    bool isError = info->getSeverity() == llvm::DS_Error;
    if (!isError && info->getSeverity() != llvm::DS_Warning) return;
    std::string text;
    llvm::raw_string_ostream stream(text);
    llvm::DiagnosticPrinterRawOStream printer(stream);
    info->print(printer);
    static_cast<LlvmDiagnostics *>(argument)->messages_.push_back({isError, std::move(text)});
  }

  struct Message {
    bool isError;
    std::string text;
  };
  llvm::LLVMContext &context_;
  std::vector<Message> messages_;
};

// A module on its way, in a context of its own.
struct Unit {
  llvm::LLVMContext context;
  LlvmDiagnostics diagnostics{context};
  std::unique_ptr<llvm::Module> module;
  llvm::SmallString<0> ptx;
};
} // namespace

// Links what the module calls of libdevice and keeps it internal, so that it is inlined.
static bool linkLibdevice(llvm::Module &module, LlvmDiagnostics &diagnostics) {
  bool needed = llvm::any_of(
      module, [](llvm::Function &f) { return f.isDeclaration() && f.getName().starts_with("__nv_"); });
  if (!needed) return true;
  std::optional<std::string> path = findLibdevice();
  if (!path) return diagnostics.fail("the prologue uses math functions: " + toolkitAdvice("libdevice.10.bc"));
  llvm::SMDiagnostic diagnostic;
  std::unique_ptr<llvm::Module> libdevice = llvm::parseIRFile(*path, diagnostic, module.getContext());
  if (!libdevice) return diagnostics.fail("cannot read " + *path + ": " + diagnostic.getMessage().str());
  libdevice->setTargetTriple(module.getTargetTriple());
  libdevice->setDataLayout(module.getDataLayout());
  module.addModuleFlag(llvm::Module::Override, "nvvm-reflect-ftz", 0u); // subnormals are kept
  bool failed = llvm::Linker::linkModules(
      module, std::move(libdevice), llvm::Linker::Flags::LinkOnlyNeeded,
      [](llvm::Module &m, const llvm::StringSet<> &linked) {
        llvm::internalizeModule(m, [&](const llvm::GlobalValue &v) { return !linked.contains(v.getName()); });
      });
  return !failed || diagnostics.fail("linking " + *path + " failed");
}

static mlir::LogicalResult translate(mlir::ModuleOp module, Unit &unit) {
  unit.module = mlir::translateModuleToLLVMIR(module, unit.context, "mxc");
  return mlir::success(unit.module != nullptr); // a failure is reported
}

static bool optimizeFor(llvm::TargetMachine &machine, Unit &unit) {
  unit.module->setTargetTriple(machine.getTargetTriple());
  unit.module->setDataLayout(machine.createDataLayout());
  if (!linkLibdevice(*unit.module, unit.diagnostics)) return false;
  optimize(*unit.module, machine);
  return true;
}

static bool writePtx(llvm::TargetMachine &machine, Unit &unit) {
  if (!optimizeFor(machine, unit)) return false;
  llvm::raw_svector_ostream stream(unit.ptx);
  llvm::legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, stream, nullptr, llvm::CodeGenFileType::AssemblyFile))
    return unit.diagnostics.fail("the NVPTX backend cannot write PTX");
  passes.run(*unit.module);
  unit.module.reset();
  return true;
}

/// On as many threads as there are processors. The longest entries tend to stand last.
static void writePtx(const Target &target, std::deque<Unit> &units) {
  std::atomic<size_t> taken = 0;
  auto work = [&] {
    std::unique_ptr<llvm::TargetMachine> machine = targetMachine(target);
    for (size_t i = taken++; i < units.size(); i = taken++)
      writePtx(*machine, units[units.size() - 1 - i]);
  };
  const size_t processors = std::max(1u, std::thread::hardware_concurrency());
  std::vector<std::unique_ptr<GuardedThread>> threads;
  while (threads.size() < std::min(processors, units.size()))
    threads.push_back(std::make_unique<GuardedThread>(work));
  std::optional<std::string> fatal;
  for (auto &thread : threads)
    if (std::optional<std::string> reason = thread->join()) fatal = std::move(reason);
  if (fatal) llvm::report_fatal_error(llvm::StringRef(*fatal), /*gen_crash_diag=*/false); // as if it was here
}

mlir::FailureOr<std::string> moduleToLlvmText(mlir::ModuleOp module, const Target &target) {
  Unit unit;
  if (failed(translate(module, unit))) return mlir::failure();
  optimizeFor(*targetMachine(target), unit);
  if (failed(unit.diagnostics.report(module.getLoc()))) return mlir::failure();
  std::string text;
  llvm::raw_string_ostream stream(text);
  unit.module->print(stream, nullptr);
  return text;
}

mlir::FailureOr<std::string> moduleToPtx(mlir::ModuleOp module, const Target &target) {
  std::deque<Unit> units;
  std::vector<mlir::OwningOpRef<mlir::ModuleOp>> entries = takeEntries(module);
  for (mlir::OwningOpRef<mlir::ModuleOp> &entry : entries)
    if (failed(translate(*entry, units.emplace_back()))) return mlir::failure();
  if (entries.empty() && failed(translate(module, units.emplace_back()))) return mlir::failure();
  if (units.size() > 1)
    writePtx(target, units);
  else
    writePtx(*targetMachine(target), units.front());
  std::vector<std::string> texts;
  for (const Unit &unit : units) {
    if (failed(unit.diagnostics.report(module.getLoc()))) return mlir::failure();
    texts.push_back(std::string(unit.ptx));
  }
  return joinedPtx(std::move(texts));
}

} // namespace mxc
