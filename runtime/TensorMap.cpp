#include "runtime/TensorMap.h"

#include <bit>
#include <cstdio>
#include <cstring>
#include <map>

namespace mxc {

static CUtensorMapDataType dataType(const TensorMapRequest &request) {
  static const std::map<std::string_view, CUtensorMapDataType> kTypes = {
      {"f32", CU_TENSOR_MAP_DATA_TYPE_FLOAT32},       {"f16", CU_TENSOR_MAP_DATA_TYPE_FLOAT16},
      {"bf16", CU_TENSOR_MAP_DATA_TYPE_BFLOAT16},     {"e4m3", CU_TENSOR_MAP_DATA_TYPE_UINT8},
      {"e5m2", CU_TENSOR_MAP_DATA_TYPE_UINT8},        {"ue8m0", CU_TENSOR_MAP_DATA_TYPE_UINT8},
      {"u8", CU_TENSOR_MAP_DATA_TYPE_UINT8},
#if CUDA_VERSION >= 12080
      {"e2m1", CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN8B},
#endif
  };
  auto found = kTypes.find(request.type);
  if (found != kTypes.end()) return found->second;
  throw Error(ErrorKind::InvalidInput,
              "tensor map of '" + request.argument + "': tensor maps have no type for " + request.type);
}

static CUtensorMapSwizzle swizzle(const TensorMapRequest &request) {
  switch (request.swizzleBytes) {
  case 0:
    return CU_TENSOR_MAP_SWIZZLE_NONE;
  case 32:
    return CU_TENSOR_MAP_SWIZZLE_32B;
  case 64:
    return CU_TENSOR_MAP_SWIZZLE_64B;
  case 128:
    return CU_TENSOR_MAP_SWIZZLE_128B;
  default:
    throw Error(ErrorKind::InvalidInput, "tensor map of '" + request.argument +
                                             "': expected a swizzle of 0, 32, 64 or 128 " + "bytes, found " +
                                             std::to_string(request.swizzleBytes));
  }
}

static std::string text(const TensorMapRequest &request) {
  std::string pointer(32, '\0');
  pointer.resize(static_cast<size_t>(std::snprintf(pointer.data(), pointer.size(), "0x%llx",
                                                   static_cast<unsigned long long>(request.address))));
  return "encode the tensor map of '" + request.argument + "' (type " + request.type + ", address " +
         pointer + ", " + std::to_string(request.rows) + " rows x " + std::to_string(request.columns) +
         " columns, row stride " + std::to_string(request.rowStrideBytes) + " bytes, box " +
         std::to_string(request.box[1]) + " x " + std::to_string(request.box[0]) + ", swizzle " +
         std::to_string(request.swizzleBytes) + " bytes)";
}

void encodeTensorMap(const Device &device, const TensorMapRequest &request, std::byte *destination) {
  CUtensorMap map; // aligned as the driver wants it, which a place among the parameters need not be
  const cuuint64_t sizes[2] = {static_cast<cuuint64_t>(request.columns),
                               static_cast<cuuint64_t>(request.rows)};
  const cuuint64_t strides[1] = {static_cast<cuuint64_t>(request.rowStrideBytes)};
  const cuuint32_t elementStrides[2] = {1, 1};
  ContextScope scope(device); // the driver refuses without one, though nothing here touches the device
  CUresult result = device.driver().cuTensorMapEncodeTiled(
      &map, dataType(request), 2, std::bit_cast<void *>(request.address), sizes, strides, request.box.data(),
      elementStrides, CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle(request), CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
      CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (result != CUDA_SUCCESS) device.check(result, text(request));
  std::memcpy(destination, &map, sizeof map);
}

} // namespace mxc
