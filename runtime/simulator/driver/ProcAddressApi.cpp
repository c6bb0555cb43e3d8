// cuGetProcAddress: functions by their names without a version, which a CUDA version chooses.
#include "runtime/simulator/driver/Api.h"

#include <cctype>
#include <string_view>

namespace mxc::sim {

struct NamedFunction {
  std::string_view symbol;
  void *address;
};

static const NamedFunction kFunctions[] = {
#define MXC_SIM_FUNCTION(symbol, parameters, arguments) {#symbol, reinterpret_cast<void *>(&api::symbol)},
#include "runtime/simulator/driver/Functions.def"
};

/// The CUDA version that brought a symbol where there are several of its name here (cudaTypedefs.h).
static int sinceVersion(std::string_view symbol) {
  static constexpr struct {
    std::string_view symbol;
    int version;
  } kVersions[] = {{"cuCtxCreate_v3", 11040},
                   {"cuCtxCreate_v4", 12050},
                   {"cuGetProcAddress_v2", 12000},
                   {"cuEventElapsedTime_v2", 12080},
                   {"cuMemAdvise_v2", 12020},
                   {"cuMemPrefetchAsync_v2", 12020},
                   {"cuDeviceGetUuid_v2", 11040},
                   {"cuStreamGetCaptureInfo_v3", 12030},
                   {"cuGraphAddKernelNode_v2", 12000},
                   {"cuGraphKernelNodeGetParams_v2", 12000},
                   {"cuGraphKernelNodeSetParams_v2", 12000},
                   {"cuGraphExecKernelNodeSetParams_v2", 12000},
                   {"cuGraphExecUpdate_v2", 12000},
                   {"cuGraphAddDependencies_v2", 12030},
                   {"cuGraphGetEdges_v2", 12030},
                   {"cuGraphNodeGetDependencies_v2", 12030}};
  for (auto &[name, version] : kVersions)
    if (name == symbol) return version;
  return 0;
}

/// "cuMemAlloc" of "cuMemAlloc_v2".
static std::string_view withoutVersion(std::string_view symbol) {
  size_t length = symbol.size();
  return length > 3 && symbol.substr(length - 3, 2) == "_v" &&
                 std::isdigit(static_cast<unsigned char>(symbol.back()))
             ? symbol.substr(0, length - 3)
             : symbol;
}

static void *find(std::string_view name, int cudaVersion, bool &isTooNew) {
  const NamedFunction *best = nullptr;
  for (const NamedFunction &function : kFunctions) {
    if (function.symbol == name && function.symbol != withoutVersion(function.symbol))
      return function.address;
    if (withoutVersion(function.symbol) != name) continue;
    if (sinceVersion(function.symbol) > cudaVersion)
      isTooNew = true;
    else if (!best || function.symbol > best->symbol)
      best = &function;
  }
  return best ? best->address : nullptr;
}

CUresult api::cuGetProcAddress_v2(const char *symbol, void **pfn, int cudaVersion, cuuint64_t,
                                  CUdriverProcAddressQueryResult *symbolStatus) {
  if (!symbol || !pfn) return CUDA_ERROR_INVALID_VALUE;
  bool isTooNew = false;
  *pfn = find(symbol, cudaVersion, isTooNew);
  if (symbolStatus)
    *symbolStatus = *pfn       ? CU_GET_PROC_ADDRESS_SUCCESS
                    : isTooNew ? CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT
                               : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  // With a status to tell, a missing symbol is no error.
  return *pfn || symbolStatus ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

CUresult api::cuGetProcAddress(const char *symbol, void **pfn, int cudaVersion, cuuint64_t flags) {
  return cuGetProcAddress_v2(symbol, pfn, cudaVersion, flags, nullptr);
}

} // namespace mxc::sim
