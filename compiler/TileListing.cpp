#include "compiler/TileListing.h"

#include "compiler/Pipelines.h"
#include "compiler/SourceModule.h"
#include "compiler/lowering/entry/KernelLoweringInterface.h"
#include "compiler/targets/Target.h"
#include "dialect/MxOps.h"

#include "mlir/AsmParser/AsmParser.h"

using namespace mlir;

namespace mxc {

static std::string textOf(mx::KernelOp kernel) {
  std::string text;
  llvm::raw_string_ostream out(text);
  kernel->print(out, OpPrintingFlags().useLocalScope());
  return text;
}

/// "warps = 4, when = ..": the condition is what a tile's text ends with.
static std::string withoutCondition(const std::string &tile) {
  return tile.substr(0, tile.find(", when = "));
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
    for (TileChoice &choice : lowering.getTileChoices(target_))
      add(kernel, op, {textOf(op, choice.tile, Condition::None), choice.estimate, choice.refusal}, result);
    for (const std::string &tile : lowering.getDefaultTiles(target_)) {
      result.defaults.push_back(textOf(op, tile, Condition::Its));
      add(kernel, op, {textOf(op, tile, Condition::None), "", ""}, result);
    }
    return result;
  }

  void add(mx::KernelOp kernel, mx::TiledOpInterface op, ListedTile tile, KernelTiles &result) {
    if (llvm::any_of(result.tiles, [&](const ListedTile &known) { return known.tile == tile.tile; })) return;
    if (tile.refusal.empty()) tile.refusal = errorWith(kernel, tile.tile);
    result.tiles.push_back(std::move(tile));
  }

  enum class Condition { Its, None };
  /// As --tile takes it: what stands inside of the operation's first kind, or the whole attribute.
  std::string textOf(mx::TiledOpInterface op, const std::string &tile, Condition condition) {
    Attribute attribute = parseAttribute(tile, &source_.context());
    std::string text = cast<mx::TileAttrInterface>(attribute).getText();
    if (condition == Condition::None) text = withoutCondition(text);
    const StringRef kind = attribute.getAbstractAttribute().getName();
    return kind == op.getTileKinds().front() ? text : "#" + kind.str() + "<" + text + ">";
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
