#include "compiler/codegen/ModuleToPtx.h"
#include "compiler/codegen/CodeGeneratorPasses.h"
#include "compiler/codegen/CudaToolkit.h"
#include "compiler/codegen/LlvmPasses.h"
#include "compiler/codegen/LlvmText.h"

#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/Module.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Linker/Linker.h"
#include "llvm/MC/TargetRegistry.h"
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
                                 std::nullopt, std::nullopt, llvm::CodeGenOptLevel::Default));
}

namespace {
// What LLVM says of a context's modules as diagnostics at `location`; by itself it would print it, and end
// the process at the first error.
class LlvmDiagnostics {
public:
  LlvmDiagnostics(llvm::LLVMContext &context, mlir::Location location)
      : context_(context), location_(location) {
    context.setDiagnosticHandlerCallBack(report, this);
  }
  ~LlvmDiagnostics() { context_.setDiagnosticHandlerCallBack(nullptr); }

  bool hasErrors() const { return hasErrors_; }
  bool fail(const llvm::Twine &text) {
    mlir::emitError(location_) << text;
    hasErrors_ = true;
    return false;
  }

private:
  static void report(const llvm::DiagnosticInfo *info, void *argument) {
    auto &self = *static_cast<LlvmDiagnostics *>(argument);
    const llvm::DiagnosticSeverity severity = info->getSeverity();
    if (severity != llvm::DS_Error && severity != llvm::DS_Warning) return;
    std::string text;
    llvm::raw_string_ostream stream(text);
    llvm::DiagnosticPrinterRawOStream printer(stream);
    info->print(printer);
    if (severity == llvm::DS_Error)
      self.fail(text);
    else
      mlir::emitWarning(self.location_) << text;
  }

  llvm::LLVMContext &context_;
  mlir::Location location_;
  bool hasErrors_ = false;
};

// A module on its way, in a context of its own.
struct Unit {
  explicit Unit(mlir::ModuleOp source)
      : diagnostics(context, source.getLoc()), module(mlir::translateModuleToLLVMIR(source, context, "mxc")) {
  } // null: a failure is reported

  llvm::LLVMContext context;
  LlvmDiagnostics diagnostics;
  std::unique_ptr<llvm::Module> module;
  bool isStraightLine = false; // before loops are unrolled
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

static bool optimizeFor(llvm::TargetMachine &machine, Unit &unit) {
  unit.module->setTargetTriple(machine.getTargetTriple());
  unit.module->setDataLayout(machine.createDataLayout());
  if (!linkLibdevice(*unit.module, unit.diagnostics)) return false;
  unit.isStraightLine = isStraightLine(*unit.module);
  optimize(*unit.module, machine, unit.isStraightLine);
  return true;
}

mlir::FailureOr<std::string> moduleToLlvmText(mlir::ModuleOp module, const Target &target) {
  Unit unit(module);
  if (!unit.module || !optimizeFor(*targetMachine(target), unit) || unit.diagnostics.hasErrors())
    return mlir::failure();
  return llvmText(*unit.module);
}

PtxWriter::PtxWriter(const Target &target) : machine_(targetMachine(target)) {}
PtxWriter::~PtxWriter() = default;

mlir::FailureOr<std::string> PtxWriter::write(mlir::ModuleOp module) {
  Unit unit(module);
  if (!unit.module || !optimizeFor(*machine_, unit)) return mlir::failure();
  llvm::SmallString<0> ptx;
  llvm::raw_svector_ostream stream(ptx);
  CodeGeneratorPasses passes(unit.isStraightLine);
  if (machine_->addPassesToEmitFile(passes, stream, nullptr, llvm::CodeGenFileType::AssemblyFile))
    unit.diagnostics.fail("the NVPTX backend cannot write PTX");
  else
    passes.run(*unit.module);
  if (unit.diagnostics.hasErrors()) return mlir::failure();
  return std::string(ptx);
}

} // namespace mxc
