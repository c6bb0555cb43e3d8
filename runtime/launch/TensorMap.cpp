#include "runtime/launch/TensorMap.h"

#include "compiler/abi/AbiNames.h"

#include <bit>
#include <cstdio>
#include <cstring>

namespace mxc {

// These follow the enumerations' order.
static constexpr CUtensorMapDataType kTypes[] = {
    CU_TENSOR_MAP_DATA_TYPE_UINT8,         CU_TENSOR_MAP_DATA_TYPE_UINT16,
    CU_TENSOR_MAP_DATA_TYPE_UINT32,        CU_TENSOR_MAP_DATA_TYPE_INT32,
    CU_TENSOR_MAP_DATA_TYPE_UINT64,        CU_TENSOR_MAP_DATA_TYPE_INT64,
    CU_TENSOR_MAP_DATA_TYPE_FLOAT16,       CU_TENSOR_MAP_DATA_TYPE_FLOAT32,
    CU_TENSOR_MAP_DATA_TYPE_FLOAT64,       CU_TENSOR_MAP_DATA_TYPE_BFLOAT16,
    CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ,   CU_TENSOR_MAP_DATA_TYPE_TFLOAT32,
    CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ,  CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN8B,
    CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN16B, CU_TENSOR_MAP_DATA_TYPE_16U6_ALIGN16B,
};
static constexpr CUtensorMapSwizzle kSwizzles[] = {
    CU_TENSOR_MAP_SWIZZLE_NONE,          CU_TENSOR_MAP_SWIZZLE_32B,
    CU_TENSOR_MAP_SWIZZLE_64B,           CU_TENSOR_MAP_SWIZZLE_128B,
    CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B, CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B_FLIP_8B,
    CU_TENSOR_MAP_SWIZZLE_128B_ATOM_64B,
};
static constexpr CUtensorMapL2promotion kPromotions[] = {
    CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_L2_PROMOTION_L2_64B, CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
    CU_TENSOR_MAP_L2_PROMOTION_L2_256B};
static constexpr CUtensorMapFloatOOBfill kFills[] = {CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE,
                                                     CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA};
static_assert(std::size(kTypes) == kMapTypeNames.size() && std::size(kSwizzles) == kMapSwizzleNames.size() &&
              std::size(kPromotions) == kMapPromotionNames.size() &&
              std::size(kFills) == kMapFillNames.size());

template <typename Number> static std::string listText(const Number *values, size_t count) {
  std::string text;
  for (size_t i = 0; i < count; ++i)
    text += (i ? " x " : "") + std::to_string(values[i]);
  return text.empty() ? "none" : text;
}

static std::string text(const TensorMapRequest &request) {
  std::string pointer(32, '\0');
  pointer.resize(static_cast<size_t>(std::snprintf(pointer.data(), pointer.size(), "0x%llx",
                                                   static_cast<unsigned long long>(request.address))));
  return "encode the tensor map of '" + request.argument + "' (type " +
         std::string(nameIn(kMapTypeNames, request.type)) + ", address " + pointer +
         "; innermost first: sizes " + listText(request.sizes.data(), request.rank) + ", strides " +
         listText(request.strides.data(), request.rank - 1) + " bytes, box " +
         listText(request.box.data(), request.rank) + ", element strides " +
         listText(request.elementStrides.data(), request.rank) + "; swizzle " +
         std::string(nameIn(kMapSwizzleNames, request.swizzle)) + ", promotion " +
         std::string(nameIn(kMapPromotionNames, request.promotion)) + ", fill " +
         std::string(nameIn(kMapFillNames, request.fill)) + ")";
}

void encodeTensorMap(const Device &device, const TensorMapRequest &request, std::byte *destination) {
  CUtensorMap map; // aligned as the driver wants it, which a place among the parameters need not be
  static_assert(sizeof(cuuint64_t) == sizeof(uint64_t));
  std::array<cuuint64_t, 5> sizes{}, strides{};
  std::copy(request.sizes.begin(), request.sizes.end(), sizes.begin());
  std::copy(request.strides.begin(), request.strides.end(), strides.begin());
  ContextScope scope(device); // the driver refuses without one, though nothing here touches the device
  CUresult result = device.driver().cuTensorMapEncodeTiled(
      &map, kTypes[size_t(request.type)], request.rank, std::bit_cast<void *>(request.address), sizes.data(),
      strides.data(), request.box.data(), request.elementStrides.data(), CU_TENSOR_MAP_INTERLEAVE_NONE,
      kSwizzles[size_t(request.swizzle)], kPromotions[size_t(request.promotion)],
      kFills[size_t(request.fill)]);
  if (result != CUDA_SUCCESS) device.check(result, text(request));
  std::memcpy(destination, &map, sizeof map);
}

} // namespace mxc
