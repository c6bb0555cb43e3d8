// What cuTensorMapEncodeTiled takes and refuses: the same on silicon and on the simulator.
#include "tests/unit/runtime/Conformance.h"

#include <catch2/catch.hpp>

using namespace mxc;

namespace {
struct Request { // a valid one: bf16, 64 rows of 256
  CUtensorMapDataType type = CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
  cuuint32_t rank = 2;
  uint64_t offset = 0; // in the buffer
  cuuint64_t sizes[5] = {256, 64, 1, 1, 1}, strides[4] = {512, 0, 0, 0};
  cuuint32_t box[5] = {64, 32, 1, 1, 1}, elementStrides[5] = {1, 1, 1, 1, 1};
  CUtensorMapSwizzle swizzle = CU_TENSOR_MAP_SWIZZLE_128B;
  CUtensorMapL2promotion promotion = CU_TENSOR_MAP_L2_PROMOTION_L2_256B;
  CUtensorMapFloatOOBfill fill = CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE;
};
} // namespace

template <class Change> static CUresult with(Change change) {
  Device device = conformanceDevice();
  ContextScope scope(device);
  CUdeviceptr buffer = 0;
  REQUIRE(device.driver().cuMemAlloc_v2(&buffer, 64 << 10) == CUDA_SUCCESS);
  Request r;
  change(r);
  CUtensorMap map;
  CUresult result = device.driver().cuTensorMapEncodeTiled(
      &map, r.type, r.rank, reinterpret_cast<void *>(buffer + r.offset), r.sizes, r.strides, r.box,
      r.elementStrides, CU_TENSOR_MAP_INTERLEAVE_NONE, r.swizzle, r.promotion, r.fill);
  CHECK(device.driver().cuMemFree_v2(buffer) == CUDA_SUCCESS);
  return result;
}

TEST_CASE("maps as others encode them are taken", MXC_CONFORMANCE_TAGS) {
  CHECK(with([](Request &) {}) == CUDA_SUCCESS);
  CHECK(with([](Request &r) { r.rank = 5; }) == CUDA_SUCCESS); // CUTLASS: strides of 0 where the extent is 1
  CHECK(with([](Request &r) { r.sizes[0] = 64, r.sizes[1] = 32, r.strides[0] = 0; }) ==
        CUDA_SUCCESS); // a placeholder
  CHECK(with([](Request &r) { r.sizes[0] = 1; }) == CUDA_SUCCESS);
  CHECK(with([](Request &r) { r.box[0] = 8, r.strides[0] = 16; }) == CUDA_SUCCESS); // rows that overlap
  CHECK(with([](Request &r) { r.rank = 1; }) == CUDA_SUCCESS);
  CHECK(with([](Request &r) { r.sizes[0] = cuuint64_t(1) << 32; }) == CUDA_SUCCESS);
  CHECK(with([](Request &r) { r.strides[0] = (cuuint64_t(1) << 40) - 16; }) == CUDA_SUCCESS);
  CHECK(with([](Request &r) { r.elementStrides[1] = 8; }) == CUDA_SUCCESS);
  CHECK(with([](Request &r) { r.fill = CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA; }) == CUDA_SUCCESS);
  CHECK(with([](Request &r) {
          r.type = CU_TENSOR_MAP_DATA_TYPE_UINT16, r.box[0] = 256, r.swizzle = CU_TENSOR_MAP_SWIZZLE_NONE;
        }) == CUDA_SUCCESS); // CUTLASS's scale factors
}

TEST_CASE("what no map can hold is refused by the driver", MXC_CONFORMANCE_TAGS) {
  auto refused = [](auto change) { return with(change) == CUDA_ERROR_INVALID_VALUE; };
  CHECK(refused([](Request &r) { r.rank = 0; }));
  CHECK(refused([](Request &r) { r.rank = 6; }));
  CHECK(refused([](Request &r) { r.offset = 8; }));
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
  CHECK(refused([](Request &r) { r.swizzle = static_cast<CUtensorMapSwizzle>(7); }));
  CHECK(refused([](Request &r) { r.promotion = static_cast<CUtensorMapL2promotion>(4); }));
  CHECK(refused([](Request &r) {
    r.type = CU_TENSOR_MAP_DATA_TYPE_UINT16, r.fill = CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA;
  }));
}
