// cuTensorMap*: what a map may hold (cuda.h, cuTensorMapEncodeTiled), and its bytes.
#include "runtime/simulator/TensorMapFormat.h"
#include "runtime/simulator/driver/Api.h"
#include "runtime/simulator/driver/Call.h"

#include <cstring>

namespace mxc::sim {

using ContextPointer = std::shared_ptr<Context>;

static void checkFill(const TensorMap &map, CUtensorMapFloatOOBfill fill) {
  require(fill == CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE ||
          fill == CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA);
  require(fill == CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE || map.isFloat());
}

static void setSwizzle(TensorMap &map, int swizzle) {
  using Swizzle = TensorMap::Swizzle;
  using Atom = TensorMap::Atom;
  static constexpr struct {
    Swizzle swizzle;
    Atom atom;
  } kSwizzles[] = {{Swizzle::None, Atom::Bytes16},    {Swizzle::Span32, Atom::Bytes16},
                   {Swizzle::Span64, Atom::Bytes16},  {Swizzle::Span128, Atom::Bytes16},
                   {Swizzle::Span128, Atom::Bytes32}, {Swizzle::Span128, Atom::Bytes32Flip8},
                   {Swizzle::Span128, Atom::Bytes64}};
  require(swizzle >= 0 && static_cast<size_t>(swizzle) < std::size(kSwizzles));
  map.swizzle = kSwizzles[swizzle].swizzle, map.atom = kSwizzles[swizzle].atom;
  if (map.sharedElementBits() == map.elementBits()) return;
  // Values in padded groups: none, 128B, 128B_ATOM_32B; of 6 bits 128B_ATOM_64B too.
  bool isFlip = map.atom == Atom::Bytes32Flip8;
  require(map.swizzle == Swizzle::None || (map.swizzle == Swizzle::Span128 && !isFlip));
  require(map.atom != Atom::Bytes64 || map.type == TensorMapType::B6x16Padded);
}

static void checkSizes(const TensorMap &map) {
  constexpr uint64_t kMaximumSize = uint64_t(1) << 32, kMaximumStride = uint64_t(1) << 40;
  for (unsigned d = 0; d < map.rank; ++d) {
    require(map.size[d] >= 1 && map.size[d] <= kMaximumSize);
    require(d == 0 || map.strideBytes[d - 1] < kMaximumStride);
  }
  bool isPadded = map.sharedElementBits() != map.elementBits();
  require(!isPadded || (map.size[0] % 128 == 0 && map.box[0] == 128));
  require(map.type != TensorMapType::B4x16 || map.size[0] % 2 == 0);
}

CUresult api::cuTensorMapEncodeTiled(CUtensorMap *tensorMap, CUtensorMapDataType tensorDataType,
                                     cuuint32_t tensorRank, void *globalAddress, const cuuint64_t *globalDim,
                                     const cuuint64_t *globalStrides, const cuuint32_t *boxDim,
                                     const cuuint32_t *elementStrides, CUtensorMapInterleave interleave,
                                     CUtensorMapSwizzle swizzle, CUtensorMapL2promotion l2Promotion,
                                     CUtensorMapFloatOOBfill oobFill) {
  return inContextAsync([&](const ContextPointer &context) {
    require(tensorMap && reinterpret_cast<uint64_t>(tensorMap) % 64 == 0);
    require(tensorRank >= 1 && tensorRank <= 5 && globalDim && boxDim && elementStrides);
    require(globalStrides || tensorRank == 1);
    int lastType = context->device.chip().limits.hasNarrowMaps ? 15 : CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ;
    require(static_cast<int>(tensorDataType) >= 0 && static_cast<int>(tensorDataType) <= lastType);
    require(static_cast<int>(interleave) >= 0 && interleave <= CU_TENSOR_MAP_INTERLEAVE_32B);
    require(interleave == CU_TENSOR_MAP_INTERLEAVE_NONE, CUDA_ERROR_NOT_SUPPORTED);
    require(static_cast<int>(l2Promotion) >= 0 && l2Promotion <= CU_TENSOR_MAP_L2_PROMOTION_L2_256B);

    TensorMap map;
    map.address = reinterpret_cast<uint64_t>(globalAddress);
    map.type = static_cast<TensorMapType>(tensorDataType);
    map.rank = static_cast<uint8_t>(tensorRank);
    map.promotion = static_cast<uint8_t>(l2Promotion);
    for (unsigned d = 0; d < tensorRank; ++d) {
      map.size[d] = globalDim[d];
      require(boxDim[d] >= 1 && boxDim[d] <= 256 &&
              (d == 0 || (elementStrides[d] >= 1 && elementStrides[d] <= 8)));
      map.box[d] = static_cast<uint16_t>(boxDim[d]);
      map.elementStride[d] = d == 0 ? 1 : static_cast<uint8_t>(elementStrides[d]);
      if (d) map.strideBytes[d - 1] = globalStrides[d - 1];
    }
    setSwizzle(map, swizzle);
    checkFill(map, oobFill);
    map.fill = static_cast<TensorMap::Fill>(oobFill);
    checkSizes(map);
    require(problemOf(map).empty());
    std::memset(static_cast<void *>(tensorMap), 0,
                sizeof *tensorMap); // aligned to 64 alone, as CUDA 12's type was
    encodeTensorMap(map, reinterpret_cast<std::byte *>(tensorMap));
  });
}

CUresult api::cuTensorMapReplaceAddress(CUtensorMap *tensorMap, void *globalAddress) {
  return inContextAsync([&](const ContextPointer &) {
    require(tensorMap && reinterpret_cast<uint64_t>(tensorMap) % 64 == 0);
    TensorMap map = decodeTensorMap(reinterpret_cast<const std::byte *>(tensorMap));
    map.address = reinterpret_cast<uint64_t>(globalAddress);
    require(problemOf(map).empty());
    encodeTensorMap(map, reinterpret_cast<std::byte *>(tensorMap));
  });
}

CUresult api::cuTensorMapEncodeIm2col(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *,
                                      const cuuint64_t *, const cuuint64_t *, const int *, const int *,
                                      cuuint32_t, cuuint32_t, const cuuint32_t *, CUtensorMapInterleave,
                                      CUtensorMapSwizzle, CUtensorMapL2promotion, CUtensorMapFloatOOBfill) {
  return CUDA_ERROR_NOT_SUPPORTED;
}
CUresult api::cuTensorMapEncodeIm2colWide(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *,
                                          const cuuint64_t *, const cuuint64_t *, int, int, cuuint32_t,
                                          cuuint32_t, const cuuint32_t *, CUtensorMapInterleave,
                                          CUtensorMapIm2ColWideMode, CUtensorMapSwizzle,
                                          CUtensorMapL2promotion, CUtensorMapFloatOOBfill) {
  return CUDA_ERROR_NOT_SUPPORTED;
}

} // namespace mxc::sim
