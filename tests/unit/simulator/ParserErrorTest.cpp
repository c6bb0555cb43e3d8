// What is refused, and where it says so.
#include "tests/unit/simulator/ParsedText.h"

#include <catch2/catch.hpp>

using namespace mxc::test;

namespace {
struct Case {
  const char *text, *error;
};
std::string repeated(const std::string &text, size_t times) {
  std::string all;
  for (size_t i = 0; i < times; ++i)
    all += text;
  return all;
}
} // namespace

TEST_CASE("parser: errors of the header") {
  CHECK(errorOf("") == "t:1:1: error: expected .version, with which PTX begins, got the end of the text");
  CHECK(errorOf(".version x") == "t:1:10: error: expected a version such as 8.8, got 'x'");
  CHECK(errorOf(".version 8.8\n.entry k") == "t:2:1: error: expected .target after .version, got '.entry'");
  CHECK(errorOf(".version 8.8 .target sm_90 .address_size 32") ==
        "t:1:42: error: only 64-bit addresses are simulated");
}

TEST_CASE("parser: errors of a module") { // its text begins in line 2
  const auto [text, error] = GENERATE(values<Case>({
      {"  foo", "t:2:3: error: expected a directive, got 'foo'"},
      {".foo x;", "t:2:1: error: expected a directive of a module, got '.foo'"},
      {".alias f, g;", "t:2:1: error: '.alias' is not supported here"},
      {".tex .u64 t;", "t:2:1: error: '.tex' is not supported here"},
      {".local .b32 x;", "t:2:1: error: expected a directive of a module, got '.local'"},
      {".global .texref t;", "t:2:9: error: textures and surfaces are not supported"},
      {".global .b33 x;", "t:2:9: error: expected a type of a variable, got '.b33'"},
      {".global .b32 x", "t:2:15: error: expected ';' after a variable, got the end of the text"},
      {".global .b32 x; .global .b32 x;", "t:2:30: error: 'x' is declared twice in this module"},
      {".global .b32 x; .func x();", "t:2:23: error: 'x' is declared twice in this module"},
      {".entry k() {} .entry k() {}", "t:2:22: error: 'k' is declared twice in this module"},
      {".global .align 3 .b32 x;", "t:2:16: error: expected a power of two as alignment, got 3"},
      {".global .b32 x[-1];", "t:2:16: error: expected an array's size from 0 to 1099511627776, got -1"},
      {".global .b32 x[4294967296][4294967296];", "t:2:28: error: 'x' is larger than 2^40 bytes"},
      {".global .b32 x[2] = 1;", "t:2:21: error: expected '{' before the elements of an array, got '1'"},
      {".global .b8 x[2] = {1, 2, 3};", "t:2:27: error: more initializers than elements"},
      {".global .b8 x[2] = {{1}, 2};", "t:2:21: error: expected an initializer, got '{'"},
      {".global .b8 x = {1};", "t:2:17: error: more braces than dimensions"},
      {".global .b8 x = 256;", "t:2:17: error: an initializer does not fit in 8 bits"},
      {".global .b8 x[8] = {0xff(x), 0xff(x)};",
       "t:2:30: error: expected all eight bytes of an address, one after the other"},
      {".global .b32 y = x;", "t:2:18: error: an address initializes only 64 bits"},
      {".global .u64 y = x;", "t:2:18: error: undeclared name 'x'"},
      {".global .u16 y = 1.5;", "t:2:18: error: a floating-point number does not initialize this type"},
      {".shared .b32 y = 1;",
       "t:2:16: error: only .global and .const variables that are not .extern may be initialized"},
      {".func f(.reg .pred x);", "t:2:20: error: predicates live in registers only"},
      {".func f(.reg .b32 x[2]);", "t:2:9: error: expected a register, got an array"},
      {".func f(.reg .b32 x, .reg .b32 x);", "t:2:32: error: 'x' is declared twice in this scope"},
      {".entry k(.reg .b32 x) {}",
       "t:2:10: error: expected '.param': a kernel has no parameters in registers"},
      {".func f(.param .b32 x, .param .b32 x);", "t:2:36: error: 'x' is declared twice in this scope"},
      {".entry k() .foo {}", "t:2:12: error: expected a function's body, got '.foo'"},
      {".entry k() .maxntid 0 {}", "t:2:21: error: expected a number of threads from 1 to 4294967295, got 0"},
      {".extern .func f() {}", "t:2:19: error: expected ';' after an .extern function, got '{'"},
      {".entry k()\n{ ret;\n",
       "t:4:1: error: expected '}' to end the function of line 3, got the end of the text"},
      {"/* x", "t:2:1: error: expected '*/' to end this comment, got the end of the text"},
      {".pragma \"x\n\";", "t:2:9: error: expected '\"' to end this string in its line"},
      {".section .x {\n{}", "t:2:13: error: expected '}' to end this section, got the end of the text"},
      {"\x80", "t:2:1: error: byte 0x80 begins nothing in PTX"},
      {" #", "t:2:2: error: '#' begins nothing in PTX"},
  }));
  CHECK(moduleError(text) == error);
}

