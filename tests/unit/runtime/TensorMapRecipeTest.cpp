// Recipes through the planner and the simulator's driver: what a map of each rank then says.
#include "runtime/launch/LaunchPlan.h"
#include "runtime/launch/TensorMap.h"
#include "runtime/simulator/TensorMapFormat.h"
#include "tests/unit/abi/MatmulSample.h"
#include "tests/unit/runtime/Conformance.h"

#include <catch2/catch.hpp>

using namespace mxc;

/// The map of a variant whose one parameter is `recipe`, over u of M x 64 bytes.
static sim::TensorMap encoded(const TensorMapRecipe &recipe) {
  KernelAbi kernel;
  kernel.name = "k";
  kernel.dimensions = {"M"};
  kernel.arguments = {{"u", "u8", false, ArgumentLayout::RowMajor, {"M", "64"}, {AbiStride::free(), {}}}};
  AbiVariant variant;
  variant.entry = "k";
  variant.parameters = {{AbiParameter::Kind::TensorMap, "u", recipe}};
  kernel.variants = {variant};
  const LaunchPlan plan = planLaunch(kernel, {{"u", {0x10000, "u8", {256, 64}, {128, 1}}}});
  std::byte bytes[sizeof(CUtensorMap)];
  encodeTensorMap(conformanceDevice(), plan.tensorMaps.at(0), bytes);
  return sim::decodeTensorMap(bytes);
}

TEST_CASE("recipes of ranks 1 to 5 are encoded as they are written", "[maps]") {
  TensorMapRecipe recipe{"u", "128"};
  const char *sizes[] = {"64", "M / 16", "4", "2", "2"};
  const char *strides[] = {"stride0", "16 * stride0", "64 * stride0", "128 * stride0"};
  for (uint8_t rank = 1; rank <= 5; ++rank) {
    recipe.sizes.push_back(sizes[rank - 1]);
    if (rank > 1) recipe.strides.push_back(strides[rank - 2]);
    recipe.box.push_back(rank == 1 ? 32 : rank);
    recipe.elementStrides.push_back(rank == 2 ? 2 : 1);
    recipe.swizzle = rank == 3 ? TensorMapSwizzle::B32 : TensorMapSwizzle::None;
    const sim::TensorMap map = encoded(recipe);
    CHECK((map.rank == rank && map.address == 0x10080 && map.isTiled && !map.isUnknown));
    CHECK((map.size[0] == 64 && map.size[1] == (rank > 1 ? 16u : 1u) && map.size[4] == (rank > 4 ? 2u : 1u)));
    CHECK(map.box[rank - 1] == recipe.box.back());
    if (rank > 1) CHECK((map.strideBytes[0] == 128 && map.elementStride[1] == 2));
    if (rank > 4)
      CHECK((map.strideBytes[1] == 2048 && map.strideBytes[2] == 8192 && map.strideBytes[3] == 16384));
    CHECK(map.swizzleBytes() == (rank == 3 ? 32u : 0u));
  }
}

TEST_CASE("types, swizzles, promotions and fills are the recipe's", "[maps]") {
  const auto with = [](auto change) {
    TensorMapRecipe recipe{"u", {}, TensorMapType::U8, {"128", "M / 4"}, {"4 * stride0"}, {128, 8}, {1, 1}};
    change(recipe);
    return encoded(recipe);
  };
  CHECK(with([](auto &r) { r.type = TensorMapType::U4Align8B; }).type == sim::TensorMapType::B4x16);
  CHECK(with([](auto &r) { r.type = TensorMapType::U4Align16B; }).type == sim::TensorMapType::B4x16Padded);
  CHECK(with([](auto &r) { r.type = TensorMapType::U6Align16B; }).type == sim::TensorMapType::B6x16Padded);
  CHECK(with([](auto &r) { r.swizzle = TensorMapSwizzle::B128; }).swizzleBytes() == 128);
  CHECK(with([](auto &r) { r.swizzle = TensorMapSwizzle::B128Atom32; }).atom ==
        sim::TensorMap::Atom::Bytes32);
  CHECK(with([](auto &r) { r.swizzle = TensorMapSwizzle::B128Atom64; }).atom ==
        sim::TensorMap::Atom::Bytes64);
  for (uint8_t i = 0; i < 4; ++i)
    CHECK(with([&](auto &r) { r.promotion = TensorMapPromotion(i); }).promotion == i);
  CHECK(with([](auto &r) {
          r.type = TensorMapType::BF16, r.fill = TensorMapFill::Nan, r.sizes[0] = "64", r.box[0] = 64;
        }).fill == sim::TensorMap::Fill::NotANumber);
}

TEST_CASE("a matrix product's maps of ranks 2 to 4 are ones that a driver takes", "[maps]") {
  const KernelAbi kernel = test::matmulAbi();
  const Arguments arguments = {{"a", {0x10000, "e4m3", {3, 256, 96}, {}}},
                               {"b", {0x80000, "e4m3", {3, 320, 96}, {320 * 128, 128, 1}}},
                               {"sa", {0x100000, "u8", {3 * 2 * 512}, {}}},
                               {"sb", {0x110000, "u8", {3 * 3 * 512}, {}}},
                               {"alpha", 0.5f},
                               {"bias", {0x120000, "f32", {320}, {}}},
                               {"y", {0x200000, "bf16", {3, 256, 320}, {}}}};
  const Dimensions facts = {{"SMs", 148}};
  const LaunchPlan plan = planLaunch(kernel, arguments, {.dimensions = {}, .deviceFacts = &facts});
  std::byte bytes[sizeof(CUtensorMap)];
  for (const TensorMapRequest &map : plan.tensorMaps)
    CHECK_NOTHROW(encodeTensorMap(conformanceDevice(), map, bytes));
}
