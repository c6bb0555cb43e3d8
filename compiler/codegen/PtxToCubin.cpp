#include "compiler/codegen/PtxToCubin.h"
#include "compiler/codegen/CudaToolkit.h"
#include "compiler/codegen/NvJitLink.h"
#include "compiler/codegen/TemporaryFiles.h"

#include "llvm/ADT/StringExtras.h"

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

static AssembledCode assembleByPtxas(const std::string &ptx, const Target &target) {
  AssembledCode result;
  std::optional<std::string> ptxas = findPtxas();
  if (!ptxas) {
    result.log = toolkitAdvice("ptxas");
    return result;
  }
  TemporaryFolder folder;
  if (!folder.error().empty() || !folder.write("k.ptx", ptx)) {
    result.log = "cannot write a temporary file for ptxas: " + folder.error();
    return result;
  }
  int status =
      folder.run(*ptxas, {"-arch=" + architecture(target), "-O3", "k.ptx", "-o", "k.cubin"}, result.log);
  result.tool = *ptxas;
  if (status == 0) result.cubin = folder.read("k.cubin");
  if (!result.ok()) result.log = failureText(*ptxas, result.log, ptx, target);
  return result;
}

AssembledCode assemble(const std::string &ptx, const Target &target, Assembler assembler) {
  std::string missing;
  if (assembler != Assembler::Ptxas) {
    if (const NvJitLink *linker = NvJitLink::load(missing)) {
      AssembledCode result;
      result.tool = linker->name();
      if (!linker->assemble(ptx, architecture(target), result.cubin, result.log))
        result.log = failureText(linker->name(), result.log, ptx, target), result.cubin.clear();
      return result;
    }
    if (assembler == Assembler::NvJitLink) {
      AssembledCode result;
      result.log = missing;
      return result;
    }
  }
  AssembledCode result = assembleByPtxas(ptx, target);
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
  TemporaryFolder folder;
  // Uncompressed, so that the ABI's records can be found without a driver.
  std::vector<std::string> arguments = {"--create=k.fatbin", "-64", "--compress=false"};
  for (const TargetCode &code : codes) {
    std::string name = architecture(*code.target), number(code.target->name.substr(3));
    if (!folder.error().empty() || !folder.write(name + ".cubin", code.cubin) ||
        !folder.write(name + ".ptx", code.ptx)) {
      result.log = "cannot write a temporary file for fatbinary: " + folder.error();
      return result;
    }
    arguments.push_back("--image3=kind=elf,sm=" + number + ",file=" + name + ".cubin");
    arguments.push_back("--image3=kind=ptx,sm=" + number + ",file=" + name + ".ptx");
  }
  int status = folder.run(*fatbinary, arguments, result.log);
  result.tool = *fatbinary;
  if (status == 0) result.cubin = folder.read("k.fatbin");
  if (!result.ok())
    result.log = *fatbinary + " failed: " + result.log + "\nits arguments: " + llvm::join(arguments, " ");
  return result;
}

} // namespace mxc
