// cuTensorMapEncodeTiled: what it takes and what it refuses.
#include "tests/unit/simulator/DriverSession.h"

#include "runtime/simulator/TensorMapFormat.h"

using namespace mxc::sim;

namespace {
struct Request { // a valid one: bf16, 64 rows of 256
  CUtensorMapDataType type = CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
  cuuint32_t rank = 2;
  uint64_t address = 0x10000;
  cuuint64_t sizes[5] = {256, 64, 1, 1, 1}, strides[4] = {512, 0, 0, 0};
  cuuint32_t box[5] = {64, 32, 1, 1, 1}, elementStrides[5] = {1, 1, 1, 1, 1};
  CUtensorMapInterleave interleave = CU_TENSOR_MAP_INTERLEAVE_NONE;
  CUtensorMapSwizzle swizzle = CU_TENSOR_MAP_SWIZZLE_128B;
  CUtensorMapL2promotion promotion = CU_TENSOR_MAP_L2_PROMOTION_L2_256B;
  CUtensorMapFloatOOBfill fill = CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE;

  CUresult encode(CUtensorMap *map) const {
    return api::cuTensorMapEncodeTiled(map, type, rank, reinterpret_cast<void *>(address), sizes, strides,
                                       box, elementStrides, interleave, swizzle, promotion, fill);
  }
};
} // namespace

template <class Change> static CUresult with(Change change) {
  Request request;
  change(request);
  CUtensorMap map;
  return request.encode(&map);
}

TEST_CASE("a map holds what it was given", "[simulator][driver]") {
  DriverSession session;
  CUtensorMap map;
  REQUIRE(Request().encode(&map) == CUDA_SUCCESS);
  TensorMap decoded = decodeTensorMap(reinterpret_cast<const std::byte *>(&map));
  CHECK((decoded.rank == 2 && decoded.address == 0x10000 && decoded.strideBytes[0] == 512 &&
         decoded.size[1] == 64));
  CHECK((decoded.box[0] == 64 && decoded.swizzleBytes() == 128 && decoded.type == TensorMapType::Bf16));
  CHECK(api::cuTensorMapReplaceAddress(&map, reinterpret_cast<void *>(0x20000)) == CUDA_SUCCESS);
  CHECK(decodeTensorMap(reinterpret_cast<const std::byte *>(&map)).address == 0x20000);
  CHECK(api::cuTensorMapReplaceAddress(&map, reinterpret_cast<void *>(0x20008)) == CUDA_ERROR_INVALID_VALUE);
}

// What any map must keep to: tests/unit/runtime/TensorMapRulesTest.cpp, on the simulator and on silicon.
TEST_CASE("maps that the rules of silicon do not speak of", "[simulator][driver]") {
  DriverSession session;
  CHECK(with([](Request &r) { r.elementStrides[0] = 99; }) == CUDA_SUCCESS); // ignored
  CHECK(with([](Request &r) { r.type = static_cast<CUtensorMapDataType>(16); }) == CUDA_ERROR_INVALID_VALUE);
  CHECK(with([](Request &r) { r.interleave = CU_TENSOR_MAP_INTERLEAVE_32B; }) == CUDA_ERROR_NOT_SUPPORTED);
  alignas(64) char bytes[256];
  CHECK(Request().encode(reinterpret_cast<CUtensorMap *>(bytes + 16)) == CUDA_ERROR_INVALID_VALUE);
  CHECK(Request().encode(nullptr) == CUDA_ERROR_INVALID_VALUE);
}

TEST_CASE("packed 4- and 6-bit types are Blackwell's, with rules of their own", "[simulator][driver]") {
  auto packed = [](Request &r) {
    r.type = CU_TENSOR_MAP_DATA_TYPE_16U6_ALIGN16B, r.box[0] = 128, r.strides[0] = 192;
  };
  {
    DriverSession hopper("sm_90a");
    CHECK(with(packed) == CUDA_ERROR_INVALID_VALUE);
  }
  DriverSession session;
  CHECK(with(packed) == CUDA_SUCCESS);
  CHECK(with([&](Request &r) { packed(r), r.strides[0] = 208; }) == CUDA_ERROR_INVALID_VALUE);
  CHECK(with([&](Request &r) { packed(r), r.sizes[0] = 250; }) == CUDA_ERROR_INVALID_VALUE);
  CHECK(with([&](Request &r) { packed(r), r.box[0] = 64; }) == CUDA_ERROR_INVALID_VALUE);
  CHECK(with([&](Request &r) { packed(r), r.swizzle = CU_TENSOR_MAP_SWIZZLE_64B; }) ==
        CUDA_ERROR_INVALID_VALUE);
}
