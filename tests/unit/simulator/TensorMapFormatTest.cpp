#include "runtime/simulator/TensorMapFormat.h"

#include <catch2/catch.hpp>

#include <cstring>

using namespace mxc::sim;
using Catch::Contains;
using Field = TensorMapField;

static TensorMap example() { // bf16, 64 rows of 256, boxes of 32 x 64, 128-byte swizzle
  TensorMap map;
  map.address = 0x10000;
  map.type = TensorMapType::Bf16;
  map.rank = 2;
  map.size = {256, 64};
  map.strideBytes = {512};
  map.box = {64, 32};
  map.swizzle = TensorMap::Swizzle::Span128;
  return map;
}

TEST_CASE("a tensor map is plain data of any alignment", "[simulator][tensormap]") {
  std::byte bytes[129];
  encodeTensorMap(example(), bytes + 1);
  TensorMap map = decodeTensorMap(bytes + 1);
  CHECK(std::memcmp(&map, bytes + 1, 128) == 0);
  CHECK(problemOf(map) == "");
  CHECK((map.elementBits() == 16 && map.swizzleBytes() == 128 && map.atomBytes() == 16 && map.isFloat()));
  CHECK(map.boxBytes() == 64 * 32 * 2);
}

TEST_CASE("the bytes of a box follow type and element strides", "[simulator][tensormap]") {
  TensorMap map = example();
  map.elementStride = {4, 3, 1, 1, 1}; // dimension 0 has none
  CHECK(map.boxBytes() == 64 * 11 * 2);
  map = example();
  map.box = {128, 32};
  map.type = TensorMapType::B4x16;
  CHECK(map.boxBytes() == 64 * 32);
  map.type = TensorMapType::B4x16Padded;
  CHECK(map.boxBytes() == 128 * 32);
  map.type = TensorMapType::B6x16Padded;
  CHECK((map.boxBytes() == 128 * 32 && map.elementBits() == 6));
}

TEST_CASE("tensormap.replace patches each field", "[simulator][tensormap]") {
  TensorMap map = example();
  CHECK(replaceTensorMapField(map, Field::GlobalAddress, 0, 0x20000));
  CHECK(replaceTensorMapField(map, Field::Rank, 0, 2));
  CHECK(replaceTensorMapField(map, Field::GlobalDim, 2, 9));
  CHECK(replaceTensorMapField(map, Field::GlobalStride, 1, 4096)); // of dimension 2
  CHECK(replaceTensorMapField(map, Field::BoxDim, 2, 3));
  CHECK(replaceTensorMapField(map, Field::ElementStride, 2, 2));
  CHECK(replaceTensorMapField(map, Field::ElementType, 0, 6)); // .f16, which CUDA numbers 6 too
  CHECK(replaceTensorMapField(map, Field::SwizzleMode, 0, 0));
  CHECK(replaceTensorMapField(map, Field::SwizzleAtom, 0, 3));
  CHECK(replaceTensorMapField(map, Field::FillMode, 0, 1));
  CHECK((map.address == 0x20000 && map.rank == 3 && map.size[2] == 9 && map.strideBytes[1] == 4096));
  CHECK((map.box[2] == 3 && map.elementStride[2] == 2 && map.type == TensorMapType::F16));
  CHECK((map.swizzleBytes() == 0 && map.atomBytes() == 64 && map.fill == TensorMap::Fill::NotANumber));
  CHECK(problemOf(map) == "");
  replaceTensorMapField(map, Field::ElementType, 0, 10); // .bf16, CUDA's 9
  CHECK(map.type == TensorMapType::Bf16);
}

TEST_CASE("an ordinal beyond the fifth dimension is refused", "[simulator][tensormap]") {
  TensorMap map = example();
  for (Field field : {Field::BoxDim, Field::GlobalDim, Field::ElementStride})
    CHECK_FALSE(replaceTensorMapField(map, field, 5, 1));
  CHECK_FALSE(replaceTensorMapField(map, Field::GlobalStride, 4, 16));
}

TEST_CASE("what a patch broke is told when the map is used", "[simulator][tensormap]") {
  auto broken = [](Field field, unsigned ordinal, uint64_t value) {
    TensorMap map = example();
    replaceTensorMapField(map, field, ordinal, value);
    return problemOf(map);
  };
  CHECK_THAT(broken(Field::Rank, 0, 5), Contains("rank: expected 1 to 5, found 6"));
  CHECK_THAT(broken(Field::GlobalAddress, 0, 8), Contains("address: expected a multiple of 16"));
  CHECK_THAT(broken(Field::GlobalStride, 0, 24), Contains("stride"));
  CHECK_THAT(broken(Field::BoxDim, 0, 128), Contains("swizzle's span, found 256"));
  CHECK_THAT(broken(Field::BoxDim, 1, 257), Contains("box"));
  CHECK_THAT(broken(Field::BoxDim, 0, 4), Contains("inner box"));
  CHECK_THAT(broken(Field::ElementType, 0, 99), Contains("element type"));
  CHECK_THAT(broken(Field::SwizzleMode, 0, 300), Contains("swizzle mode"));
  CHECK_THAT(broken(Field::Interleave, 0, 1), Contains("interleave"));
  TensorMap garbage;
  std::memset(static_cast<void *>(&garbage), 0xAB, sizeof garbage);
  CHECK_THAT(problemOf(garbage), Contains("no tensor map"));
}

TEST_CASE("a kernel makes a map out of zeros, field by field", "[simulator][tensormap]") {
  std::byte bytes[sizeof(TensorMap)]{};
  TensorMap map = decodeTensorMap(bytes), wanted = example();
  CHECK_THAT(problemOf(map), Contains("no tensor map"));
  replaceTensorMapField(map, Field::GlobalAddress, 0, wanted.address);
  replaceTensorMapField(map, Field::Rank, 0, wanted.rank - 1u);
  for (unsigned d = 0; d < wanted.rank; ++d) {
    replaceTensorMapField(map, Field::BoxDim, d, wanted.box[d]);
    replaceTensorMapField(map, Field::GlobalDim, d, wanted.size[d]);
    replaceTensorMapField(map, Field::ElementStride, d, wanted.elementStride[d]);
    if (d) replaceTensorMapField(map, Field::GlobalStride, d - 1, wanted.strideBytes[d - 1]);
  }
  replaceTensorMapField(map, Field::SwizzleMode, 0, uint64_t(wanted.swizzle));
  replaceTensorMapField(map, Field::ElementType, 0, 10); // .bf16
  CHECK(problemOf(map) == "");
  CHECK((map.boxBytes() == wanted.boxBytes() && map.size == wanted.size));
}
