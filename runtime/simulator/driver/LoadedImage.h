// Modules, functions and libraries: what cuModuleLoadData and its kin make of an image.
#pragma once

#include "runtime/simulator/decode/LoadedModule.h"
#include "runtime/simulator/driver/Context.h"

#include <map>
#include <mutex>

namespace mxc::sim {

struct Function;

struct LoadedImage { // a CUmodule
  LoadedImage(std::shared_ptr<Context> context, std::string_view ptx);

  std::shared_ptr<Context> context;
  LoadedModule module;
  CUmodule handle = nullptr;
  std::mutex mutex;
  std::map<std::string, std::shared_ptr<Function>, std::less<>> functions; // those that were asked for
  std::vector<std::string> kernelNames() const;
};

/// What cuFuncSetAttribute sets.
struct FunctionSettings {
  std::atomic<int> dynamicSharedBytes{0}; // that a launch may ask for
  std::atomic<int> carveout{CU_SHAREDMEM_CARVEOUT_DEFAULT};
  std::atomic<bool> isNonPortableClusterAllowed{false};
  std::atomic<int> clusterPolicy{CU_CLUSTER_SCHEDULING_POLICY_DEFAULT};
  std::array<std::atomic<int>, 3> cluster{}; // 0: not given
};

struct Function {                   // a CUfunction
  std::weak_ptr<LoadedImage> image; // which owns it
  std::string name;
  const Program *program = nullptr;
  const KernelFacts *facts = nullptr;
  FunctionSettings settings;
  CUfunction handle = nullptr;
};

/// A CUlibrary: an image that becomes a module of whatever context it is used in.
struct Kernel;
struct Library {
  std::vector<std::string> ptx; // of which each device chooses
  std::mutex mutex;
  std::map<uint64_t, CUmodule> modules; // by context
  std::map<std::string, std::shared_ptr<Kernel>, std::less<>> kernels;
  CUlibrary handle = nullptr;
};

struct Kernel { // a CUkernel
  std::weak_ptr<Library> library;
  std::string name;
  CUkernel handle = nullptr;
};

} // namespace mxc::sim