TEST_CASE("parser: errors of a body") { // its text begins in line 3
  const auto [text, error] = GENERATE(values<Case>({
      {"ret", "t:4:1: error: expected an operand, got '}'"},
      {".reg .b32 a, b;\nmov.b32 a, b\nret;",
       "t:5:1: error: expected ',' or ';' after an operand, got 'ret'"},
      {"mov.b32 %r1, 0;", "t:3:9: error: undeclared name '%r1'"},
      {"op x;", "t:3:4: error: undeclared name 'x'"},
      {"op [x];", "t:3:5: error: undeclared name 'x'"},
      {"op z; op y; { bra x; }", "t:3:4: error: undeclared name 'z'"},
      {"{ L: ret; } bra L;", "t:3:17: error: undeclared name 'L'"},
      {"bra L; L: .branchtargets M; M: ret;", "t:3:5: error: undeclared name 'L'"},
      {"call f;", "t:3:6: error: undeclared name 'f'"},
      {"L: L: ret;", "t:3:4: error: 'L' is declared twice in this scope"},
      {".reg .b32 L; L: ret;", "t:3:14: error: 'L' is declared twice in this scope"},
      {".reg .b32 a; .reg .b64 b, a;", "t:3:27: error: 'a' is declared twice in this scope"},
      {".reg .b32 r<3>; .reg .b32 r2;", "t:3:27: error: 'r2' is declared twice in this scope"},
      {".reg .b32 r1; .reg .b32 r<3>;", "t:3:25: error: 'r1' is declared twice in this scope"},
      {".reg .b32 %r<4000000000>;", "t:3:14: error: more than 1000000 registers in a function"},
      {".reg .b32 %r<600000>, %s<600000>;", "t:3:23: error: more than 1000000 registers in a function"},
      {".reg .b32 %r<-1>;", "t:3:14: error: expected a number of registers, got '-'"},
      {".reg .v8 .b32 %r;", "t:3:15: error: expected registers of at most four components, got '%r'"},
      {".reg .b32 r; @r ret;", "t:3:15: error: expected a predicate after '@', got 'r'"},
      {"@q ret;", "t:3:2: error: undeclared name 'q'"},
      {"op 0x;", "t:3:4: error: expected an integer of 64 bits, got '0x'"},
      {"op 09;", "t:3:4: error: expected an integer of 64 bits, got '09'"},
      {"op 12q;", "t:3:4: error: expected an integer of 64 bits, got '12q'"},
      {"op 18446744073709551616;",
       "t:3:4: error: expected an integer of 64 bits, got '18446744073709551616'"},
      {"op 0f3F8;", "t:3:4: error: expected a floating-point number, got '0f3F8'"},
      {"op 1.5q;", "t:3:4: error: expected a floating-point number, got '1.5q'"},
      {"op 1e999;", "t:3:4: error: expected a floating-point number, got '1e999'"},
      {"op 1/0;", "t:3:5: error: division by zero in a constant expression"},
      {"op %tid.q;", "t:3:8: error: '%tid' has no component '.q'"},
      {".reg .v2 .b32 v; op v.z;", "t:3:22: error: 'v' has no component '.z'"},
      {".reg .b32 r; op r.x;", "t:3:18: error: 'r' has no component '.x'"},
      {".reg .b32 r; op [r+r];", "t:3:20: error: expected a number, got 'r'"},
      {".reg .b32 r; op [r;", "t:3:19: error: expected ']' after an address, got ';'"},
      {".reg .b32 r; op {r r};", "t:3:20: error: expected ',' or '}' in a list, got 'r'"},
      {"op [{}];", "t:3:5: error: expected an operand, got '{'"},
      {"op [_];", "t:3:5: error: expected a register, a variable or a number as address"},
      {"op !_;", "t:3:4: error: expected a predicate after '!'"},
      {".shared .b8 s[4]; op s[1];",
       "t:3:23: error: indexing with brackets is not supported, write the byte offset"},
      {".maxntid 3;", "t:3:1: error: expected a statement, got '.maxntid'"},
      {";", "t:3:1: error: expected an instruction, got ';'"},
      {"%op;", "t:3:1: error: expected an instruction, got '%op'"},
      {".loc 1 2", "t:4:1: error: expected a column, got '}'"},
      {"p: .calltargets g;", "t:3:17: error: 'g' is no function"},
  }));
  CHECK(bodyError(text) == error);
}

TEST_CASE("parser: nesting is limited") {
  const std::string tooDeep = "nested deeper than 256";
  CHECK_THAT(bodyError(repeated("{", 300)), Catch::Contains("t:3:256: error: " + tooDeep));
  CHECK(bodyError(repeated("{", 255) + repeated("}", 255)) == "no error");
  for (const char *open : {"{", "[1,", "-", "(", "!", "1?1:", "1?(", "1+-"})
    CHECK_THAT(bodyError("op " + repeated(open, 100'000)),
               Catch::Contains(tooDeep) || Catch::Contains("expected"));
  CHECK_THAT(bodyError("op " + repeated("(", 100'000)), Catch::Contains(tooDeep));
  CHECK_THAT(bodyError("op " + repeated("{", 100'000)), Catch::Contains(tooDeep));
  CHECK_THAT(bodyError("op " + repeated("-", 100'000) + "1;"), Catch::Contains(tooDeep));
  CHECK(bodyError("op 1" + repeated("+1", 100'000) + ";") == "no error");
  CHECK_THAT(moduleError(".global .b8 x" + repeated("[1]", 300) + " = " + repeated("{", 300)),
             Catch::Contains(tooDeep));
}

TEST_CASE("parser: the registers of a whole module are limited") {
  std::string text;
  for (char name = 'a'; name < 'e'; ++name)
    text += std::string(".entry ") + name + "() { .reg .b32 %r<999999>; }\n";
  CHECK(moduleError(text) == "t:4:24: error: too many registers in a module");
}

TEST_CASE("parser: many names and labels take linear time") {
  std::string text = repeated("{", 250) + repeated("bra a;", 20'000);
  for (int level = 0; level < 250; ++level)
    text += "b: c: }";
  CHECK(bodyError(text + "a:") == "no error");
}
