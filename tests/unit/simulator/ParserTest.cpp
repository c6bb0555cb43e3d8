// Modules, functions and statements.
#include "tests/unit/simulator/ParsedText.h"

#include <catch2/catch.hpp>

using namespace mxc::sim::ptx;
using namespace mxc::test;

TEST_CASE("parser: the header is kept as facts") {
  Module module = parse("// c\n.version 9.4\n.target sm_103a, debug\n.address_size 64\n", "t");
  CHECK(module.version == "9.4");
  CHECK(module.target == "sm_103a");
}

TEST_CASE("parser: the text ends at a NUL") {
  Module module = parse(std::string_view(".version 8.0\n.target sm_90\n\0 rubbish", 37), "t");
  CHECK(module.functions.empty());
}

TEST_CASE("parser: an entry's head") {
  Module module = parsed(R"(
.visible .entry k(
  .param .u64 .ptr .global .align 1 k_0,
  .param .align 64 .b8 k_1[128],
  .param .b8 k_2[0], .param .u8 k_3)
.reqntid 128, 2 .maxntid 256 .minnctapersm 1 .maxnreg 64 .explicitcluster .reqnctapercluster 2,1,1
.maxclusterrank 8 .noreturn .pragma "nounroll"; .attribute(.unified(0x1, (2)))
{ ret; })");
  const Function &k = module.functions.at(0);
  CHECK(k.isEntry);
  CHECK_FALSE(k.isExtern);
  REQUIRE(k.parameters.size() == 4);
  CHECK(k.parameters[0].bytes == 8);
  CHECK(k.parameters[0].alignment == 8); // not its pointee's
  CHECK(k.parameters[0].space == Space::Param);
  CHECK(k.parameters[1].bytes == 128);
  CHECK(k.parameters[1].alignment == 64);
  CHECK(k.parameters[2].bytes == 0);
  CHECK(k.parameters[3].bytes == 1);
  CHECK(k.requiredThreads == std::array<uint32_t, 3>{128, 2, 1});
  CHECK(k.maximumThreads == std::array<uint32_t, 3>{256, 1, 1});
  CHECK(k.requiredCluster == std::array<uint32_t, 3>{2, 1, 1});
}

TEST_CASE("parser: functions are declared, then defined") {
  Module module = parsed(R"(
.extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);
.func g(.param .b32 x);
.weak .func (.param .b32 r) g(.param .b32 x) { call.uni g, (x); ret; }
.func g(.param .b32 x);)");
  REQUIRE(module.functions.size() == 2);
  CHECK(module.functions[0].isExtern);
  CHECK(module.functions[0].parameters.size() == 2);
  CHECK(module.functions[0].returns.at(0).name == "r");
  CHECK_FALSE(module.functions[1].isExtern);
  CHECK(module.functions[1].instructions.size() == 2);
  CHECK_FALSE(module.functions[1].isEntry);
}

TEST_CASE("parser: debug information is skipped") {
  Module module = parsed(R"(
.file 1 "a.cu"
.file 2 "b.cu", 1234, 99
.entry k() { .loc 1 2 3
.loc	1 10 5, function_name $L__info_string0, inlined_at 1 22 3
ret; .loc 1 4 5 // c
}
.section .debug_str
{ /* } */ .b8 65,66 // }
$L__info: .b8 "}" .b32 $L__a-$L__b { @ ` } }
.section .debug_info { }
.global .b32 x;)");
  CHECK(module.functions.at(0).instructions.size() == 1);
  CHECK(module.variables.at(0).name == "x");
}

TEST_CASE("parser: registers") {
  Function k =
      parsedBody(".reg .b32 %r<3>, a, %q<2>; .reg.b16 x; .reg .pred %p; .reg .v2 .f32 %v; .reg .b128 %w;"
                 ".reg .v2 .b32 %u<2>;");
  REQUIRE(k.registers.size() == 15);
  CHECK(k.registers[2].name == "%r2");
  CHECK(k.registers[3].name == "a");
  CHECK(k.registers[5].name == "%q1");
  CHECK(k.registers[6].type == typeNamed("b16"));
  CHECK(k.registers[7].type.kind == Type::Kind::Predicate);
  CHECK(k.registers[8].name == "%v.x");
  CHECK(k.registers[9].name == "%v.y");
  CHECK(k.registers[9].type == typeNamed("f32"));
  CHECK(k.registers[10].type.bits == 128);
  CHECK(k.registers[14].name == "%u1.y");
  for (const Register &reg : k.registers)
    CHECK(reg.scope == 0);
}

TEST_CASE("parser: instructions are words") {
  Function k = parsedBody(R"(.reg .pred p; .reg .b32 r<4>; .reg .b64 d;
@p st.shared::cta.v4.b32{r0, r1
, r2, r3}, /* no space */ [d]; @!p ret; ret.uni;
cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.L2::128B r0; mov .b32 r0, r1;)");
  REQUIRE(k.instructions.size() == 5);
  // `{` belongs to operands, `::` to words
  CHECK(k.instructions[0].opcode == "st");
  CHECK(k.instructions[0].modifiers == std::vector<std::string>{"shared::cta", "v4", "b32"});
  CHECK(k.instructions[0].place.line == 4);
  CHECK(k.instructions[0].place.column == 1);
  CHECK(k.instructions[0].guard == 0u);
  CHECK_FALSE(k.instructions[0].isGuardNegated);
  CHECK(k.instructions[1].isGuardNegated);
  CHECK(k.instructions[1].place.line == 5);
  CHECK(k.instructions[1].place.column == 32);
  CHECK_FALSE(k.instructions[2].guard);
  CHECK(k.instructions[3].spelling() ==
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.L2::128B");
  CHECK(k.instructions[3].has("L2::128B"));
  CHECK_FALSE(k.instructions[3].has("L2"));
  CHECK(k.instructions[4].spelling() == "mov.b32");
}

TEST_CASE("parser: calls") {
  Module module = parsed(R"(
.func (.param .b32 r) f(.param .b64 a);
.entry k() { .reg .b64 %rd1; .reg .b32 %r1;
{ .param .b64 param0; .param .b32 retval0;
  call.uni (retval0), f, (param0); call f; call (retval0), %rd1, (param0, 3), proto;
  proto : .callprototype (.param .b32 _) _ (.param .align 8 .b8 _[16], .param .b64 _) .noreturn; }
{ .param .b64 param0;
  call f, (param0); call f, (), proto;
  proto: .calltargets f; } })");
  const Function &k = module.functions.at(1);
  CHECK(k.variables.at(0).name == "param0");
  CHECK(k.variables.at(2).name == "param0@2");
  using Kind = Operand::Kind;
  const auto &call = k.instructions.at(2).operands;
  REQUIRE(call.size() == 4);
  CHECK(call[0].kind == Kind::List);
  CHECK(call[0].parts.at(0).name == "retval0");
  CHECK(call[1].kind == Kind::Register);
  CHECK(call[2].parts.at(1).bits == 3);
  CHECK(call[3].name == "proto");
  CHECK(k.instructions[0].operands.at(1).kind == Kind::Symbol);
  CHECK(k.instructions[0].operands.at(1).name == "f");
  CHECK(k.instructions[3].operands.at(1).parts.at(0).name == "param0@2");
  CHECK(k.instructions[4].operands.at(1).parts.empty());
  CHECK(k.instructions[4].operands.at(2).name == "proto@2");
  CHECK(k.targetLists.at(0).names.empty());
  CHECK(k.targetLists.at(1).names == std::vector<std::string>{"f"});
}
