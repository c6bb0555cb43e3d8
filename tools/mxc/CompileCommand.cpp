// mxc compile
#include "compiler/codegen/PtxVersion.h"
#include "tools/mxc/Commands.h"
#include "tools/mxc/CompileProgress.h"
#include "tools/mxc/ExpectedShapes.h"
#include "tools/mxc/HeaderText.h"
#include "tools/mxc/KernelSource.h"
#include "tools/mxc/Messages.h"
#include "tools/mxc/NameList.h"
#include "tools/mxc/OutputFile.h"

#include <filesystem>
#include <set>

namespace mxc {

static std::vector<std::string> splitAtCommas(const std::string &text) {
  std::vector<std::string> parts;
  for (size_t begin = 0, end; begin <= text.size(); begin = end + 1) {
    end = std::min(text.find(',', begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
  }
  return parts;
}

static Assembler assemblerNamed(const std::string &name) {
  if (name == "auto") return Assembler::Auto;
  if (name == "nvjitlink") return Assembler::NvJitLink;
  if (name == "ptxas") return Assembler::Ptxas;
  throw Error(ErrorKind::Usage, "--assembler: expected auto, nvjitlink or ptxas, found '" + name + "'");
}

static std::optional<int> ptxAsked(const std::string &text) {
  if (text.empty()) return std::nullopt;
  if (std::optional<int> version = ptxVersionNamed(text)) return version;
  throw Error(ErrorKind::Usage, "--ptx: expected a version as 9.1, found '" + text + "'");
}

static Stage stageAsked(const std::string &name, bool severalTargets) {
  if (name.empty()) return severalTargets ? Stage::Fatbin : Stage::Cubin;
  if (std::optional<Stage> stage = stageNamed(name)) return *stage;
  throw Error(ErrorKind::Usage,
              "--emit: expected mlir, tile, nvvm, llvm, ptx, cubin, fatbin or header, found '" + name + "'");
}

/// What a header holds: a fatbin unless --image says otherwise.
static Stage imageAsked(const CompileCommand &command) {
  if (command.image.empty()) return Stage::Fatbin;
  if (std::optional<Stage> stage = stageNamed(command.image); stage && *stage >= Stage::Ptx) return *stage;
  throw Error(ErrorKind::Usage, "--image: expected ptx, cubin or fatbin, found '" + command.image + "'");
}

/// Text goes to standard output, an image or a header to a file named after the source.
static std::string defaultOutput(const std::string &input, const std::string &suffix) {
  if (input == "-")
    throw Error(ErrorKind::Usage, "a kernel from standard input needs -o FILE for its " + suffix.substr(1));
  return std::filesystem::path(input).stem().string() + suffix;
}

/// Of the output, or of the source where the output has no name.
static std::string baseName(const std::string &output, const std::string &input) {
  return std::filesystem::path(output == "-" ? input : output).stem().string();
}

static void addLaunches(CompileOptions &options, const KernelSource &source,
                        const std::vector<std::string> &shapes) {
  if (shapes.empty()) return;
  if (options.stage == Stage::Mlir)
    throw Error(ErrorKind::Usage, "--shape chooses entry points, which --emit=mlir has none of yet");
  CompileOptions ofRecord = options;
  ofRecord.targets.resize(1); // the dimensions are those of all
  const CompileResult record = KernelSource::withDiagnostics(
      source.name, [&] { return compileAbi(source.text, source.name, ofRecord); });
  options.launches = launchesOf(record.abis.front().kernels, shapes, options.targets);
}

/// "1 kernel", "2 kernels".
static std::string counted(size_t count, const std::string &what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

/// What was written and for which chips: "wrote q.cubin for sm_90a: quantize, 7 entry points, 51200 bytes".
static std::string reportOf(const std::string &output, const std::string &targets,
                            const std::vector<ModuleAbi> &abis, size_t bytes) {
  std::vector<std::string> kernels;
  std::set<std::pair<std::string, std::string>> entries; // target and name
  for (const ModuleAbi &abi : abis)
    for (const KernelAbi &kernel : abi.kernels) {
      if (&abi == &abis.front()) kernels.push_back(kernel.name);
      for (const AbiVariant &variant : kernel.variants)
        variant.forEachLaunch([&](const AbiLaunch &launch) { entries.emplace(abi.target, launch.entry); });
    }
  return "mxc: wrote " + output + " for " + targets + ": " +
         (kernels.empty() ? "" : nameList(kernels) + ", " + counted(entries.size(), "entry point") + ", ") +
         counted(bytes, "byte");
}

void compileKernel(const CompileCommand &command) {
  CompileOptions options;
  options.targets = splitAtCommas(command.targets);
  const bool isHeader = command.emit == "header";
  if (!isHeader && !command.image.empty())
    throw Error(ErrorKind::Usage, "--image says what a header holds: it goes with --emit=header");
  options.stage = isHeader ? imageAsked(command) : stageAsked(command.emit, options.targets.size() > 1);
  options.tile = command.tile;
  options.assembler = assemblerNamed(command.assembler);
  options.ptx = ptxAsked(command.ptx);
  std::string output = command.output;
  if (output.empty())
    output = isHeader || options.stage >= Stage::Cubin
                 ? defaultOutput(command.input, isHeader ? ".hpp" : "." + std::string(name(options.stage)))
                 : "-";
  checkNotInput(output, command.input);
  const KernelSource source = KernelSource::read(command.input);
  addLaunches(options, source, command.shapes);
  std::optional<CompileProgress> progress(std::in_place);
  options.progress = [&](std::string_view doing, size_t done, size_t total) {
    progress->show(doing, done, total);
  };
  const std::string image = source.output(options, !command.noCache);
  progress.reset();
  const std::vector<ModuleAbi> abis = abiFromImage(image);
  const std::string content =
      isHeader ? headerText(baseName(output, command.input),
                            std::filesystem::path(source.name).filename().string(), image, abis)
               : image;
  writeOutput(output, content);
  if (output != "-") say(reportOf(output, command.targets, abis, content.size()));
}

} // namespace mxc
