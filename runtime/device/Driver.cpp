#include "runtime/device/Driver.h"

#include "runtime/environment/Environment.h"

#include <dlfcn.h>

#include <type_traits>

namespace mxc {

// Each line of the table has the signature that the toolkit's header declares.
#define MXC_DRIVER_SYMBOL(symbol, ...)                                                                       \
  static_assert(std::is_same_v<decltype(&::symbol), CUresult(CUDAAPI *)(__VA_ARGS__)>, #symbol);
#include "runtime/device/DriverSymbols.def"

Driver loadDriver(const std::string &path) {
  void *handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    const char *reason = dlerror();
    throw Error(ErrorKind::Device,
                "CUDA driver unavailable: cannot load " + path + ": " + (reason ? reason : "unknown") +
                    "; install the NVIDIA driver, or set MXC_LIBCUDA to the driver library's path");
  }
  Driver driver;
  driver.library = path;
  auto resolve = [&](const char *symbol) {
    void *address = dlsym(handle, symbol);
    if (address) return address;
    dlclose(handle);
    throw Error(ErrorKind::Device,
                "CUDA driver unavailable: " + path + " lacks " + symbol +
                    "; install an NVIDIA driver for CUDA 12.4 or newer (Blackwell: 12.8 or newer)");
  };
#define MXC_DRIVER_SYMBOL(symbol, ...)                                                                       \
  driver.symbol = reinterpret_cast<decltype(driver.symbol)>(resolve(#symbol));
#include "runtime/device/DriverSymbols.def"
  return driver;
}

const Driver &cudaDriver() {
  static const Driver driver = loadDriver(environment(EnvironmentVariable::LibCuda).value_or("libcuda.so.1"));
  return driver;
}

static std::string_view whatToTry(CUresult result) {
  switch (result) {
  case CUDA_ERROR_OUT_OF_MEMORY:
    return "free device memory, or use smaller shapes";
  case CUDA_ERROR_NO_DEVICE:
    return "check that nvidia-smi lists a GPU and that CUDA_VISIBLE_DEVICES does not hide it";
  case CUDA_ERROR_NO_BINARY_FOR_GPU:
    return "compile for this device's target";
  case CUDA_ERROR_UNSUPPORTED_PTX_VERSION:
    return "update the NVIDIA driver, or emit a cubin instead of PTX";
  case CUDA_ERROR_ILLEGAL_ADDRESS:
  case CUDA_ERROR_MISALIGNED_ADDRESS:
  case CUDA_ERROR_LAUNCH_FAILED:
    return "an earlier kernel faulted and this process' context is lost";
  case CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED:
    return "a stream is being captured: do it before the capture begins (a launch that needs workspaces: "
           "prepare it then, or give them)";
  case CUDA_ERROR_SYSTEM_DRIVER_MISMATCH:
    return "the kernel module and libcuda differ in version; reboot or reinstall";
  default:
    return {};
  }
}

static bool isKernelsFault(CUresult result) {
  return result == CUDA_ERROR_ILLEGAL_ADDRESS || result == CUDA_ERROR_MISALIGNED_ADDRESS ||
         result == CUDA_ERROR_INVALID_ADDRESS_SPACE || result == CUDA_ERROR_ILLEGAL_INSTRUCTION ||
         result == CUDA_ERROR_ASSERT || result == CUDA_ERROR_LAUNCH_FAILED;
}

Error Driver::failure(CUresult result, std::string_view attempted, std::string_view where) const {
  const char *name = nullptr, *text = nullptr;
  if (cuGetErrorName(result, &name) != CUDA_SUCCESS || !name) name = "unknown error";
  if (cuGetErrorString(result, &text) != CUDA_SUCCESS || !text) text = "no description";
  std::string message = "cannot ";
  message.append(attempted).append(" on ").append(where);
  message.append(": ").append(name).append(" (" + std::to_string(result) + "): ").append(text);
  if (std::string_view hint = whatToTry(result); !hint.empty()) message.append("; ").append(hint);
  if (!isKernelsFault(result)) return Error(ErrorKind::Device, message);
  if (const std::string fault = faultText ? faultText() : ""; !fault.empty())
    message.append(":\n").append(fault, 0, fault.find_last_not_of('\n') + 1);
  else
    message.append("; compute-sanitizer says where, the simulator on standard error");
  return Error(ErrorKind::Device, message);
}

} // namespace mxc
