// The tables of instructions: a row says everything, and nothing by default.
#include "runtime/simulator/decode/Table.h"

#include <catch2/catch.hpp>

#include <set>

using namespace mxc::sim;

namespace {

ptx::Instruction instruction(const std::string &opcode, std::vector<std::string> modifiers) {
  ptx::Instruction result;
  result.opcode = opcode;
  result.modifiers = std::move(modifiers);
  return result;
}

Order orderOf(const ptx::Instruction &source) { return tableRowOf(source.opcode)->order.of(source); }
Unwritten unwrittenOf(const ptx::Instruction &source) {
  return tableRowOf(source.opcode)->unwritten.of(source);
}

} // namespace

TEST_CASE("a row that lacks a column does not compile") {
  using Name = const char *;
  STATIC_REQUIRE(std::is_constructible_v<TableRow, Name, Decode, Counted, Unwritten, Order>);
  STATIC_REQUIRE_FALSE(std::is_constructible_v<TableRow, Name, Decode>);
  STATIC_REQUIRE_FALSE(std::is_constructible_v<TableRow, Name, Decode, Counted>);
  STATIC_REQUIRE_FALSE(std::is_constructible_v<TableRow, Name, Decode, Counted, Unwritten>);
  STATIC_REQUIRE_FALSE(std::is_constructible_v<TableRow, Name, Decode, Counted, Order>);
  STATIC_REQUIRE_FALSE(std::is_constructible_v<TableRow, Name, Decode, Unwritten, Order>);
}

TEST_CASE("an opcode stands in one row, which is counted in a class") {
  std::set<std::string_view> opcodes;
  for (const Table *table : allTables())
    for (const TableRow &row : *table) {
      CAPTURE(row.opcode);
      CHECK(opcodes.insert(row.opcode).second);
      CHECK((row.choose != nullptr) != (row.decode != nullptr));
      if (row.decode) CHECK(row.counted != Counted::Other);
    }
  CHECK(opcodes.size() > 100);
}

TEST_CASE("columns differ by form, of which the first that fits counts") {
  CHECK(orderOf(instruction("barrier", {"sync"})) == Order::Barrier);
  CHECK(orderOf(instruction("barrier", {"arrive"})) == Order::Arrival);
  CHECK(orderOf(instruction("barrier", {"cluster", "arrive", "aligned"})) == Order::Arrival);
  CHECK(orderOf(instruction("barrier", {"cluster", "arrive", "relaxed"})) == Order::RelaxedArrival);
  CHECK(orderOf(instruction("barrier", {"cluster", "wait", "acquire"})) == Order::ClusterWait);
  CHECK(orderOf(instruction("mbarrier", {"try_wait", "acquire", "b64"})) == Order::Own);
  CHECK(orderOf(instruction("ld", {"global", "f32"})) == Order::None);
  CHECK(orderOf(instruction("ld", {"acquire", "gpu", "global", "u32"})) == Order::Lanes);
  CHECK(unwrittenOf(instruction("and", {"b32"})) == Unwritten::Mask);
  CHECK(unwrittenOf(instruction("and", {"pred"})) == Unwritten::And);
  CHECK(unwrittenOf(instruction("setp", {"lt", "or", "s32"})) == Unwritten::Or);
  CHECK(unwrittenOf(instruction("st", {"shared", "b32"})) == Unwritten::Move);
  CHECK(unwrittenOf(instruction("st", {"async", "b32"})) == Unwritten::Use);
}
