#include "compiler/codegen/CudaToolkit.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

#include <cstdlib>

namespace mxc {

static std::string pathIn(llvm::StringRef root, llvm::StringRef rest) {
  llvm::SmallString<256> path(root);
  llvm::sys::path::append(path, rest);
  return path.str().str();
}

std::vector<std::string> cudaRoots() {
  std::vector<std::string> roots;
  for (const char *variable : {"MXC_CUDA_ROOT", "CUDA_HOME", "CUDA_PATH"})
    if (const char *value = std::getenv(variable); value && *value) roots.push_back(value);
  if (auto ptxas = llvm::sys::findProgramByName("ptxas")) {
    llvm::SmallString<256> real;
    if (!llvm::sys::fs::real_path(*ptxas, real))
      roots.push_back(llvm::sys::path::parent_path(llvm::sys::path::parent_path(real)).str());
  }
  roots.push_back("/usr/local/cuda");
  return roots;
}

static std::optional<std::string> findInRoots(std::initializer_list<llvm::StringRef> places) {
  for (const std::string &root : cudaRoots())
    for (llvm::StringRef place : places)
      if (std::string path = pathIn(root, place); llvm::sys::fs::exists(path)) return path;
  return std::nullopt;
}

std::optional<std::string> findPtxas() { return findInRoots({"bin/ptxas"}); }
std::optional<std::string> findFatbinary() { return findInRoots({"bin/fatbinary"}); }
std::optional<std::string> findLibdevice() { return findInRoots({"nvvm/libdevice/libdevice.10.bc"}); }

std::vector<std::string> nvJitLinkCandidates() {
  std::vector<std::string> candidates;
  for (const std::string &root : cudaRoots())
    for (const char *place : {"lib64/libnvJitLink.so.13", "lib/libnvJitLink.so.13"})
      if (std::string path = pathIn(root, place); llvm::sys::fs::exists(path)) candidates.push_back(path);
  candidates.push_back("libnvJitLink.so.13"); // the loader's own path
  return candidates;
}

std::string toolkitAdvice(const std::string &what) {
  std::string text = what + " not found: looked in";
  for (const std::string &root : cudaRoots())
    text += " " + root;
  return text + "; install the CUDA 13 toolkit or set MXC_CUDA_ROOT to one (./tools/dev/setup brings it from "
                "the Python registry)";
}

} // namespace mxc
