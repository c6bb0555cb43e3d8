// mxc compile
#include "compiler/codegen/PtxVersion.h"
#include "tools/mxc/Commands.h"
#include "tools/mxc/KernelSource.h"
#include "tools/mxc/OutputFile.h"

#include <filesystem>

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
              "--emit: expected mlir, tile, nvvm, llvm, ptx, cubin or fatbin, found '" + name + "'");
}

/// Text goes to standard output, an image to a file named after the source.
static std::string defaultOutput(const std::string &input, Stage stage) {
  if (stage < Stage::Cubin) return "-";
  std::string suffix = "." + std::string(name(stage));
  if (input == "-")
    throw Error(ErrorKind::Usage, "a kernel from standard input needs -o FILE for its " + suffix.substr(1));
  return std::filesystem::path(input).stem().string() + suffix;
}

void compileKernel(const CompileCommand &command) {
  CompileOptions options;
  options.targets = splitAtCommas(command.targets);
  options.stage = stageAsked(command.emit, options.targets.size() > 1);
  options.tile = command.tile;
  options.assembler = assemblerNamed(command.assembler);
  options.ptx = ptxAsked(command.ptx);
  std::string output = command.output.empty() ? defaultOutput(command.input, options.stage) : command.output;
  checkNotInput(output, command.input);
  writeOutput(output, KernelSource::read(command.input).compile(options).output);
}

} // namespace mxc
