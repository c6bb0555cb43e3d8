#include "runtime/c/DlpackTensor.h"

#include "dialect/formats/Error.h"
#include "runtime/c/mxc/mxc.h"
#include "runtime/device/ElementTypes.h"

#include <algorithm>
#include <array>
#include <bit>

namespace mxc::c {

namespace {

struct TypeRow {
  std::string_view name;
  uint8_t code, bits;
};

/// What dlpackOf returns, in one piece.
struct OwnedTensor {
  DLManagedTensorVersioned tensor;
  std::shared_ptr<Buffer> buffer;
  std::vector<int64_t> shape, strides;
};

} // namespace

using namespace dlpack;

static constexpr TypeRow kTypes[] = {
    {"bf16", Bfloat, 16},      {"f16", Float, 16},        {"f32", Float, 32},
    {"i32", Int, 32},          {"i64", Int, 64},          {"u8", UInt, 8},
    {"e4m3", Float8E4M3FN, 8}, {"e5m2", Float8E5M2, 8},   {"ue8m0", Float8E8M0FNU, 8},
    {"e2m3", Float6E2M3FN, 6}, {"e3m2", Float6E3M2FN, 6}, {"e2m1", Float4E2M1FN, 4}};

/// Every simulated chip is device 0 of its own driver; its capability tells it from the others.
static DLDevice deviceOf(const Device &device) {
  if (!device.name().starts_with("simulator")) return {Cuda, device.ordinal()};
  const ComputeCapability capability = device.computeCapability();
  return {ExtensionDevice, capability.major * 10 + capability.minor};
}

static std::string deviceText(DLDevice device) {
  return "type " + std::to_string(device.device_type) + ", number " + std::to_string(device.device_id);
}

bool isMemoryOf(const Device &device, DLDevice found) {
  if (found.device_type == CudaManaged) found.device_type = Cuda;
  const DLDevice expected = deviceOf(device);
  const bool isOfSomeChip =
      found.device_type == ExtensionDevice && found.device_id == 0; // a host's own tensor
  return found.device_type == expected.device_type && (found.device_id == expected.device_id || isOfSomeChip);
}

const char *elementNameOf(DLDataType type, const AbiArgument *argument) {
  const bool isPair = type.code == Float4E2M1FN && type.bits == 4 && type.lanes == 2;
  if (isPair && argument && argument->type == "e2m1") return "u8"; // whose shape and strides count bytes
  if (isPair) return "e2m1";
  for (const TypeRow &row : kTypes) {
    if (row.code != type.code || row.bits != type.bits || type.lanes != 1) continue;
    if (row.code != UInt || !argument) return row.name.data();
    const ElementType *asked = elementTypeNamed(argument->type);
    return (asked && asked->bits == row.bits ? asked->name : row.name).data();
  }
  return nullptr;
}

TensorView tensorOfDlpack(const DLManagedTensorVersioned &managed, const Kernel &kernel,
                          const std::string &name) {
  auto refuse = [&](const std::string &what) {
    return Error(ErrorKind::InvalidInput,
                 "kernel '" + kernel.abi().name + "': argument '" + name + "': DLPack tensor " + what);
  };
  if (managed.version.major != 1)
    throw refuse("of version " + std::to_string(managed.version.major) + ": expected 1");
  const DLTensor &tensor = managed.dl_tensor;
  const Device &device = kernel.module().device();
  if (!isMemoryOf(device, tensor.device))
    throw refuse("on the device of " + deviceText(tensor.device) + ": expected " + device.name() + " (" +
                 deviceText(deviceOf(device)) + ")");
  const std::vector<AbiArgument> &all = kernel.abi().arguments;
  const auto found = std::ranges::find(all, name, &AbiArgument::name);
  const AbiArgument *argument = found == all.end() ? nullptr : &*found;
  if (argument && argument->isOutput && managed.flags & kReadOnly)
    throw refuse("may only be read, but the kernel writes it");
  if (tensor.ndim < 0 || (tensor.ndim && !tensor.shape)) throw refuse("without a shape");
  if (tensor.ndim > MXC_MAXIMUM_RANK)
    throw refuse("of " + std::to_string(tensor.ndim) + " dimensions: expected at most " +
                 std::to_string(MXC_MAXIMUM_RANK));
  if (const char *type = elementNameOf(tensor.dtype, argument)) {
    TensorView view;
    view.address = std::bit_cast<uint64_t>(tensor.data) + tensor.byte_offset;
    view.type = type;
    view.shape.assign(tensor.shape, tensor.shape + tensor.ndim);
    if (tensor.strides) view.strides.assign(tensor.strides, tensor.strides + tensor.ndim);
    return view;
  }
  throw refuse("of elements with code " + std::to_string(tensor.dtype.code) + ", " +
               std::to_string(tensor.dtype.bits) + " bits, " + std::to_string(tensor.dtype.lanes) +
               " lanes: no kernel takes these");
}

DLManagedTensorVersioned *dlpackOf(std::shared_ptr<Buffer> buffer, const std::string &type,
                                   std::span<const int64_t> shape) {
  const TensorView view{buffer->address(), type, {shape.begin(), shape.end()}, {}};
  const int64_t bytes = extentBytes(view);
  if (static_cast<uint64_t>(bytes) > buffer->bytes())
    throw Error(ErrorKind::InvalidInput, "a tensor of " + std::to_string(bytes) + " bytes over a buffer of " +
                                             std::to_string(buffer->bytes()));
  for (const TypeRow &row : kTypes) {
    if (row.name != type) continue;
    auto owned = std::make_unique<OwnedTensor>();
    owned->shape = view.shape;
    owned->strides.assign(shape.size(), 1);
    for (size_t i = shape.size(); i-- > 1;)
      owned->strides[i - 1] = owned->strides[i] * shape[i];
    DLManagedTensorVersioned &tensor = owned->tensor;
    tensor.version = {1, 1};
    tensor.manager_ctx = owned.get();
    tensor.deleter = [](DLManagedTensorVersioned *self) {
      delete static_cast<OwnedTensor *>(self->manager_ctx);
    };
    tensor.flags = 0;
    tensor.dl_tensor = {std::bit_cast<void *>(buffer->address()),
                        deviceOf(buffer->device()),
                        static_cast<int32_t>(shape.size()),
                        {row.code, row.bits, 1},
                        owned->shape.data(),
                        owned->strides.data(),
                        0};
    owned->buffer = std::move(buffer);
    return &owned.release()->tensor;
  }
  throw Error(ErrorKind::InvalidInput, "DLPack has no name for elements of type '" + type + "'");
}

} // namespace mxc::c
