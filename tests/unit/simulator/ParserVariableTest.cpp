// Variables and their initializers.
#include "tests/unit/simulator/ParsedText.h"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace mxc::sim::ptx;
using namespace mxc::test;

namespace {

Variable variable(const std::string &text) {
  return parsed(".global .b32 q; .func f();\n" + text).variables.at(1);
}

/// All bytes; those that no initializer names are zero.
std::vector<uint8_t> image(const std::string &text) {
  Variable v = variable(text);
  std::vector<uint8_t> bytes(v.bytes);
  for (const Initializer &piece : v.initializers)
    std::copy(piece.bytes.begin(), piece.bytes.end(), bytes.begin() + piece.offset);
  return bytes;
}

using Bytes = std::vector<uint8_t>;

} // namespace

TEST_CASE("parser: spaces, sizes, alignments") {
  Variable v = variable(".visible .global .align 16 .b8 x[3][4];");
  CHECK(v.space == Space::Global);
  CHECK(v.bytes == 12);
  CHECK(v.alignment == 16);
  CHECK(v.isVisible);
  CHECK_FALSE(v.isExtern);
  v = variable(".extern .shared .align 1024 .b8 smem[];");
  CHECK(v.space == Space::Shared);
  CHECK(v.bytes == 0);
  CHECK(v.alignment == 1024);
  CHECK(v.isExtern);
  CHECK(variable(".const .v4 .f32 x[2];").bytes == 32);
  CHECK(variable(".const .v4 .f32 x[2];").alignment == 16);
  CHECK(variable(".common .global .f64 x;").alignment == 8);
  CHECK(variable(".global .attribute(.managed) .align 4 .b8 x[1+3];").bytes == 4);
  CHECK(variable(".global .b32 x[0];").bytes == 0);
  Module module = parsed(".global .b32 a, b[2], c = 3;");
  REQUIRE(module.variables.size() == 3);
  CHECK(module.variables[1].bytes == 8);
  CHECK(module.variables[2].initializers.size() == 1);
}

TEST_CASE("parser: extern variables are defined before or after") {
  Module module = parsed(".extern .global .b32 x; .visible .global .b32 x = 5; .extern .global .b32 x;");
  REQUIRE(module.variables.size() == 1);
  CHECK_FALSE(module.variables[0].isExtern);
  CHECK(module.variables[0].initializers.size() == 1);
}

TEST_CASE("parser: local, shared and parameter variables of a body") {
  Function k =
      parsedBody(".local .align 8 .b8 __local_depot0[24]; .shared .align 128 .b8 s[64]; .param .b32 p;");
  REQUIRE(k.variables.size() == 3);
  CHECK(k.variables[0].space == Space::Local);
  CHECK(k.variables[1].space == Space::Shared);
  CHECK(k.variables[2].space == Space::Param);
}

TEST_CASE("parser: numbers as initializers") {
  CHECK(image(".global .b32 x = -2;") == Bytes{0xFE, 0xFF, 0xFF, 0xFF});
  CHECK(image(".global .u8 x[4] = {1, 255, -1};") == Bytes{1, 255, 255, 0});
  CHECK(image(".global .b16 x[] = {0x1234, 2-1};") == Bytes{0x34, 0x12, 1, 0});
  CHECK(image(".global .b128 x = -2;") ==
        Bytes{0xFE, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255});
  CHECK(image(".global .f32 x[3] = {0f3F800000, 1.0, -1};") ==
        Bytes{0, 0, 128, 63, 0, 0, 128, 63, 0, 0, 128, 0xBF});
  CHECK(image(".global .f64 x = 0d3FF0000000000000;") == Bytes{0, 0, 0, 0, 0, 0, 0xF0, 0x3F});
  CHECK(image(".global .f64 x = 0f3F800000;") == Bytes{0, 0, 0, 0, 0, 0, 0xF0, 0x3F});
  CHECK(image(".global .f32 x = 0fFF800001;") == Bytes{1, 0, 0x80, 0xFF}); // a signaling NaN stays one
  CHECK(image(".global .b32 x = 0f3F800000;") == Bytes{0, 0, 128, 63});
  CHECK(variable(".global .b8 x[4] = {1, 2, 3};").initializers.size() == 1);
}

TEST_CASE("parser: nested braces") {
  CHECK(image(".global .b8 x[2][3] = {{1, 2}, {3}};") == Bytes{1, 2, 0, 3, 0, 0});
  CHECK(image(".global .b8 x[][2] = {{1}, {}, {2, 3}};") == Bytes{1, 0, 0, 0, 2, 3});
  CHECK(image(".const .v2 .b16 x = {1, 2};") == Bytes{1, 0, 2, 0});
  CHECK(image(".const .v2 .b8 x[2] = {{1, 2}, {3, 4}};") == Bytes{1, 2, 3, 4});
  CHECK(image(".global .b8 x[2][1][2] = {{{1, 2}}, {{3}}};") == Bytes{1, 2, 3, 0});
}

TEST_CASE("parser: strings") {
  CHECK(image(".global .b8 x[5] = \"a\\n\\\"\";") == Bytes{'a', '\n', '"', 0, 0});
  CHECK(image(".global .b8 x[] = \"ab\";") == Bytes{'a', 'b', 0});
}

TEST_CASE("parser: addresses as initializers") {
  Variable v = variable(".global .align 8 .u64 x[5] = {q, 7, generic(q)+8, q-4, f};");
  REQUIRE(v.initializers.size() == 5);
  CHECK(v.initializers[0].symbol == "q");
  CHECK(v.initializers[0].offset == 0);
  CHECK_FALSE(v.initializers[0].isGeneric);
  CHECK(v.initializers[1].bytes.size() == 8);
  CHECK(v.initializers[2].offset == 16);
  CHECK(v.initializers[2].isGeneric);
  CHECK(v.initializers[2].addend == 8);
  CHECK(v.initializers[3].addend == -4);
  CHECK(v.initializers[4].symbol == "f");
  CHECK(variable(".global .u64 x = generic(later); .global .b8 later[4];").initializers[0].symbol == "later");
}

TEST_CASE("parser: an address told byte by byte") {
  Variable v =
      variable(".global .u8 x[10] = {9, 0xff(q), 0xff00(q), 0xff0000(q), 0xff000000(q), 0xff00000000(q), "
               "0xff0000000000(q), 0xff000000000000(q), 0xff00000000000000(q), 8};");
  REQUIRE(v.initializers.size() == 3);
  CHECK(v.initializers[1].symbol == "q");
  CHECK(v.initializers[1].offset == 1);
  CHECK(v.initializers[2].offset == 9);
}
