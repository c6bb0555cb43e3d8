#include "compiler/codegen/PtxToCubin.h"
#include "compiler/codegen/AssembledImage.h"
#include "compiler/codegen/CudaToolkit.h"
#include "compiler/codegen/ExternalTool.h"
#include "compiler/codegen/NvJitLink.h"
#include "compiler/codegen/PtxVersion.h"
#include "compiler/codegen/SplitCompile.h"

#include "llvm/ADT/StringExtras.h"

#include <deque>

namespace mxc {

static std::string architecture(const Target &target) { return std::string(target.name); }

// Keeps the PTX and says how to see the error again.
static std::string failureText(const std::string &tool, const std::string &log, const std::string &ptx,
                               const Target &target) {
  std::string kept = keepForReproduction(ptx, ".ptx");
  std::string where = findPtxas().value_or("ptxas");
  return tool + " failed for " + architecture(target) + ":\n" + log + "\nreproduce: " + where +
         " -arch=" + architecture(target) + " -O3 " + kept + " -o /dev/null";
}

/// Nothing is left of code that is not the kernels'. Without a tool's name it is the machine's fault, not the
/// kernels'.
static void requireWhole(AssembledCode &code, const std::string &tool, const std::string &ptx,
                         std::string_view record) {
  const std::string fault = faultOfCubin(code.cubin, ptx, record);
  if (fault.empty()) return;
  code.log = tool + " reported no error, but what it gave back is not the kernels' machine code: " + fault +
             (code.log.empty() ? "" : "\n" + code.log);
  code.cubin.clear(), code.tool.clear();
}

// Why an assembler of an older toolkit is not asked; "": it knows the chip, or does not say of which it is.
static std::string refusalOf(const Target &target, const std::string &tool, ToolkitRelease release) {
  const ToolkitRelease first = chipNamed(target.name)->toolkit;
  if (release == ToolkitRelease{} || release >= first) return "";
  auto text = [](ToolkitRelease of) { return std::to_string(of.major) + "." + std::to_string(of.minor); };
  std::string refusal = architecture(target) + " needs an assembler of CUDA " + text(first) +
                        " or newer, found " + tool + " of " + text(release);
  if (target.llvmChip != target.name)
    refusal += "; images for " + std::string(target.llvmChip) + " run there, too";
  return refusal;
}

static AssembledCode assembleByPtxas(const std::string &ptx, const Target &target, std::string_view record) {
  AssembledCode result;
  std::optional<std::string> ptxas = findPtxas();
  if (!ptxas) {
    result.log = toolkitAdvice("ptxas");
    return result;
  }
  if (result.log = refusalOf(target, *ptxas, releaseOf(*ptxas)); !result.log.empty()) return result;
  MemoryFile source(ptx), cubin;
  for (const MemoryFile *file : {&source, &cubin})
    if (!file->error().empty()) {
      result.log = "cannot make ptxas' files in memory: " + file->error();
      return result;
    }
  std::vector<std::string> arguments = {"-arch=" + architecture(target), "-O3"};
  if (std::string split = splitCompileOption(ptx); !split.empty()) arguments.push_back(split);
  arguments.insert(arguments.end(), {source.path(), "-o", cubin.path()});
  int status = runTool(*ptxas, arguments, result.log);
  if (status == 0) result.cubin = cubin.read(), result.log += cubin.error();
  constexpr int kBySignal = 128; // and more: a shell's word for a crash
  if (result.ok() || (status > 0 && status < kBySignal)) result.tool = *ptxas;
  if (!result.ok())
    result.log = failureText(*ptxas, result.log, ptx, target);
  else
    requireWhole(result, *ptxas, ptx, record);
  return result;
}

AssembledCode assemble(const std::string &ptx, const Target &target, Assembler assembler,
                       std::string_view record) {
  std::string missing;
  // nvJitLink ignores it, and spills what a role was to have in registers.
  if (assembler == Assembler::Auto && ptx.find("setmaxnreg") != std::string::npos && findPtxas())
    if (AssembledCode result = assembleByPtxas(ptx, target, record); result.ok()) return result;
  if (assembler != Assembler::Ptxas) {
    const NvJitLink *linker = NvJitLink::load(missing);
    if (linker) missing = refusalOf(target, "nvJitLink", {linker->major(), linker->minor()});
    if (linker && missing.empty()) {
      AssembledCode result;
      const NvJitLink::End end = linker->assemble(ptx, architecture(target), result.cubin, result.log);
      if (end != NvJitLink::End::Stuck) result.tool = linker->name();
      if (end == NvJitLink::End::Failed)
        result.log = failureText(linker->name(), result.log, ptx, target), result.cubin.clear();
      if (end == NvJitLink::End::Stuck && findPtxas()) result.log += "; --assembler=ptxas is another process";
      if (result.ok()) requireWhole(result, linker->name(), ptx, record);
      return result;
    }
    if (assembler == Assembler::NvJitLink) {
      AssembledCode result;
      result.log = missing;
      return result;
    }
  }
  AssembledCode result = assembleByPtxas(ptx, target, record);
  if (!result.ok() && result.tool.empty() && !missing.empty()) result.log = missing + "\n" + result.log;
  return result;
}

AssembledCode makeFatbin(const std::vector<TargetCode> &codes) {
  AssembledCode result;
  std::optional<std::string> fatbinary = findFatbinary();
  if (!fatbinary) {
    result.log = toolkitAdvice("fatbinary");
    return result;
  }
  MemoryFile whole;
  std::deque<MemoryFile> parts;
  std::string error = whole.error();
  // Uncompressed, so that the ABI's records can be found without a driver.
  std::vector<std::string> arguments = {"--create=" + whole.path(), "-64", "--compress=false"};
  for (const TargetCode &code : codes) {
    const std::string_view text = code.target->llvmChip; // as its .target says
    for (auto [kind, chip, content] :
         {std::tuple("elf", code.target->name, &code.cubin), std::tuple("ptx", text, &code.ptx)}) {
      parts.emplace_back(*content);
      if (error.empty()) error = parts.back().error();
      arguments.push_back("--image3=kind=" + std::string(kind) + ",sm=" + std::string(chip.substr(3)) +
                          ",file=" + parts.back().path());
    }
  }
  if (!error.empty()) {
    result.log = "cannot make fatbinary's files in memory: " + error;
    return result;
  }
  int status = runTool(*fatbinary, arguments, result.log);
  result.tool = *fatbinary;
  if (status == 0) result.cubin = whole.read(), result.log += whole.error();
  for (const TargetCode &code : codes) // uncompressed
    if (result.ok() &&
        (result.cubin.find(code.cubin) == result.cubin.npos || !faultOfImage(result.cubin).empty())) {
      result.cubin.clear(), result.tool.clear();
      result.log += "it reported no error, but what it gave back is no fatbin of what it was given";
    }
  if (!result.ok())
    result.log = *fatbinary + " failed: " + result.log + "\nits arguments: " + llvm::join(arguments, " ");
  return result;
}

} // namespace mxc
