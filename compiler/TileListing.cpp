#include "compiler/TileListing.h"

#include "compiler/Dialects.h"
#include "compiler/Pipelines.h"
#include "compiler/lowering/KernelLoweringInterface.h"
#include "compiler/targets/Target.h"
#include "dialect/MxOps.h"
#include "dialect/formats/Error.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;

namespace mxc {

namespace {

class TileListing {
public:
  TileListing(std::string_view source, std::string_view sourceName, const Target &target)
      : target_(target), context_(registry(), MLIRContext::Threading::DISABLED), stream_(messages_) {
    context_.printOpOnDiagnostic(false);
    auto buffer = llvm::MemoryBuffer::getMemBufferCopy(llvm::StringRef(source), llvm::StringRef(sourceName));
    sources_.AddNewSourceBuffer(std::move(buffer), llvm::SMLoc());
    SourceMgrDiagnosticHandler handler(sources_, &context_, stream_);
    module_ = parseSourceFile<ModuleOp>(sources_, &context_);
    stream_.flush();
    if (!module_) throw Error(ErrorKind::InvalidInput, llvm::StringRef(messages_).rtrim().str());
  }

  std::vector<KernelTiles> list() {
    std::vector<KernelTiles> kernels;
    for (mx::KernelOp kernel : module_->getOps<mx::KernelOp>())
      kernels.push_back(tilesOf(kernel));
    return kernels;
  }

private:
  static DialectRegistry registry() {
    DialectRegistry registry;
    registerDialects(registry);
    return registry;
  }

  KernelTiles tilesOf(mx::KernelOp kernel) {
    KernelTiles result{kernel.getSymName().str(), {}, {}};
    mx::TiledOpInterface op;
    kernel.walk([&](mx::TiledOpInterface found) { op = found; });
    if (!op) return result;
    auto lowering = cast<KernelLoweringInterface>(*op);
    for (const std::string &tile : lowering.getDefaultTiles(target_))
      result.defaults.push_back(textOf(tile));
    for (TileChoice &choice : lowering.getTileChoices(target_)) {
      if (choice.refusal.empty()) choice.refusal = errorWith(kernel, choice.tile);
      result.tiles.push_back({textOf(choice.tile), choice.estimate, choice.refusal});
    }
    return result;
  }

  std::string textOf(const std::string &tile) {
    return cast<mx::TileAttrInterface>(parseAttribute(tile, &context_)).getText();
  }

  /// What the compiler says of the kernel with that tile, without its place; "": nothing.
  std::string errorWith(mx::KernelOp kernel, const std::string &tile) {
    std::string error;
    ScopedDiagnosticHandler handler(&context_, [&](Diagnostic &diagnostic) {
      if (error.empty() && diagnostic.getSeverity() == DiagnosticSeverity::Error) error = diagnostic.str();
    });
    OpBuilder builder(&context_);
    OwningOpRef<ModuleOp> alone = ModuleOp::create(builder, kernel.getLoc());
    alone->push_back(kernel->clone());
    PassManager passes(&context_, ModuleOp::getOperationName());
    PipelineOptions options{std::string(target_.name), tile};
    addKernelStage(passes, options);
    addTileStage(passes, options);
    if (succeeded(passes.run(*alone))) return "";
    return error.empty() ? "is refused" : error;
  }

  const Target &target_;
  MLIRContext context_;
  llvm::SourceMgr sources_;
  std::string messages_;
  llvm::raw_string_ostream stream_;
  OwningOpRef<ModuleOp> module_;
};

} // namespace

std::vector<KernelTiles> listTiles(std::string_view source, std::string_view sourceName,
                                   const std::string &target) {
  return TileListing(source, sourceName, requireTarget(target)).list();
}

} // namespace mxc
