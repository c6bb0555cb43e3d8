// The arithmetic of bulk reductions, to the bits of an H200.
#include "runtime/simulator/async/TensorBox.h"

#include <catch2/catch.hpp>

using namespace mxc::sim;

namespace {

template <class T>
std::vector<T> reduced(const char *operation, const char *type, std::vector<T> a, const std::vector<T> &b) {
  BulkReduction function = bulkReduction(operation, type);
  REQUIRE(function);
  function(reinterpret_cast<std::byte *>(a.data()), reinterpret_cast<const std::byte *>(b.data()),
           a.size() * sizeof(T));
  return a;
}

} // namespace

TEST_CASE("reductions give what an H200 gave") {
  using Words = std::vector<uint32_t>;
  using Halves = std::vector<uint16_t>;
  const Words f32a = {0x00000001, 0x807fffff, 0x3f800fff, 0x3f801000, 0x3f801001, 0x7fc12345, 0x7f800001,
                      0xff800000, 0x7f7fffff, 0x00800000, 0x80000000, 0x00000000, 0x3f800000, 0x00400000},
              f32b = {0x00000001, 0x00000001, 0x3f800000, 0x00000003, 0x33800000, 0x3f800000, 0x3f800000,
                      0x7f800000, 0x7f7fffff, 0x80400000, 0x00000000, 0x80000000, 0xff812345, 0x7fc00001};
  CHECK(reduced("add", "f32", f32a, f32b) == Words{0x00000002, 0x807ffffe, 0x40000800, 0x3f801000, 0x3f801002,
                                                   0x7fffffff, 0x7fffffff, 0x7fffffff, 0x7f800000, 0x00400000,
                                                   0x00000000, 0x00000000, 0x7fffffff, 0x7fffffff});
  CHECK(reduced("add", "f32.ftz", f32a, f32b) ==
        Words{0x00000000, 0x00000000, 0x40000800, 0x3f801000, 0x3f801002, 0x7fffffff, 0x7fffffff, 0x7fffffff,
              0x7f800000, 0x00800000, 0x00000000, 0x00000000, 0x7fffffff, 0x7fffffff});
  const Halves f16a = {0x0001, 0x83ff, 0x3c00, 0x7bff, 0x7e01, 0x7c01, 0xfc00, 0x8000,
                       0x0000, 0x3555, 0x0400, 0xfbff, 0x7c00, 0x3c01, 0x0200, 0xbc00},
               f16b = {0x0001, 0x0001, 0x1000, 0x4c00, 0x3c00, 0x3c00, 0x7c00, 0x0000,
                       0x8000, 0x1801, 0x8001, 0xcc00, 0x3c00, 0x1001, 0xfe01, 0xfd00};
  CHECK(reduced("add", "f16", f16a, f16b) == Halves{0x0002, 0x83fe, 0x3c00, 0x7c00, 0x7fff, 0x7fff, 0x7fff,
                                                    0x0000, 0x0000, 0x355d, 0x03ff, 0xfc00, 0x7c00, 0x3c02,
                                                    0x7fff, 0x7fff});
  CHECK(reduced("min", "f16", f16a, f16b) == Halves{0x0001, 0x83ff, 0x1000, 0x4c00, 0x3c00, 0x3c00, 0xfc00,
                                                    0x8000, 0x8000, 0x1801, 0x8001, 0xfbff, 0x3c00, 0x1001,
                                                    0x0200, 0xbc00});
  CHECK(reduced("max", "f16", f16a, f16b) == Halves{0x0001, 0x0001, 0x3c00, 0x7bff, 0x3c00, 0x3c00, 0x7c00,
                                                    0x0000, 0x0000, 0x3555, 0x0400, 0xcc00, 0x7c00, 0x3c01,
                                                    0x0200, 0xbc00});
  const Halves bf16a = {0x0001, 0x807f, 0x3f80, 0x7f7f, 0x7fc1, 0x7f81, 0xff80, 0x8000,
                        0x0000, 0x3eab, 0x0080, 0xff7f, 0x7f80, 0x3f81, 0x0040, 0xbf80},
               bf16b = {0x0001, 0x0001, 0x3b80, 0x7b00, 0x3f80, 0x3f80, 0x7f80, 0x0000,
                        0x8000, 0x3c01, 0x8001, 0xfb00, 0x3f80, 0x3b81, 0xffc1, 0xffa0};
  CHECK(reduced("add", "bf16", bf16a, bf16b) == Halves{0x0002, 0x807e, 0x3f80, 0x7f80, 0x7fff, 0x7fff, 0x7fff,
                                                       0x0000, 0x0000, 0x3eaf, 0x007f, 0xff80, 0x7f80, 0x3f82,
                                                       0x7fff, 0x7fff});
  using Longs = std::vector<uint64_t>;
  const Longs f64a = {1,
                      0x800fffffffffffff,
                      0x3ff0000000000000,
                      0x7ff8000000012345,
                      0x7ff0000000000001,
                      0xfff0000000000000,
                      0x8000000000000000},
              f64b = {1, 1, 0x3ca0000000000001, 0x3ff0000000000000, 0x3ff0000000000000, 0x7ff0000000000000,
                      0};
  CHECK(reduced("add", "f64", f64a, f64b) == Longs{2, 0x800ffffffffffffe, 0x3ff0000000000001,
                                                   0x7ff8000000012345, 0x7ff0000000000001, 0xfff8000000000000,
                                                   0});
  const Words a = {0, 1, 5, 6, 7, 0xffffffff, 0x80000000, 0x7fffffff, 3, 9},
              b = {0, 0, 5, 5, 5, 0xffffffff, 1, 0x80000000, 9, 3};
  CHECK(reduced("inc", "u32", a, b) == Words{0, 0, 0, 0, 0, 0, 0, 0x80000000, 4, 0});
  CHECK(reduced("dec", "u32", a, b) == Words{0, 0, 4, 5, 5, 0xfffffffe, 1, 0x7ffffffe, 2, 3});
  CHECK(reduced("min", "s32", a, b) == Words{0, 0, 5, 5, 5, 0xffffffff, 0x80000000, 0x80000000, 3, 3});
  CHECK(reduced("max", "u32", a, b) == Words{0, 1, 5, 6, 7, 0xffffffff, 0x80000000, 0x80000000, 9, 9});
  for (const char *operation : {"min", "max", "and", "inc"})
    CHECK_FALSE(tensorReduction(operation, TensorMapType::F32));
  CHECK_FALSE(tensorReduction("add", TensorMapType::S64));
  CHECK_FALSE(tensorReduction("add", TensorMapType::U16));
  CHECK_FALSE(tensorReduction("xor", TensorMapType::S64));
}
