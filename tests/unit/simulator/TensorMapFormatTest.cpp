#include "runtime/simulator/async/TensorBox.h"

#include <catch2/catch.hpp>

#include <cstring>
#include <vector>

using namespace mxc::sim;
using Catch::Contains;
using Field = TensorMapField;

static TensorMap example() { // bf16, 64 rows of 256, boxes of 32 x 64, 128-byte swizzle
  TensorMap map;
  map.address = 0x10000;
  map.type = TensorMapType::Bf16;
  map.rank = 2;
  map.size = {256, 64, 1, 1, 1};
  map.strideBytes = {512};
  map.box = {64, 32, 1, 1, 1};
  map.swizzle = TensorMap::Swizzle::Span128;
  return map;
}

TEST_CASE("a tensor map is plain data of any alignment", "[simulator][tensormap]") {
  std::byte bytes[129];
  encodeTensorMap(example(), bytes + 1);
  TensorMap map = decodeTensorMap(bytes + 1);
  CHECK(map == example());
  CHECK(problemOf(map) == "");
  CHECK((map.elementBits() == 16 && map.swizzleBytes() == 128 && map.atom == TensorMap::Atom::Bytes16 &&
         map.isFloat()));
  CHECK(TensorBox{map}.countedBytes() == 64 * 32 * 2);
}

TEST_CASE("the bytes of a box follow type and element strides", "[simulator][tensormap]") {
  TensorMap map = example();
  map.elementStride = {4, 3, 1, 1, 1}; // dimension 0 has none
  CHECK(TensorBox{map}.countedBytes() == 64 * 11 * 2);
  map = example();
  map.box = {128, 32};
  map.type = TensorMapType::B4x16;
  CHECK((TensorBox{map}.countedBytes() == 64 * 32 && TensorBox{map}.sharedRowBytes() == 64));
  map.type = TensorMapType::B4x16Padded;
  CHECK((TensorBox{map}.countedBytes() == 64 * 32 && TensorBox{map}.sharedRowBytes() == 128));
  map.type = TensorMapType::B6x16Padded;
  CHECK((TensorBox{map}.countedBytes() == 96 * 32 && TensorBox{map}.sharedRowBytes() == 128));
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
  CHECK((map.swizzleBytes() == 0 && map.atom == TensorMap::Atom::Bytes64 &&
         map.fill == TensorMap::Fill::NotANumber));
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
  std::byte garbage[kTensorMapBytes];
  std::memset(garbage, 0xAB, sizeof garbage);
  CHECK_THAT(problemOf(decodeTensorMap(garbage)), Contains("no tensor map"));
}

TEST_CASE("a kernel makes a map out of zeros, field by field", "[simulator][tensormap]") {
  std::byte bytes[kTensorMapBytes]{};
  TensorMap map = decodeTensorMap(bytes), wanted = example();
  CHECK_FALSE(problemOf(map).empty());
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
  CHECK((TensorBox{map}.countedBytes() == TensorBox{wanted}.countedBytes() && map.size == wanted.size));
}

namespace {
/// 32-bit words 2 to 15, as an H200's driver encoded them (13.0), or CuTe DSL's host code for sm_100a.
std::vector<uint32_t> wordsOf(const TensorMap &map) {
  std::byte bytes[kTensorMapBytes];
  encodeTensorMap(map, bytes);
  std::vector<uint32_t> words(14);
  std::memcpy(words.data(), bytes + 8, 56);
  CHECK(decodeTensorMap(bytes) == map);
  return words;
}
TensorMap measured() { // u8, 128 rows of 256, boxes of 8 x 16
  TensorMap map;
  map.address = 0x10000, map.rank = 2;
  map.size = {256, 128, 1, 1, 1}, map.strideBytes = {256}, map.box = {16, 8, 1, 1, 1};
  return map;
}
} // namespace

TEST_CASE("the bits are those of an H200's driver", "[simulator][tensormap]") {
  using Words = std::vector<uint32_t>;
  CHECK(wordsOf(measured()) == Words{0x10, 0x10, 0, 0, 0, 0, 0xff, 0x7f, 0, 0, 0, 0xf000000, 7, 0});
  static constexpr uint32_t kTypes[] = {0x10,  0x90,  0x110, 0x190, 0x210,   0x290,  0x310,
                                        0x390, 0x490, 0x510, 0x410, 0x10390, 0x10410};
  for (size_t type = 0; type < std::size(kTypes); ++type) {
    TensorMap map = measured();
    map.type = TensorMapType(type);
    CHECK(wordsOf(map)[0] == kTypes[type]);
  }
  TensorMap map = measured();
  map.swizzle = TensorMap::Swizzle::Span64, map.promotion = 2;
  map.type = TensorMapType::Bf16, map.fill = TensorMap::Fill::NotANumber;
  CHECK(wordsOf(map)[0] == 0x4c510);
  map = measured();
  map.rank = 5, map.strideBytes = {0xABCDEF1230, 16, 16, 0xABCDEF1230}, map.size[4] = uint64_t(1) << 32;
  map.elementStride = {1, 2, 3, 8, 1}, map.box = {16, 1, 32, 256, 16};
  CHECK(wordsOf(map) == Words{0x40, 0xbcdef123, 1, 1, 0xbcdef123, 0xa00a, 0xff, 0x7f, 0, 0, 0xffffffff,
                              0xf000e88, 0x0fff1f00, 0});
}

TEST_CASE("the bits of Blackwell's types are those of CuTe DSL", "[simulator][tensormap]") {
  static constexpr struct {
    TensorMapType type;
    TensorMap::Atom atom;
    uint32_t word;
  } kMaps[] = {{TensorMapType::B4x16, TensorMap::Atom::Bytes16, 0x465a2},
               {TensorMapType::B4x16Padded, TensorMap::Atom::Bytes16, 0x46622},
               {TensorMapType::B6x16Padded, TensorMap::Atom::Bytes16, 0x466a2},
               {TensorMapType::Tf32, TensorMap::Atom::Bytes32, 0xd63a2}};
  for (const auto &expected : kMaps) {
    TensorMap map = measured();
    map.rank = 3, map.type = expected.type, map.atom = expected.atom, map.promotion = 2;
    map.swizzle = TensorMap::Swizzle::Span128;
    CHECK(wordsOf(map)[0] == (expected.word & ~2u)); // bit 1 is CuTe DSL's alone
    std::byte bytes[kTensorMapBytes];
    encodeTensorMap(map, bytes);
    uint32_t word = expected.word | 1u << 21; // so is bit 21
    std::memcpy(bytes + 8, &word, 4);
    CHECK(decodeTensorMap(bytes) == map);
  }
}
