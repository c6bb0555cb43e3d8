// Operands and the numbers in them.
#include "tests/unit/simulator/ParsedText.h"

#include <catch2/catch.hpp>

#include <cstdint>

using namespace mxc::sim::ptx;
using namespace mxc::test;

using Kind = Operand::Kind;

TEST_CASE("parser: integers") {
  struct Case {
    const char *text;
    int64_t bits;
  };
  const auto [text, bits] = GENERATE(values<Case>({
      {"12", 12},
      {"-1", -1},
      {"0x1F", 31},
      {"0x5410U", 0x5410},
      {"0b101", 5},
      {"017", 15},
      {"0", 0},
      {"10U", 10},
      {"18446744073709551615", -1},
      {"-9223372036854775808", INT64_MIN},
      {"0xffffffffffffffff", -1},
      {"(1+2)", 3},
      {"(1+2)*3-4/2", 7},
      {"1+2*3<<1", 14},
      {"10 % 4", 2},
      {"-7/2", -3},
      {"-1 >> 1", -1},
      {"-1U >> 63", 1},
      {"1 << 64", 0},
      {"!0", 1},
      {"!3", 0},
      {"~0", -1},
      {"- - 5", 5},
      {"+5", 5},
      {"WARP_SZ", 32},
      {"WARP_SZ-1", 31},
      {"!WARP_SZ", 0},
      {"1 ? 2 : 3", 2},
      {"0 ? 2 : 0 ? 4 : 5", 5},
      {"1 == 1 && 2 != 2 || 3 >= 3", 1},
      {"6 & 3 | 8 ^ 1", 11},
      {"-1 < 1", 1},
      {"-1 < 1U", 0},
      {"(.u64)-1 > (.s64)0", 1},
      {"(.s64)18446744073709551615 < 0", 1},
      {"(.s64)(-9223372036854775807-1) / -1", INT64_MIN},
  }));
  CAPTURE(text);
  Operand operand = parsedOperand(text);
  CHECK(operand.kind == Kind::Integer);
  CHECK(operand.bits == bits);
}

TEST_CASE("parser: floats") {
  const auto check = [](const char *text, Kind kind, uint64_t bits) {
    CAPTURE(text);
    Operand operand = parsedOperand(text);
    CHECK(operand.kind == kind);
    CHECK(uint64_t(operand.bits) == bits);
  };
  check("0f3F800000", Kind::Float32, 0x3F800000);
  check("0Fff800000", Kind::Float32, 0xFF800000);
  check("-0f3F800000", Kind::Float32, 0xBF800000);
  check("0d3FF0000000000000", Kind::Float64, 0x3FF0000000000000);
  check("0D7FF8000000000000", Kind::Float64, 0x7FF8000000000000);
  check("1.5", Kind::Float64, 0x3FF8000000000000);
  check("-1.5", Kind::Float64, 0xBFF8000000000000);
  check("15e-1", Kind::Float64, 0x3FF8000000000000);
  check("0.15E+1", Kind::Float64, 0x3FF8000000000000);
  check("2.", Kind::Float64, 0x4000000000000000);
}

TEST_CASE("parser: registers, special registers, sinks") {
  CHECK(parsedOperand("%r2").kind == Kind::Register);
  CHECK(parsedOperand("%r2").reg == 6);
  CHECK(parsedOperand("!%p1").isNegated);
  CHECK(parsedOperand("!%p1").reg == 1);
  CHECK(parsedOperand("%v.x").reg == 8);
  CHECK(parsedOperand("%v.w").reg == 11);
  CHECK(parsedOperand("%v.g").reg == 9);
  CHECK(parsedOperand("%v").kind == Kind::Vector);
  CHECK(parsedOperand("%v").parts.at(3).reg == 11);
  CHECK(parsedOperand("%r1.b3").name == "b3");
  CHECK(parsedOperand("%r1.h10").name == "h10");
  CHECK(parsedOperand("_").kind == Kind::Sink);
  for (const char *name :
       {"tid.x", "ntid.y", "cluster_ctaid.z", "nclusterid.w", "laneid", "lanemask_ge", "clock64",
        "globaltimer_lo", "dynamic_smem_size", "reserved_smem_offset_cap", "reserved_smem_offset_1",
        "current_graph_exec", "envreg31", "pm7_64", "is_explicit_cluster"}) {
    CAPTURE(name);
    Operand operand = parsedOperand(std::string("%") + name);
    CHECK(operand.kind == Kind::Special);
    CHECK(operand.name == name);
  }
  CHECK(parsedOperand("%ctaid").parts.at(2).name == "ctaid.z");
  // What is declared hides what is special.
  CHECK(parsedBody(".reg .b32 %laneid; op %laneid;").instructions[0].operands[0].kind == Kind::Register);
}

