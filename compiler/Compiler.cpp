#include "compiler/Compiler.h"
#include "compiler/Dialects.h"
#include "compiler/FatalErrorGuard.h"
#include "compiler/Pipelines.h"
#include "compiler/TextLimits.h"
#include "compiler/codegen/ModuleToPtx.h"
#include "dialect/MxOps.h"
#include "dialect/formats/Error.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"

#include <exception>

using namespace mlir;

namespace mxc {

static constexpr std::string_view kStageNames[] = {"mlir", "tile", "nvvm", "llvm", "ptx", "cubin", "fatbin"};

std::string_view name(Stage stage) { return kStageNames[size_t(stage)]; }

std::optional<Stage> stageNamed(std::string_view text) {
  for (size_t i = 0; i < std::size(kStageNames); ++i)
    if (kStageNames[i] == text) return Stage(i);
  return std::nullopt;
}

namespace {

// Threads that compile share nothing: a context is one compilation's, and makes no threads of its own.
constexpr MLIRContext::Threading kOneThread = MLIRContext::Threading::DISABLED;

// One source for one target, stage by stage. Messages gather in `messages`.
class Compilation {
public:
  Compilation(std::string_view source, std::string_view sourceName, const CompileOptions &options,
              const Target &target)
      : options_(options), target_(target), sourceName_(sourceName), context_(registry(), kOneThread),
        stream_(messages_), handler_(sources_, &context_, stream_) {
    context_.printOpOnDiagnostic(false);
    auto buffer = llvm::MemoryBuffer::getMemBufferCopy(llvm::StringRef(source), llvm::StringRef(sourceName));
    sources_.AddNewSourceBuffer(std::move(buffer), llvm::SMLoc());
  }

  std::string text(Stage stage, std::string &abiJson, std::string &doing) {
    doing = "parsing";
    module_ = parseSourceFile<ModuleOp>(sources_, &context_);
    if (!module_) fail();
    checkKernels();
    if (!options_.tile.empty()) checkTile();
    doing = "lowering for " + std::string(target_.name);
    PipelineOptions options{std::string(target_.name), options_.tile};
    runStage(options, addKernelStage);
    if (stage == Stage::Mlir) return printed();
    runStage(options, addTileStage);
    if (auto abi = (*module_)->getAttrOfType<StringAttr>("mx.abi")) abiJson = abi.getValue().str();
    if (stage == Stage::Tile) return printed();
    runStage(options, addNvvmStage);
    if (stage == Stage::Nvvm) return printed();
    doing = "code generation for " + std::string(target_.name);
    llvm::LLVMContext llvmContext;
    std::unique_ptr<llvm::Module> llvmModule = moduleToLlvm(*module_, target_, llvmContext);
    if (!llvmModule) fail();
    if (stage == Stage::Llvm) return llvmText(*llvmModule);
    FailureOr<std::string> ptx = llvmToPtx(std::move(llvmModule), target_, module_->getLoc());
    if (failed(ptx)) fail();
    return *ptx;
  }

  std::string warnings() {
    stream_.flush();
    return messages_;
  }

private:
  static DialectRegistry registry() {
    DialectRegistry registry;
    registerDialects(registry);
    return registry;
  }

  void runStage(const PipelineOptions &options, void (*add)(OpPassManager &, const PipelineOptions &)) {
    PassManager passes(&context_, ModuleOp::getOperationName());
    add(passes, options);
    if (failed(passes.run(*module_))) fail();
  }

  std::string printed() {
    std::string text;
    llvm::raw_string_ostream out(text);
    module_->print(out);
    out << '\n';
    return text;
  }

  // Where an operation does not take --tile, the command line is at fault and not the source.
  void checkTile() {
    bool isTaken = false;
    WalkResult result = module_->walk([&](mx::TiledOpInterface op) {
      isTaken = true;
      return failed(mx::parseTile(op, options_.tile)) ? WalkResult::interrupt() : WalkResult::advance();
    });
    if (result.wasInterrupted()) fail(ErrorKind::Usage);
    if (!isTaken)
      throw Error(ErrorKind::Usage, "the tile '" + options_.tile + "' is given, but no operation has tiles");
  }

  [[noreturn]] void fail(ErrorKind kind = ErrorKind::InvalidInput) {
    stream_.flush();
    throw Error(kind, messages_.empty() ? "compilation failed" : shortened(StringRef(messages_).rtrim()));
  }

