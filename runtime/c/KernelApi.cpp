#include "runtime/c/DlpackTensor.h"
#include "runtime/c/Handles.h"
#include "runtime/c/LiveHandles.h"
#include "runtime/c/Status.h"

using namespace mxc;
using namespace mxc::c;

void mxc_kernel_destroy(mxc_kernel *kernel) {
  destroyed(kernel, "kernel was destroyed before, or mxc did not make it");
}
const char *mxc_kernel_name(const mxc_kernel *kernel) {
  return orNull(kernel) ? kernel->kernel.abi().name.c_str() : "";
}
size_t mxc_kernel_argument_count(const mxc_kernel *kernel) {
  return orNull(kernel) ? kernel->kernel.abi().arguments.size() : 0;
}

static const AbiArgument &argumentAt(const mxc_kernel *kernel, size_t index) {
  const std::vector<AbiArgument> &arguments = alive(kernel, "kernel").kernel.abi().arguments;
  if (index >= arguments.size())
    throw Error(ErrorKind::Usage, "kernel '" + kernel->kernel.abi().name + "' has " +
                                      std::to_string(arguments.size()) + " arguments, but number " +
                                      std::to_string(index) + " is asked for");
  return arguments[index];
}

mxc_status mxc_kernel_argument(const mxc_kernel *kernel, size_t index, mxc_argument_info *info) {
  return guarded([&] {
    const AbiArgument &argument = argumentAt(kernel, index);
    const mxc_argument_info given = sized(&required(info, "info"), "mxc_argument_info");
    const size_t rank = argument.kind == ArgumentKind::Workspace ? 1 : argument.storageRank();
    const mxc_argument_info known = {given.struct_size,     argument.name.c_str(),
                                     argument.type.c_str(), static_cast<mxc_argument_kind>(argument.kind),
                                     argument.isOutput,     static_cast<int>(rank)};
    std::memcpy(info, &known, std::min(given.struct_size, sizeof known));
  });
}

static TensorView tensorOf(const mxc_argument &argument) {
  if (argument.rank < 0 || argument.rank > MXC_MAXIMUM_RANK)
    throw Error(ErrorKind::InvalidInput, "argument '" + std::string(argument.name) + "' has rank " +
                                             std::to_string(argument.rank) + ": expected 0 to 5");
  const auto refuseNull = [&](const char *what) {
    throw Error(ErrorKind::Usage,
                std::string(what) + " of argument '" + argument.name + "' is NULL: expected a tensor's");
  };
  if (argument.rank && !argument.shape) refuseNull("the shape");
  if (!argument.type) refuseNull("the type");
  TensorView view{argument.address, argument.type, {argument.shape, argument.shape + argument.rank}, {}};
  if (argument.strides) view.strides.assign(argument.strides, argument.strides + argument.rank);
  return view;
}

static Argument argumentOf(const Kernel &kernel, const mxc_argument &given) {
  std::string name = &required(given.name, "the name of an argument");
  switch (given.value) {
  case MXC_VALUE_TENSOR:
    return {std::move(name), tensorOf(given)};
  case MXC_VALUE_DLPACK: {
    TensorView view =
        tensorOfDlpack(required(given.dlpack, "the DLPack tensor of an argument"), kernel, name);
    return {std::move(name), std::move(view)};
  }
  case MXC_VALUE_INTEGER:
    return {std::move(name), given.integer};
  case MXC_VALUE_REAL:
    return {std::move(name), given.real};
  }
  throw Error(ErrorKind::Usage, "argument '" + name + "' has an unknown kind of value");
}

static Arguments argumentsOf(const Kernel &kernel, const mxc_argument *arguments, size_t count) {
  if (count) required(arguments, "arguments");
  Arguments result;
  result.reserve(std::min(count, kernel.abi().arguments.size())); // more are refused
  const char *place = reinterpret_cast<const char *>(arguments);  // structs as long as the caller's
  for (size_t i = 0; i < count; ++i, place += arguments->struct_size) {
    const auto &given = *reinterpret_cast<const mxc_argument *>(place);
    if (given.struct_size != arguments->struct_size)
      throw Error(ErrorKind::Usage, "struct_size of argument " + std::to_string(i) + ", counted from 0, is " +
                                        std::to_string(given.struct_size) + ": expected " +
                                        std::to_string(arguments->struct_size) + " as in argument 0");
    result.push_back(argumentOf(kernel, sized(&given, "mxc_argument")));
  }
  return result;
}

static LaunchOptions launchOptionsOf(const mxc_launch_options *options) {
  const mxc_launch_options known = sized(options, "mxc_launch_options");
  return {.stream = static_cast<CUstream>(known.stream), .pdl = known.pdl != 0};
}

mxc_status mxc_kernel_shape(const mxc_kernel *kernel, const mxc_argument *arguments, size_t count,
                            size_t index, int64_t *shape, int *rank) {
  return guarded([&] {
    const AbiArgument &argument = argumentAt(kernel, index);
    required(shape, "shape"), required(rank, "rank");
    const KernelAbi &abi = kernel->kernel.abi();
    const Dimensions dimensions = solveDimensions(abi, argumentsOf(kernel->kernel, arguments, count));
    const std::vector<int64_t> sizes = argument.kind == ArgumentKind::Workspace
                                           ? std::vector{kernel->kernel.workspaceBytes(argument, dimensions)}
                                           : argumentShape(abi, argument, dimensions);
    std::ranges::copy(sizes, shape);
    *rank = static_cast<int>(sizes.size());
  });
}

mxc_status mxc_kernel_launch(const mxc_kernel *kernel, const mxc_argument *arguments, size_t count,
                             const mxc_launch_options *options) {
  return guarded([&] {
    const Kernel &known = alive(kernel, "kernel").kernel;
    known.launch(argumentsOf(known, arguments, count), launchOptionsOf(options));
  });
}

mxc_status mxc_kernel_prepare(const mxc_kernel *kernel, const mxc_argument *arguments, size_t count,
                              const mxc_launch_options *options, mxc_launch **launch) {
  return guarded([&] {
    required(launch, "launch") = nullptr;
    const Kernel &known = alive(kernel, "kernel").kernel;
    *launch = made<mxc_launch>(known.prepare(argumentsOf(known, arguments, count), launchOptionsOf(options)));
  });
}

mxc_status mxc_launch_enqueue(const mxc_launch *launch, void *stream) {
  return guarded([&] { alive(launch, "launch").launch.launch(static_cast<CUstream>(stream)); });
}

void mxc_launch_destroy(mxc_launch *launch) {
  destroyed(launch, "launch was destroyed before, or mxc did not make it");
}
