// Blocks with names of their own, and what branches find.
#include "tests/unit/simulator/ParsedText.h"

#include <catch2/catch.hpp>

using namespace mxc::sim::ptx;
using namespace mxc::test;

namespace {
uint32_t targetOf(const Function &function, size_t instruction) {
  return function.instructions.at(instruction).operands.at(0).target;
}
} // namespace

TEST_CASE("parser: a branch goes to the label of the innermost block around it") {
  Function k = parsedBody(R"(
bra DONE;
{ LAB: bra LAB; bra DONE; DONE: }
{ LAB: nop; bra LAB; bra DONE; { bra DONE; DONE: nop; } DONE: nop; }
DONE: bra END;
END:)");
  REQUIRE(k.instructions.size() == 10);
  CHECK(targetOf(k, 0) == 9);
  CHECK(targetOf(k, 1) == 1);
  CHECK(targetOf(k, 2) == 3);
  CHECK(targetOf(k, 4) == 3);
  CHECK(targetOf(k, 5) == 8);
  CHECK(targetOf(k, 6) == 7);
  CHECK(targetOf(k, 9) == 10); // the end
}

TEST_CASE("parser: a branch from deep inside finds a label outside, before or after it") {
  Function k = parsedBody("$L__BB0_1: nop; { { bra $L__BB0_2; bra $L__BB0_1; } } $L__BB0_2: ret;");
  CHECK(targetOf(k, 1) == 3);
  CHECK(targetOf(k, 2) == 0);
}

TEST_CASE("parser: a branch prefers a label to an outer register or variable of that name") {
  Function k = parsedBody(".reg .b32 DONE; .shared .b32 W; { bra DONE; bra W; DONE: W: nop; }");
  CHECK(targetOf(k, 0) == 2);
  CHECK(targetOf(k, 1) == 2);
}

TEST_CASE("parser: blocks declare registers anew") {
  Function k = parsedBody(R"(.reg .b32 x, y;
{ .reg .pred x; @x mov.b32 y, y; { .reg .b64 y; op x, y; } op y; }
{ .reg .b16 x<2>; op x0, x; } op x;)");
  using Kind = Type::Kind;
  REQUIRE(k.registers.size() == 6);
  CHECK(k.registers[2].type.kind == Kind::Predicate);
  CHECK(k.registers[2].scope == 1);
  CHECK(k.registers[3].scope == 2);
  CHECK(k.registers[4].scope == 3);
  CHECK(k.instructions[0].guard == 2u);
  CHECK(k.instructions[0].scope == 1);
  CHECK(k.instructions[1].operands[0].reg == 2);
  CHECK(k.instructions[1].operands[1].reg == 3);
  CHECK(k.instructions[2].operands[0].reg == 1);
  CHECK(k.instructions[3].operands[0].reg == 4);
  CHECK(k.instructions[3].operands[1].reg == 0);
  CHECK(k.instructions[4].operands[0].reg == 0);
}

TEST_CASE("parser: variables of blocks get names that nothing else has") {
  Module module = parsed(R"(.global .b32 x;
.entry k(.param .b32 p) { op x; { .shared .b32 x; .local .b8 p[4]; .shared .b8 z; op x, p, z; } { .shared .b64 z; op [z]; }
  .global .b32 table = 1; op table, x, p; }
.entry j(.param .b32 x) { .global .b32 table = 2; op table, [x]; })");
  const Function &k = module.functions.at(0), &j = module.functions.at(1);
  REQUIRE(k.variables.size() == 4);
  CHECK(k.variables[0].name == "x@2");
  CHECK(k.variables[1].name == "p@2");
  CHECK(k.variables[2].name == "z");
  CHECK(k.variables[3].name == "z@2");
  CHECK(k.instructions[0].operands[0].name == "x");
  CHECK(k.instructions[1].operands[0].name == "x@2");
  CHECK(k.instructions[1].operands[1].name == "p@2");
  CHECK(k.instructions[2].operands[0].parts[0].name == "z@2");
  CHECK(k.instructions[3].operands[0].name == "table@k");
  CHECK(k.instructions[3].operands[2].name == "p");
  REQUIRE(module.variables.size() == 3);
  CHECK(module.variables[2].name == "table@j");
  CHECK(j.instructions[0].operands[1].parts[0].name == "x"); // its parameter
}

TEST_CASE("parser: lists of branch targets") {
  Function k = parsedBody(R"(.reg .b32 %r1;
ts: .branchtargets L1, L0, L1;
brx.idx %r1, ts;
L0: { brx.idx.uni %r1, ts; ts: .branchtargets L0, L1; L1: nop; }
L1: ret;)");
  REQUIRE(k.targetLists.size() == 2);
  CHECK(k.targetLists[0].targets == std::vector<uint32_t>{3, 1, 3});
  CHECK(k.targetLists[0].names == std::vector<std::string>{"L1", "L0", "L1"});
  CHECK(k.targetLists[1].targets == std::vector<uint32_t>{1, 2});
  CHECK(k.instructions[0].operands[1].name == "ts");
  CHECK(k.instructions[1].operands[1].name == k.targetLists[1].name);
}
