#include "compiler/Compiler.h"
#include "compiler/ExpectedLaunches.h"
#include "compiler/PreferredTiles.h"
#include "compiler/SourceModule.h"
#include "compiler/TextLimits.h"
#include "compiler/abi/AbiRecord.h"
#include "compiler/codegen/EntryPipeline.h"
#include "compiler/codegen/PtxVersion.h"
#include "compiler/lowering/entry/LaunchCondition.h"
#include "compiler/passes/Pipelines.h"
#include "dialect/MxOps.h"
#include "dialect/formats/Error.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace mxc {

static constexpr std::string_view kNoEntry = "-"; // no kernel has such a name

static void requireWanted(const CompileOptions &options) {
  if (options.isUnwanted && *options.isUnwanted)
    throw Error(ErrorKind::Device, "the compilation was given up: nobody waits for it");
}

namespace {

// One source for one target, stage by stage.
class Compilation {
public:
  Compilation(std::string_view source, std::string_view sourceName, const CompileOptions &options,
              const Target &target)
      : options_(options), target_(target), source_(source, sourceName), module_(source_.module()) {}

  std::string text(Stage stage, std::string &abiJson, std::string &doing) {
    if (!options_.tile.empty())
      checkTile();
    else if (failed(preferTiles(module_, target_, options_.preferredTiles)))
      source_.fail(ErrorKind::Usage);
    doing = "lowering for " + std::string(target_.name);
    requireWanted(options_);
    PipelineOptions options{std::string(target_.name), options_.tile, options_.entry, newestPtx()};
    runStage(options, addKernelStage);
    if (failed(verify(module_))) source_.fail(); // with the tiles that somebody wrote
    if (stage == Stage::Mlir) return printed();
    runStage(options, addEntryFunctions);
    if (options_.entry == kNoEntry) return abiJson = abi(), "";
    if (!options_.launches.empty()) dropUnexpected();
    abiJson = abi();
    if (!options_.entry.empty()) requireEntry();
    requireWanted(options_);
    if (stage > Stage::Nvvm) doing = "code generation for " + std::string(target_.name);
    std::string text = entries(std::min(stage, Stage::Ptx), options);
    return stage < Stage::Ptx ? text : withVersionAllowed(std::move(text));
  }

  const std::string &warnings() const { return source_.messages(); }

private:
  std::string entries(Stage stage, const PipelineOptions &options) {
    FailureOr<std::string> text = entriesAt(stage, module_, options, target_, options_.progress);
    if (failed(text)) source_.fail();
    return std::move(*text);
  }

  std::string withVersionAllowed(std::string text) const {
    std::string ptx = withVersionNeeded(std::move(text));
    if (const int version = ptxVersionOf(ptx); options_.ptx && version > *options_.ptx)
      throw Error(ErrorKind::Usage, "these kernels for " + std::string(target_.name) + " are PTX " +
                                        ptxVersionText(version) + ", but at most " +
                                        ptxVersionText(*options_.ptx) + " is asked for");
    return ptx;
  }

  void requireEntry() {
    if (module_.lookupSymbol(options_.entry)) return;
    std::string names;
    for (const KernelAbi &kernel : abiFromJson(abi()).kernels)
      for (const AbiVariant &variant : kernel.variants)
        names += (names.empty() ? "" : ", ") + variant.entry;
    throw Error(ErrorKind::Usage, "entry '" + options_.entry + "': expected one of " + names);
  }

  /// Entries of variants that no expected launch takes.
  void dropUnexpected() {
    ModuleAbi record = abiFromJson(abi());
    if (std::string error = keepExpected(record, options_.launches); !error.empty())
      throw Error(ErrorKind::Usage, "expected launches: " + error);
    llvm::StringSet<> kept;
    for (const KernelAbi &kernel : record.kernels)
      for (const AbiVariant &variant : kernel.variants)
        variant.forEachLaunch([&](const AbiLaunch &launch) { kept.insert(launch.entry); });
    for (auto function : llvm::make_early_inc_range(module_.getOps<LLVM::LLVMFuncOp>()))
      if (!kept.contains(function.getName())) function.erase();
    module_->setAttr("mx.abi", StringAttr::get(&source_.context(), abiToJson(record)));
  }

  std::string abi() const {
    auto abi = module_->getAttrOfType<StringAttr>("mx.abi");
    return abi ? abi.getValue().str() : "";
  }
  int newestPtx() const {
    if (options_.ptx) return *options_.ptx;
    return options_.stage < Stage::Cubin ? 0 : newestPtxOf(options_.assembler);
  }

