// Launches as custom calls of XLA: runtime/python/mxc/jax.py registers them with JAX. A call says its kernel
// by the MLIR text, so that executables which XLA keeps on disk find it in another process, too. Only
// runtime/python uses this, so it is not in mxc.h.
#include "runtime/c/Handles.h"
#include "runtime/c/Status.h"
#include "runtime/c/XlaFfi.h"
#include "runtime/device/ElementTypes.h"

#include <bit>
#include <map>
#include <mutex>

using namespace mxc;
using namespace mxc::c;

namespace {

/// Kernels and engines that calls have used. They live as long as the process, as JAX's own executables may.
class KnownKernels {
public:
  const Kernel &find(const std::string &device, std::string_view source) {
    const std::string key = device + '\n' + std::string(source);
    {
      std::lock_guard lock(mutex_);
      if (const auto known = kernels_.find(key); known != kernels_.end()) return known->second->kernel;
    }
    mxc_load_options options = {};
    options.struct_size = sizeof options;
    options.name = "a kernel of mxc.jax";
    mxc_kernel *made = nullptr;
    require(mxc_kernel_load(engine(device), source.data(), source.size(), &options, &made));
    std::lock_guard lock(mutex_);
    const auto [known, isNew] = kernels_.try_emplace(key, made);
    if (!isNew) mxc_kernel_destroy(made); // another thread was quicker
    return known->second->kernel;
  }

private:
  static void require(mxc_status status) {
    if (status == MXC_OK) return;
    const ErrorKind kind = status == MXC_INVALID_INPUT ? ErrorKind::InvalidInput
                           : status == MXC_USAGE       ? ErrorKind::Usage
                                                       : ErrorKind::Device;
    throw Error(kind, mxc_last_error());
  }

  mxc_engine *engine(const std::string &device) {
    std::lock_guard lock(mutex_);
    mxc_engine *&known = engines_[device];
    if (!known) require(mxc_engine_create(device.c_str(), nullptr, &known));
    return known;
  }

