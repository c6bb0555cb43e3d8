#include "compiler/TileListing.h"

#include "compiler/SourceModule.h"
#include "compiler/lowering/entry/KernelLoweringInterface.h"
#include "compiler/passes/Pipelines.h"
#include "compiler/targets/Target.h"
#include "dialect/MxOps.h"

#include "mlir/IR/Verifier.h"

using namespace mlir;

namespace mxc {

static std::string textOf(mx::KernelOp kernel) {
  std::string text;
  llvm::raw_string_ostream out(text);
  kernel->print(out, OpPrintingFlags().useLocalScope());
  return text;
}

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
    KernelTiles result{kernel.getSymName().str(), mxc::textOf(kernel), false, {}, {}};
    mx::TiledOpInterface op;
    kernel.walk([&](mx::TiledOpInterface found) { op = found; });
    if (!op) return result;
    result.areWritten = bool(op.getTilesAttr());
    auto lowering = cast<KernelLoweringInterface>(*op);
    for (const TileChoice &choice : lowering.getTileChoices(target_))
      add(kernel, choice, result);
    for (mx::TileAttrInterface tile : lowering.getDefaultTiles(target_)) {
      result.defaults.push_back(tile.getText());
      add(kernel, {tile}, result);
    }
    return result;
  }

  void add(mx::KernelOp kernel, const TileChoice &choice, KernelTiles &result) {
    const mx::TileAttrInterface tile = choice.tile.withCondition({});
    ListedTile listed{tile.getText(), choice.estimate, choice.refusal};
    if (llvm::any_of(result.tiles, [&](const ListedTile &known) { return known.tile == listed.tile; }))
      return;
    if (listed.refusal.empty()) listed.refusal = errorWith(kernel, tile);
    result.tiles.push_back(std::move(listed));
  }

  /// What the compiler says of the kernel with that tile, without its place; "": nothing.
  std::string errorWith(mx::KernelOp kernel, mx::TileAttrInterface tile) {
    std::string error;
    ScopedDiagnosticHandler handler(&source_.context(), [&](Diagnostic &diagnostic) {
      if (error.empty() && diagnostic.getSeverity() == DiagnosticSeverity::Error) error = diagnostic.str();
    });
    OpBuilder builder(&source_.context());
    OwningOpRef<ModuleOp> alone = ModuleOp::create(builder, kernel.getLoc());
    alone->push_back(kernel->clone());
    alone->walk([&](mx::TiledOpInterface op) { op.setTilesAttr(builder.getArrayAttr({tile})); });
    if (failed(verify(*alone))) return error; // with that tile
    PassManager passes(&source_.context(), ModuleOp::getOperationName());
    PipelineOptions options{std::string(target_.name), "", "", 0};
    addKernelStage(passes, options);
    addEntryFunctions(passes, options);
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

std::vector<KernelText> kernelTexts(std::string_view source, std::string_view sourceName) {
  std::vector<KernelText> texts;
  guarded(sourceName, "parsing", [&] {
    SourceModule module(source, sourceName);
    for (mx::KernelOp kernel : module.module().getOps<mx::KernelOp>())
      texts.push_back({kernel.getSymName().str(), textOf(kernel)});
  });
  return texts;
}

} // namespace mxc
