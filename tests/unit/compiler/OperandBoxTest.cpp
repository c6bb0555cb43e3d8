// What a row of the table of a stage's boxes says of bytes: those that a barrier counts, and those that lie
// in the stage.
#include "tests/unit/compiler/OperandBoxes.h"

#include <catch2/catch.hpp>

TEST_CASE("a box of rows is as long as its elements are", "[boxes]") {
  CHECK(bytesOf({.type = "memref<?x?xf8E4M3FN>", .rows = 128, .step = 128}) == BoxBytes{16384, 16384, 16384});
  CHECK(bytesOf({.type = "memref<?x?xf4E2M1FN>", .rows = 128, .step = 256}) == BoxBytes{16384, 16384, 16384});
  CHECK(bytesOf({.type = "memref<?x?xf4E2M1FN>", .rows = 128, .step = 128}) == BoxBytes{8192, 8192, 8192});
}

TEST_CASE("an operand without scales is a row like another", "[boxes]") {
  CHECK(bytesOf({.type = "memref<?x?xbf16>", .rows = 96, .step = 64}) == BoxBytes{12288, 12288, 12288});
}

TEST_CASE("padded elements take a byte each in the stage, and fewer in the copy", "[boxes]") {
  CHECK(bytesOf({.type = "memref<?x?xf4E2M1FN>", .content = "padded", .rows = 64, .step = 128}) ==
        BoxBytes{4096, 8192, 8192});
  CHECK(bytesOf({.type = "memref<?x?xf6E3M2FN>", .content = "padded", .rows = 64, .step = 128}) ==
        BoxBytes{6144, 8192, 8192});
}

TEST_CASE("a region has the halves of both CTAs, copy after copy", "[boxes]") {
  CHECK(bytesOf({.type = "memref<?x?xf8E4M3FN>", .rows = 16, .step = 512, .copies = 4, .toBoth = true}) ==
        BoxBytes{2048, 4096, 16384});
}

TEST_CASE("scales are whole tiles, half a tile, or lines of rows", "[boxes]") {
  const std::string tiles = "memref<?x?xf8E8M0FNU>", lines = "memref<?x?xf32>";
  CHECK(bytesOf({.type = tiles, .content = "tiles", .rows = 256, .step = 3}) == BoxBytes{3072, 3072, 3072});
  CHECK(bytesOf({.type = tiles, .content = "tiles", .rows = 64, .step = 2, .copies = 2, .toBoth = true}) ==
        BoxBytes{256, 512, 1024});
  CHECK(bytesOf({.type = lines, .content = "lines", .rows = 48, .step = 4}) == BoxBytes{768, 768, 768});
}
