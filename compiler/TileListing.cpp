#include "compiler/TileListing.h"

#include "compiler/Pipelines.h"
#include "compiler/SourceModule.h"
#include "compiler/lowering/KernelLoweringInterface.h"
#include "compiler/targets/Target.h"
#include "dialect/MxOps.h"

#include "mlir/AsmParser/AsmParser.h"

using namespace mlir;

namespace mxc {

namespace {

class TileListing {
public:
  TileListing(std::string_view source, std::string_view sourceName, const Target &target)
      : target_(target), source_(source, sourceName) {}

  std::vector<KernelTiles> list() {
    std::vector<KernelTiles> kernels;
    for (mx::KernelOp kernel : source_.module().getOps<mx::KernelOp>())
      kernels.push_back(tilesOf(kernel));
    return kernels;
  }

private:
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
    return cast<mx::TileAttrInterface>(parseAttribute(tile, &source_.context())).getText();
  }

  /// What the compiler says of the kernel with that tile, without its place; "": nothing.
  std::string errorWith(mx::KernelOp kernel, const std::string &tile) {
    std::string error;
    ScopedDiagnosticHandler handler(&source_.context(), [&](Diagnostic &diagnostic) {
      if (error.empty() && diagnostic.getSeverity() == DiagnosticSeverity::Error) error = diagnostic.str();
    });
    OpBuilder builder(&source_.context());
    OwningOpRef<ModuleOp> alone = ModuleOp::create(builder, kernel.getLoc());
    alone->push_back(kernel->clone());
    PassManager passes(&source_.context(), ModuleOp::getOperationName());
    PipelineOptions options{std::string(target_.name), tile};
    addKernelStage(passes, options);
    addTileStage(passes, options);
    if (succeeded(passes.run(*alone))) return "";
    return error.empty() ? "is refused" : error;
  }

  const Target &target_;
  SourceModule source_;
};

} // namespace

std::vector<KernelTiles> listTiles(std::string_view source, std::string_view sourceName,
                                   const std::string &target) {
  const Target &chip = requireTarget(target);
  std::vector<KernelTiles> tiles;
  guarded(sourceName, "listing tiles for " + target,
          [&] { tiles = TileListing(source, sourceName, chip).list(); });
  return tiles;
}

} // namespace mxc
