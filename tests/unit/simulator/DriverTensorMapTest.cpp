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

TEST_CASE("maps as others encode them are taken", "[simulator][driver]") {
  DriverSession session;
  // CUTLASS: strides of 0 with an extent of 1, placeholders whose sizes are the box's
  CHECK(with([](Request &r) { r.rank = 5; }) == CUDA_SUCCESS);
  CHECK(with([](Request &r) { r.sizes[0] = 64, r.sizes[1] = 32, r.strides[0] = 0; }) == CUDA_SUCCESS);
  CHECK(with([](Request &r) { r.sizes[0] = 1; }) == CUDA_SUCCESS);
  // its scale factors: 256 of 16 bits, unswizzled
  CHECK(with([](Request &r) {
          r.type = CU_TENSOR_MAP_DATA_TYPE_UINT16, r.box[0] = 256, r.swizzle = CU_TENSOR_MAP_SWIZZLE_NONE;
        }) == CUDA_SUCCESS);
  // gau-nernst: rows 16 bytes apart
  CHECK(with([](Request &r) { r.box[0] = 8, r.strides[0] = 16; }) == CUDA_SUCCESS);
  CHECK(with([](Request &r) { r.rank = 1; }) == CUDA_SUCCESS);
  CHECK(with([](Request &r) { r.sizes[0] = cuuint64_t(1) << 32; }) == CUDA_SUCCESS);
  CHECK(with([](Request &r) { r.elementStrides[0] = 99; }) == CUDA_SUCCESS); // ignored
  CHECK(with([](Request &r) { r.fill = CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA; }) == CUDA_SUCCESS);
}

TEST_CASE("what no map can hold is refused", "[simulator][driver]") {
  DriverSession session;
  auto refused = [](auto change) { return with(change) == CUDA_ERROR_INVALID_VALUE; };
  CHECK(refused([](Request &r) { r.rank = 0; }));
  CHECK(refused([](Request &r) { r.rank = 6; }));
  CHECK(refused([](Request &r) { r.address = 8; }));
  CHECK(refused([](Request &r) { r.sizes[0] = 0; }));
  CHECK(refused([](Request &r) { r.sizes[1] = (cuuint64_t(1) << 32) + 1; }));
  CHECK(refused([](Request &r) { r.strides[0] = 520; }));
  CHECK(refused([](Request &r) { r.strides[0] = cuuint64_t(1) << 40; }));
  CHECK(refused([](Request &r) { r.box[1] = 257; }));
  CHECK(refused([](Request &r) { r.box[1] = 0; }));
  CHECK(refused([](Request &r) { r.box[0] = 4; }));
  CHECK(refused([](Request &r) { r.box[0] = 72; })); // beyond the swizzle's span
  CHECK(refused([](Request &r) { r.elementStrides[1] = 9; }));
  CHECK(refused([](Request &r) { r.elementStrides[1] = 0; }));
  CHECK(refused([](Request &r) { r.type = static_cast<CUtensorMapDataType>(16); }));
  CHECK(refused([](Request &r) { r.swizzle = static_cast<CUtensorMapSwizzle>(7); }));
  CHECK(refused([](Request &r) { r.promotion = static_cast<CUtensorMapL2promotion>(4); }));
  CHECK(refused([](Request &r) {
    r.type = CU_TENSOR_MAP_DATA_TYPE_UINT16, r.fill = CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA;
  }));
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