  void runStage(const PipelineOptions &options, void (*add)(OpPassManager &, const PipelineOptions &)) {
    PassManager passes(&source_.context(), ModuleOp::getOperationName());
    passes.enableVerifier(false); // after every pass it is a quarter of the lowering's time
    add(passes, options);
    if (failed(passes.run(module_))) source_.fail();
  }

  std::string printed() {
    std::string text;
    llvm::raw_string_ostream out(text);
    module_.print(out);
    out << '\n';
    return text;
  }

  /// With its conditions, whose dimensions are the kernel's.
  bool takesTile(mx::TiledOpInterface op) {
    FailureOr<SmallVector<Attribute>> tiles = mx::parseTiles(op, options_.tile);
    if (failed(tiles)) return false;
    const KernelSignature signature = signatureOf(op->getParentOfType<mx::KernelOp>());
    return llvm::all_of(*tiles, [&](Attribute tile) {
      return succeeded(launchCondition(op, signature, cast<mx::TileAttrInterface>(tile), {}));
    });
  }

  // Where an operation does not take --tile, the command line is at fault and not the source.
  void checkTile() {
    bool isTaken = false;
    WalkResult result = module_.walk([&](mx::TiledOpInterface op) {
      isTaken = true;
      return takesTile(op) ? WalkResult::advance() : WalkResult::interrupt();
    });
    if (result.wasInterrupted()) source_.fail(ErrorKind::Usage);
    if (!isTaken)
      throw Error(ErrorKind::Usage, "the tile '" + options_.tile + "' is given, but no operation has tiles");
  }

  const CompileOptions &options_;
  const Target &target_;
  SourceModule source_;
  ModuleOp module_;
};

struct StageOutput {
  std::string text, abiJson, warnings;
};

StageOutput compileGuarded(std::string_view source, std::string_view sourceName,
                           const CompileOptions &options, const Target &target) {
  StageOutput output;
  std::string doing = "parsing";
  guarded(sourceName, doing, [&] {
    Compilation compilation(source, sourceName, options, target);
    output.text = compilation.text(options.stage, output.abiJson, doing);
    output.warnings = compilation.warnings();
  });
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

static void checkTiles(const CompileOptions &options) {
  if (std::optional<TextExcess> excess = excessOf(options.tile))
    throw Error(ErrorKind::Usage, "the tile is " + excess->what);
  for (const PreferredTile &preferred : options.preferredTiles)
    if (std::optional<TextExcess> excess = excessOf(preferred.tile))
      throw Error(ErrorKind::Usage, "a preferred tile is " + excess->what);
}

CompileResult compileAbi(std::string_view source, std::string_view sourceName,
                         const CompileOptions &options) {
  checkTiles(options);
  CompileOptions withoutEntries = options;
  withoutEntries.entry = kNoEntry;
  StageOutput stage =
      compileGuarded(source, sourceName, withoutEntries, requireTarget(options.targets.at(0)));
  return {stage.abiJson, {abiFromJson(stage.abiJson)}, stage.warnings};
}

CompileResult compile(std::string_view source, std::string_view sourceName, const CompileOptions &options) {
  if (options.targets.empty() || (options.targets.size() > 1 && options.stage != Stage::Fatbin))
    throw Error(ErrorKind::Usage, "several targets make a fatbin: ask for that stage, or name one target");
  for (auto target = options.targets.begin(); target != options.targets.end(); ++target)
    if (std::find(options.targets.begin(), target, *target) != target)
      throw Error(ErrorKind::Usage, "target '" + *target + "' is named twice");
  checkTiles(options);
  CompileResult result;
  std::vector<TargetCode> codes;
  for (const std::string &targetName : options.targets) {
    const Target *target = &requireTarget(targetName);
    requireWanted(options);
    StageOutput stage = compileGuarded(source, sourceName, options, *target);
    if (!stage.abiJson.empty()) result.abis.push_back(abiFromJson(stage.abiJson));
    result.warnings += stage.warnings;
    result.output = stage.text;
    if (options.stage < Stage::Cubin) continue;
    requireWanted(options);
    std::string record, error; // error: of an ABI that is not this compiler's
    if (options.entry.empty()) record = recordOfAbiJson(stage.abiJson, error).value_or("");
    if (options.progress) options.progress("assembling for " + targetName, 0, 1);
    AssembledCode code = assemble(stage.text, *target, options.assembler, record);
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