TEST_CASE("parser: symbols") {
  CHECK(parsedOperand("g").kind == Kind::Symbol);
  CHECK(parsedOperand("g").name == "g");
  CHECK(parsedOperand("s+12").offset == 12);
  CHECK(parsedOperand("s - 4").offset == -4);
  CHECK(parsedOperand("q").name == "q");
  CHECK(parsedOperand("f").name == "f");
}

TEST_CASE("parser: addresses") {
  const auto check = [](const char *text, Kind base, int64_t offset) {
    CAPTURE(text);
    Operand operand = parsedOperand(text);
    CHECK(operand.kind == Kind::Address);
    REQUIRE(operand.parts.size() == 1);
    CHECK(operand.parts[0].kind == base);
    CHECK(operand.parts[0].offset == 0);
    CHECK(operand.offset == offset);
  };
  check("[%rd1]", Kind::Register, 0);
  check("[%rd1+12]", Kind::Register, 12);
  check("[%rd1+-16]", Kind::Register, -16);
  check("[%rd1 - 4]", Kind::Register, -4);
  check("[ %rd1 + 0 ]", Kind::Register, 0);
  check("[%rd1+4*2+1]", Kind::Register, 9);
  check("[%rd1+(1<<4)]", Kind::Register, 16);
  check("[%v.y+4]", Kind::Register, 4);
  check("[s]", Kind::Symbol, 0);
  check("[s+0x10]", Kind::Symbol, 16);
  check("[128]", Kind::Integer, 0);
  CHECK(parsedOperand("[128+4]").parts[0].bits == 132);
  CHECK(parsedOperand("[-1]").parts[0].bits == -1);
}

TEST_CASE("parser: addresses of tensors") {
  Operand two = parsedOperand("[%rd1, {%r1, %r2}]");
  REQUIRE(two.parts.size() == 2);
  CHECK(two.parts[1].kind == Kind::Vector);
  CHECK(two.parts[1].parts.at(1).reg == 6);
  Operand three = parsedOperand("[g, {%r1, 0, -1}, { %r3 } ]");
  REQUIRE(three.parts.size() == 3);
  CHECK(three.parts[1].parts.at(2).bits == -1);
  CHECK(three.parts[2].parts.size() == 1);
}

TEST_CASE("parser: vectors and pairs") {
  Operand vector = parsedOperand("{%r1, _,0x1, 0f00000000, {%r2}}");
  CHECK(vector.kind == Kind::Vector);
  REQUIRE(vector.parts.size() == 5);
  CHECK(vector.parts[1].kind == Kind::Sink);
  CHECK(vector.parts[3].kind == Kind::Float32);
  CHECK(parsedOperand("{ %r1 }").parts.size() == 1);
  Operand pair = parsedOperand("%r1|%p2");
  CHECK(pair.kind == Kind::Pair);
  CHECK(pair.parts.at(0).reg == 5);
  CHECK(pair.parts.at(1).reg == 2);
  CHECK(parsedOperand("_|%p2").parts.at(0).kind == Kind::Sink);
  CHECK(parsedOperand("%p0 | _").parts.at(1).kind == Kind::Sink);
}