  std::mutex mutex_;
  std::map<std::string, mxc_engine *> engines_;
  std::map<std::string, mxc_kernel *, std::less<>> kernels_;
};

KnownKernels &knownKernels() {
  static auto *known = new KnownKernels; // XLA's threads may outlive static objects
  return *known;
}

const char *typeOf(xla::DataType type, const AbiArgument &argument) {
  switch (type) {
  case xla::DataType::BF16:
    return "bf16";
  case xla::DataType::F16:
    return "f16";
  case xla::DataType::F32:
    return "f32";
  case xla::DataType::S32:
    return "i32";
  case xla::DataType::S64:
    return "i64";
  case xla::DataType::F8E4M3FN:
    return "e4m3";
  case xla::DataType::F8E5M2:
    return "e5m2";
  case xla::DataType::F8E8M0FNU:
    return "ue8m0";
  case xla::DataType::U8: // of the kernel's type, if that has 8 bits
    const ElementType *asked = elementTypeNamed(argument.type);
    return asked && asked->bits == 8 ? asked->name.data() : "u8";
  }
  throw Error(ErrorKind::InvalidInput, "argument '" + argument.name + "': elements of XLA's type " +
                                           std::to_string(int(type)) + ": no kernel takes these");
}

std::string textOf(const xla::CallFrame &call, std::string_view name) {
  const xla::Attributes &all = call.attributes;
  for (int64_t i = 0; i < all.size; ++i)
    if (all.types[i] == xla::kText && std::string_view(all.names[i]->data, all.names[i]->size) == name) {
      const auto *text = static_cast<const xla::Text *>(all.values[i]);
      return std::string(text->data, text->size);
    }
  throw Error(ErrorKind::Usage, "a custom call of mxc lacks the attribute '" + std::string(name) + "'");
}

/// The kernel's arguments in their order: inputs are the call's arguments, outputs its results.
Arguments argumentsOf(const Kernel &kernel, const xla::CallFrame &call) {
  Arguments arguments;
  int64_t inputs = 0, outputs = 0;
  for (const AbiArgument &argument : kernel.abi().arguments) {
    if (argument.kind == ArgumentKind::Workspace) continue;
    const xla::Values &values = argument.isOutput ? call.results : call.arguments;
    int64_t &next = argument.isOutput ? outputs : inputs;
    if (next == values.size || values.types[next] != xla::kBuffer)
      throw Error(ErrorKind::Usage, "kernel '" + kernel.abi().name + "': argument '" + argument.name +
                                        "' is missing in a custom call of " + std::to_string(values.size) +
                                        (argument.isOutput ? " results" : " arguments"));
    const auto &buffer = *static_cast<const xla::Buffer *>(values.values[next++]);
    arguments.emplace_back(argument.name, TensorView{std::bit_cast<uint64_t>(buffer.data),
                                                     typeOf(buffer.dtype, argument),
                                                     {buffer.dims, buffer.dims + buffer.rank},
                                                     {}});
  }
  if (inputs != call.arguments.size || outputs != call.results.size)
    throw Error(ErrorKind::Usage, "kernel '" + kernel.abi().name + "' takes " + std::to_string(inputs) +
                                      " inputs and " + std::to_string(outputs) + " outputs, found " +
                                      std::to_string(call.arguments.size) + " and " +
                                      std::to_string(call.results.size));
  return arguments;
}

void launchOnGpu(const xla::CallFrame &call) {
  xla::DeviceOrdinalGetArguments device = {{sizeof device, nullptr}, call.context, 0};
  xla::StreamGetArguments stream = {{sizeof stream, nullptr}, call.context, nullptr};
  if (call.api->head.struct_size < sizeof(xla::Api) || call.api->device_ordinal_get(&device) ||
      call.api->stream_get(&stream))
    throw Error(ErrorKind::Device, "XLA says neither device nor stream of a custom call");
  const Kernel &kernel =
      knownKernels().find("cuda:" + std::to_string(device.device_ordinal), textOf(call, "source"));
  kernel.launch(argumentsOf(kernel, call), {.stream = static_cast<CUstream>(stream.stream)});
}

void launchOnSimulator(const xla::CallFrame &call) {
  const std::string device = textOf(call, "device");
  if (device.empty())
    throw Error(ErrorKind::Usage, "mxc: an array in the host's memory: expected one on a CUDA device, or "
                                  "mxc.jax.simulate(\"sm_90a\") before");
  const Kernel &kernel = knownKernels().find(device, textOf(call, "source"));
  Arguments arguments = argumentsOf(kernel, call);
  std::vector<mxc::Buffer> copies;
  copies.reserve(arguments.size());
  std::vector<std::span<std::byte>> hosts;
  for (Argument &argument : arguments) {
    const auto bytes = static_cast<size_t>(extentBytes(argument.view));
    hosts.emplace_back(std::bit_cast<std::byte *>(argument.view.address), bytes);
    copies.emplace_back(kernel.module().device(), bytes).upload(hosts.back());
    argument.view.address = copies.back().address();
  }
  kernel.launch(arguments);
  kernel.module().device().synchronize();
  for (size_t i = 0; i < arguments.size(); ++i)
    for (const AbiArgument &argument : kernel.abi().arguments)
      if (argument.isOutput && argument.name == arguments[i].name) copies[i].download(hosts[i]);
}

/// Answers what XLA asks when the function is registered. True: this is no call.
bool answered(const xla::CallFrame &call) {
  const xla::Extension *extension = call.head.extension_start;
  if (!extension || extension->type != xla::kMetadata) return call.stage != xla::kExecute;
  xla::Metadata &metadata = *reinterpret_cast<const xla::MetadataExtension *>(extension)->metadata;
  metadata.api_version.major_version = xla::kMajorVersion;
  metadata.api_version.minor_version = xla::kMinorVersion;
  metadata.traits = 0;
  return true;
}

xla::Error *handle(const xla::CallFrame &call, void (*launch)(const xla::CallFrame &)) {
  if (answered(call)) return nullptr;
  const mxc_status status = guarded([&] { launch(call); });
  if (status == MXC_OK) return nullptr;
  const xla::ErrorCode code = status == MXC_INVALID_INPUT   ? xla::ErrorCode::InvalidArgument
                              : status == MXC_USAGE         ? xla::ErrorCode::FailedPrecondition
                              : status == MXC_OUT_OF_MEMORY ? xla::ErrorCode::ResourceExhausted
                                                            : xla::ErrorCode::Internal;
  xla::ErrorCreateArguments error = {
      {offsetof(xla::ErrorCreateArguments, code) + sizeof code, nullptr}, mxc_last_error(), code};
  return call.api->error_create(&error);
}

} // namespace

extern "C" {

/// XLA_FFI_Handlers of the platforms "CUDA" and "cpu". Their attributes: source, MLIR text with one kernel;
/// device, the simulator that a call on the CPU runs on ("simulator:sm_90a").
MXC_API xla::Error *mxc_xla_launch(xla::CallFrame *call) { return handle(*call, launchOnGpu); }
MXC_API xla::Error *mxc_xla_simulate(xla::CallFrame *call) { return handle(*call, launchOnSimulator); }

} // extern "C"
