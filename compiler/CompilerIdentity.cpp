#include "compiler/CompilerIdentity.h"

#include "compiler/abi/Version.h"
#include "compiler/codegen/CudaToolkit.h"
#include "compiler/codegen/NvJitLink.h"

#include "mlir/IR/Verifier.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/raw_ostream.h"

#include <cstring>
#include <dlfcn.h>
#include <link.h>
#include <sys/stat.h>
#include <vector>

namespace mxc {

std::string compilerDescription() { return "LLVM " LLVM_VERSION_STRING "; built by " __VERSION__; }

static std::string fileIdentity(const std::string &path) {
  struct stat file;
  if (stat(path.c_str(), &file) != 0) return "";
  return path + " " + std::to_string(file.st_size) + " bytes of " + std::to_string(file.st_mtim.tv_sec) +
         "." + std::to_string(file.st_mtim.tv_nsec) + "\n";
}

namespace {

struct LoadedObject {
  uintptr_t address = 0; // something in it
  std::string path, buildId;
};

} // namespace

static std::string hexadecimal(const unsigned char *bytes, size_t count) {
  std::string text;
  for (size_t i = 0; i < count; ++i)
    for (int shift : {4, 0})
      text += "0123456789abcdef"[bytes[i] >> shift & 15];
  return text;
}

static std::string buildIdIn(const char *notes, size_t bytes) {
  auto padded = [](size_t size) { return (size + 3) / 4 * 4; };
  while (bytes >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) note;
    std::memcpy(&note, notes, sizeof note);
    const size_t name = sizeof note, content = name + padded(note.n_namesz),
                 next = content + padded(note.n_descsz);
    if (next > bytes) return "";
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && !std::memcmp(notes + name, "GNU", 4))
      return hexadecimal(reinterpret_cast<const unsigned char *>(notes + content), note.n_descsz);
    notes += next;
    bytes -= next;
  }
  return "";
}

static int visitObject(dl_phdr_info *info, size_t, void *wanted) {
  auto &object = *static_cast<LoadedObject *>(wanted);
  bool isIt = false;
  std::string buildId;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr) &part = info->dlpi_phdr[i];
    const uintptr_t start = info->dlpi_addr + part.p_vaddr;
    isIt |= part.p_type == PT_LOAD && object.address - start < part.p_memsz;
    if (part.p_type == PT_NOTE && buildId.empty())
      buildId = buildIdIn(reinterpret_cast<const char *>(start), part.p_memsz);
  }
  if (!isIt) return 0;
  object.buildId = buildId;
  object.path = info->dlpi_name && *info->dlpi_name ? info->dlpi_name : "/proc/self/exe";
  return 1;
}

/// The program or library that holds `address`: by its build id, or its file where it was linked without one.
static std::string objectIdentity(const char *what, const void *address) {
  LoadedObject object{reinterpret_cast<uintptr_t>(address), {}, {}};
  dl_iterate_phdr(visitObject, &object);
  return std::string(what) + " " +
         (object.buildId.empty() ? fileIdentity(object.path) : object.buildId + "\n");
}

static std::string loadedIdentities() {
  return std::string("mxc ") + kVersion + "\n" +
         objectIdentity("compiler", reinterpret_cast<const void *>(&compilerIdentity)) +
         objectIdentity("LLVM", reinterpret_cast<const void *>(&llvm::outs)) +
         objectIdentity("MLIR", reinterpret_cast<const void *>(&mlir::verify));
}

static std::vector<std::string> assemblerFiles(Assembler assembler) {
  std::vector<std::string> files;
  if (assembler != Assembler::Ptxas)
    for (const std::string &candidate : nvJitLinkCandidates())
      if (candidate.find('/') != std::string::npos) files.push_back(candidate);
  if (assembler != Assembler::Ptxas && files.empty()) { // only the loader knows
    std::string missing;
    if (const NvJitLink *library = NvJitLink::load(missing)) files.push_back(library->path());
  }
  if (assembler != Assembler::NvJitLink)
    if (std::optional<std::string> ptxas = findPtxas()) files.push_back(*ptxas);
  return files;
}

bool hasAssembler(Assembler assembler) { return !assemblerFiles(assembler).empty(); }

std::string compilerIdentity(Stage stage, Assembler assembler) {
  static const std::string loaded = loadedIdentities();
  std::string text = loaded;
  if (std::optional<std::string> libdevice = findLibdevice()) text += "libdevice " + fileIdentity(*libdevice);
  if (stage >= Stage::Cubin)
    for (const std::string &file : assemblerFiles(assembler))
      text += "assembler " + fileIdentity(file);
  return text;
}

} // namespace mxc