  /// A diagnostic shows the line that it is about, which may be the whole file.
  static std::string shortened(StringRef messages) {
    constexpr size_t kLongestLine = 1000;
    std::string result;
    for (StringRef line : llvm::split(messages, '\n')) {
      result += result.empty() ? "" : "\n";
      result += line.take_front(kLongestLine);
      if (line.size() > kLongestLine) result += "..";
    }
    return result;
  }

  /// At least one kernel, none of them where the passes do not look. What has no place of its own (the module
  /// around kernels that stand for themselves, at line 0) gets the first kernel's.
  void checkKernels() {
    module_->walk([&](mx::KernelOp kernel) {
      if (kernel->getParentOp() == *module_) return;
      kernel.emitError("a kernel stands at the file's top level, found it in a nested module");
      fail();
    });
    auto kernels = module_->getOps<mx::KernelOp>();
    auto place = dyn_cast<FileLineColLoc>(module_->getLoc());
    bool hasPlace = place && place.getLine() > 0;
    if (kernels.empty() && !hasPlace)
      throw Error(ErrorKind::InvalidInput, sourceName_ + ": no mx.kernel in it");
    if (kernels.empty()) {
      module_->emitError("no mx.kernel in it");
      fail();
    }
    if (!hasPlace) module_->getOperation()->setLoc((*kernels.begin()).getLoc());
  }

  const CompileOptions &options_;
  const Target &target_;
  std::string sourceName_;
  MLIRContext context_;
  llvm::SourceMgr sources_;
  std::string messages_;
  llvm::raw_string_ostream stream_;
  SourceMgrDiagnosticHandler handler_;
  OwningOpRef<ModuleOp> module_;
};

struct StageOutput {
  std::string text, abiJson, warnings;
};

StageOutput compileGuarded(std::string_view source, std::string_view sourceName,
                           const CompileOptions &options, const Target &target) {
  StageOutput output;
  std::string doing;
  std::exception_ptr error;
  std::optional<std::string> fatal = fatalErrorOf([&] {
    try {
      Compilation compilation(source, sourceName, options, target);
      output.text = compilation.text(options.stage, output.abiJson, doing);
      output.warnings = compilation.warnings();
    } catch (...) {
      error = std::current_exception();
    }
  });
  if (fatal)
    throw Error(ErrorKind::InvalidInput, std::string(sourceName) + ": error: " + doing +
                                             " failed: " + StringRef(*fatal).rtrim().str());
  if (error) std::rethrow_exception(error);
  return output;
}

} // namespace

const Target &requireTarget(std::string_view name) {
  if (const Target *target = targetNamed(name)) return *target;
  std::string names;
  for (const Target *target : allTargets())
    names += (names.empty() ? "" : ", ") + std::string(target->name);
  throw Error(ErrorKind::Usage, "unknown target '" + std::string(name) + "', expected one of " + names);
}

CompileResult compile(std::string_view source, std::string_view sourceName, const CompileOptions &options) {
  if (options.targets.empty() || (options.targets.size() > 1 && options.stage != Stage::Fatbin))
    throw Error(ErrorKind::Usage, "several targets make a fatbin: use --emit=fatbin, or name one target");
  if (std::optional<TextExcess> excess = excessOf(source))
    throw Error(ErrorKind::InvalidInput, excess->text(sourceName));
  if (std::optional<TextExcess> excess = excessOf(options.tile))
    throw Error(ErrorKind::Usage, "the tile is " + excess->what);
  CompileResult result;
  std::vector<TargetCode> codes;
  for (const std::string &targetName : options.targets) {
    const Target *target = &requireTarget(targetName);
    StageOutput stage = compileGuarded(source, sourceName, options, *target);
    if (!stage.abiJson.empty()) result.abis.push_back(abiFromJson(stage.abiJson));
    result.warnings += stage.warnings;
    result.output = stage.text;
    if (options.stage < Stage::Cubin) continue;
    AssembledCode code = assemble(stage.text, *target, options.assembler);
    if (!code.ok()) throw Error(code.tool.empty() ? ErrorKind::Device : ErrorKind::InvalidInput, code.log);
    result.warnings += code.log;
    result.output = code.cubin;
    codes.push_back({target, std::move(stage.text), std::move(code.cubin)});
  }
  if (options.stage == Stage::Fatbin) {
    AssembledCode fatbin = makeFatbin(codes);
    if (!fatbin.ok()) throw Error(ErrorKind::Device, fatbin.log);
    result.output = fatbin.cubin;
  }
  return result;
}

} // namespace mxc
