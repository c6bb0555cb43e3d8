#include "compiler/codegen/NvJitLink.h"
#include "compiler/codegen/BoundedCall.h"
#include "compiler/codegen/CudaToolkit.h"
#include "compiler/codegen/SplitCompile.h"

#include <atomic>
#include <cstdint>
#include <dlfcn.h>
#include <memory>
#include <mutex>
#include <vector>

namespace mxc {

// The part of nvJitLink.h that is used (CUDA 12.3 and up: the unversioned names are exported). Declared here
// so that the compiler builds where only the library is at hand.
struct NvJitLink::Functions {
  using Handle = struct nvJitLink *;
  static constexpr int kInputPtx = 2; // NVJITLINK_INPUT_PTX
  int (*create)(Handle *, uint32_t, const char **);
  int (*destroy)(Handle *);
  int (*addData)(Handle, int, const void *, size_t, const char *);
  int (*complete)(Handle);
  int (*cubinSize)(Handle, size_t *);
  int (*cubin)(Handle, void *);
  int (*errorLogSize)(Handle, size_t *);
  int (*errorLog)(Handle, char *);
  int (*version)(unsigned *, unsigned *);
};

const NvJitLink *NvJitLink::open(std::string &error) {
  void *handle = nullptr;
  std::string unloadable; // the first library that is there
  for (const std::string &candidate : nvJitLinkCandidates()) {
    if ((handle = dlopen(candidate.c_str(), RTLD_NOW | RTLD_LOCAL))) break;
    if (candidate.front() == '/' && unloadable.empty()) unloadable = dlerror();
  }
  if (!handle) {
    error = unloadable.empty() ? toolkitAdvice("libnvJitLink.so.13") : "cannot load " + unloadable;
    return nullptr;
  }
  static Functions functions;
  auto bind = [&](auto &function, const char *symbol) {
    function = reinterpret_cast<std::decay_t<decltype(function)>>(dlsym(handle, symbol));
    if (!function) error = std::string("libnvJitLink has no symbol ") + symbol;
  };
  bind(functions.create, "nvJitLinkCreate");
  bind(functions.destroy, "nvJitLinkDestroy");
  bind(functions.addData, "nvJitLinkAddData");
  bind(functions.complete, "nvJitLinkComplete");
  bind(functions.cubinSize, "nvJitLinkGetLinkedCubinSize");
  bind(functions.cubin, "nvJitLinkGetLinkedCubin");
  bind(functions.errorLogSize, "nvJitLinkGetErrorLogSize");
  bind(functions.errorLog, "nvJitLinkGetErrorLog");
  bind(functions.version, "nvJitLinkVersion");
  if (!error.empty()) {
    dlclose(handle);
    return nullptr;
  }
  static NvJitLink instance;
  instance.functions_ = &functions;
  unsigned major = 0, minor = 0;
  functions.version(&major, &minor);
  if (Dl_info place; dladdr(reinterpret_cast<void *>(functions.create), &place))
    instance.path_ = place.dli_fname;
  instance.major_ = int(major), instance.minor_ = int(minor);
  instance.name_ = "nvJitLink " + std::to_string(major) + "." + std::to_string(minor);
  return &instance;
}

const NvJitLink *NvJitLink::load(std::string &error) {
  static std::mutex mutex;
  static const NvJitLink *library = nullptr;
  std::lock_guard lock(mutex);
  error.clear();
  if (!library) library = open(error); // a failure may pass: of file descriptors, of memory
  return library;
}

/// All that a call needs and gives: the thread that makes it may outlive whoever waits for it.
struct NvJitLink::Assembly {
  std::string ptx, architecture, split; // split: an option, or ""
  std::string cubin, log;
  bool isDone = false;
};

void NvJitLink::run(const Functions &f, Assembly &assembly) {
  std::string arch = "-arch=" + assembly.architecture, passed = "-Xptxas=" + assembly.split;
  // -no-cache: it does not look for a driver, and gives the same bytes with and without one.
  std::vector<const char *> options = {arch.c_str(), "-O3", "-no-cache"};
  if (!assembly.split.empty()) options.push_back(passed.c_str()); // its own -split-compile is for LTO alone
  Functions::Handle handle = nullptr;
  int status = f.create(&handle, static_cast<uint32_t>(options.size()), options.data());
  if (status) {
    assembly.log = "nvJitLinkCreate returned " + std::to_string(status) +
                   (status == 16 ? " (it does not know this architecture)" : "");
    return;
  }
  status = f.addData(handle, Functions::kInputPtx, assembly.ptx.c_str(), assembly.ptx.size() + 1, "mxc.ptx");
  if (!status) status = f.complete(handle);
  size_t size = 0;
  if (!status && !f.cubinSize(handle, &size) && size) {
    assembly.cubin.resize(size);
    status = f.cubin(handle, assembly.cubin.data());
  }
  std::string &log = assembly.log;
  if (!f.errorLogSize(handle, &size) && size > 1) {
    log.resize(size);
    f.errorLog(handle, log.data());
    log.resize(log.find('\0') == std::string::npos ? log.size() : log.find('\0'));
  }
  f.destroy(&handle);
  assembly.isDone = status == 0 && !assembly.cubin.empty();
}

// It waits for ever where a thread that it wants cannot be made, and has locks then that no later call gets.
static std::atomic<bool> isStuck{false};

NvJitLink::End NvJitLink::assemble(const std::string &ptx, const std::string &architecture,
                                   std::string &cubin, std::string &log) const {
  auto assembly = std::make_shared<Assembly>();
  assembly->ptx = ptx, assembly->architecture = architecture;
  // It ignores setmaxnreg, always (ptxas does not); its threads would print that to the host's standard
  // error.
  const bool maySplit = ptx.find("setmaxnreg.") == std::string::npos;
  if (maySplit) assembly->split = splitCompileOption(ptx);
  const CallEnd end =
      isStuck ? CallEnd::Stuck : callBounded([f = functions_, assembly] { run(*f, *assembly); });
  if (end == CallEnd::Stuck) {
    isStuck = true;
    log = name_ + " waits for ever, as it does where the system has no thread or memory for it; this process "
                  "does not use it again";
    return End::Stuck;
  }
  if (end == CallEnd::NotBegun) { // without threads of its own it needs none
    assembly->split.clear();
    run(*functions_, *assembly);
  }
  cubin = std::move(assembly->cubin), log = std::move(assembly->log);
  return assembly->isDone ? End::Done : End::Failed;
}

} // namespace mxc
