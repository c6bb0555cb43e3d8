// DLPack's binary interface, version 1: the structs and numbers of dlpack.h, which Debian 12 has in version
// 0.6 alone. https://dmlc.github.io/dlpack/latest/c_api.html
#pragma once

#include <cstdint>

struct DLPackVersion {
  uint32_t major, minor;
};

struct DLDevice {
  int32_t device_type, device_id;
};

struct DLDataType {
  uint8_t code, bits;
  uint16_t lanes;
};

struct DLTensor {
  void *data;
  DLDevice device;
  int32_t ndim;
  DLDataType dtype;
  int64_t *shape;
  int64_t *strides; // elements; null: compact, row-major
  uint64_t byte_offset;
};

struct DLManagedTensorVersioned {
  DLPackVersion version;
  void *manager_ctx;
  void (*deleter)(DLManagedTensorVersioned *self);
  uint64_t flags;
  DLTensor dl_tensor;
};

/// How a library of Python gives its tensors to C without a capsule each: the attribute
/// __dlpack_c_exchange_api__ of their type, since 1.2. The functions are called with the interpreter's lock;
/// they return 0, or set an exception.
struct DLPackExchangeAPI {
  DLPackVersion version;
  const DLPackExchangeAPI *previous;
  void *managed_tensor_allocator, *managed_tensor_from_py_object_no_sync,
      *managed_tensor_to_py_object_no_sync;
  int (*dltensor_from_py_object_no_sync)(void *object, DLTensor *tensor); // borrowed from the object
  int (*current_work_stream)(int32_t device_type, int32_t device_id, void **stream);
};

static_assert(sizeof(DLTensor) == 48 && sizeof(DLManagedTensorVersioned) == 80);

namespace mxc::dlpack {

enum DeviceType : int32_t { Cpu = 1, Cuda = 2, CudaHost = 3, ExtensionDevice = 12, CudaManaged = 13 };
enum TypeCode : uint8_t {
  Int = 0,
  UInt = 1,
  Float = 2,
  Bfloat = 4,
  Float8E4M3FN = 10,
  Float8E5M2 = 12,
  Float8E8M0FNU = 14,
  Float6E2M3FN = 15,
  Float6E3M2FN = 16,
  Float4E2M1FN = 17
};
constexpr uint64_t kReadOnly = 1; // DLPACK_FLAG_BITMASK_READ_ONLY

} // namespace mxc::dlpack
