#include "compiler/codegen/ModuleToPtx.h"
#include "compiler/codegen/CudaToolkit.h"

#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Linker/Linker.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/IPO/Internalize.h"

#include <mutex>

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
                                 std::nullopt, std::nullopt, llvm::CodeGenOptLevel::Aggressive));
}

namespace {
// What LLVM says of a module becomes diagnostics at `location`; by itself it would print them, and end the
// process at the first error.
class LlvmDiagnostics {
public:
  LlvmDiagnostics(llvm::LLVMContext &context, mlir::Location location)
      : context_(context), location_(location) {
    context.setDiagnosticHandlerCallBack(report, this);
  }
  ~LlvmDiagnostics() { context_.setDiagnosticHandlerCallBack(nullptr); }
  bool hasErrors() const { return hasErrors_; }

private:
  static void report(const llvm::DiagnosticInfo *info, void *argument) {
    auto &self = *static_cast<LlvmDiagnostics *>(argument);
    bool isError = info->getSeverity() == llvm::DS_Error;
    if (!isError && info->getSeverity() != llvm::DS_Warning) return;
    std::string text;
    llvm::raw_string_ostream stream(text);
    llvm::DiagnosticPrinterRawOStream printer(stream);
    info->print(printer);
    self.hasErrors_ |= isError;
    if (isError)
      mlir::emitError(self.location_) << text;
    else
      mlir::emitWarning(self.location_) << text;
  }

  llvm::LLVMContext &context_;
  mlir::Location location_;
  bool hasErrors_ = false;
};
} // namespace

// Links what the module calls of libdevice and keeps it internal, so that it is inlined.
static mlir::LogicalResult linkLibdevice(llvm::Module &module, mlir::Location location) {
  bool needed = llvm::any_of(
      module, [](llvm::Function &f) { return f.isDeclaration() && f.getName().starts_with("__nv_"); });
  if (!needed) return mlir::success();
  std::optional<std::string> path = findLibdevice();
  if (!path)
    return mlir::emitError(location) << "the prologue uses math functions: "
                                     << toolkitAdvice("libdevice.10.bc");
  llvm::SMDiagnostic diagnostic;
  std::unique_ptr<llvm::Module> libdevice = llvm::parseIRFile(*path, diagnostic, module.getContext());
  if (!libdevice)
    return mlir::emitError(location) << "cannot read " << *path << ": " << diagnostic.getMessage();
  libdevice->setTargetTriple(module.getTargetTriple());
  libdevice->setDataLayout(module.getDataLayout());
  module.addModuleFlag(llvm::Module::Override, "nvvm-reflect-ftz", 0u); // subnormals are kept
  bool failed = llvm::Linker::linkModules(
      module, std::move(libdevice), llvm::Linker::Flags::LinkOnlyNeeded,
      [](llvm::Module &m, const llvm::StringSet<> &linked) {
        llvm::internalizeModule(m, [&](const llvm::GlobalValue &v) { return !linked.contains(v.getName()); });
      });
  return failed ? mlir::emitError(location) << "linking " << *path << " failed" : mlir::success();
}

static void optimize(llvm::Module &module, llvm::TargetMachine &machine) {
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
  builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O3).run(module, modules);
}

std::unique_ptr<llvm::Module> moduleToLlvm(mlir::ModuleOp module, const Target &target,
                                           llvm::LLVMContext &context) {
  LlvmDiagnostics diagnostics(context, module.getLoc());
  std::unique_ptr<llvm::Module> result = mlir::translateModuleToLLVMIR(module, context, "mxc");
  if (!result) return nullptr; // reported
  std::unique_ptr<llvm::TargetMachine> machine = targetMachine(target);
  result->setTargetTriple(machine->getTargetTriple());
  result->setDataLayout(machine->createDataLayout());
  if (mlir::failed(linkLibdevice(*result, module.getLoc()))) return nullptr;
  optimize(*result, *machine);
  if (diagnostics.hasErrors()) return nullptr;
  return result;
}

mlir::FailureOr<std::string> llvmToPtx(std::unique_ptr<llvm::Module> llvmModule, const Target &target,
                                       mlir::Location location) {
  LlvmDiagnostics diagnostics(llvmModule->getContext(), location);
  std::unique_ptr<llvm::TargetMachine> machine = targetMachine(target);
  llvm::SmallString<0> ptx;
  llvm::raw_svector_ostream stream(ptx);
  llvm::legacy::PassManager passes;
  if (machine->addPassesToEmitFile(passes, stream, nullptr, llvm::CodeGenFileType::AssemblyFile))
    return mlir::emitError(location) << "the NVPTX backend cannot write PTX";
  passes.run(*llvmModule);
  if (diagnostics.hasErrors()) return mlir::failure();
  return std::string(ptx);
}

std::string llvmText(const llvm::Module &llvmModule) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvmModule.print(stream, nullptr);
  return text;
}

} // namespace mxc
