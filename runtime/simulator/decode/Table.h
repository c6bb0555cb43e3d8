// The tables of instructions: a row says everything that decode, counts and checks know of an instruction.
#pragma once

#include "runtime/simulator/decode/Decoder.h"
#include "runtime/simulator/decode/Form.h"
#include "runtime/simulator/decode/Requirement.h"

namespace mxc::sim {

struct TableRow;

/// Chooses the handler and fills in the rest. Throws Unsupported.
using Decode = void (*)(Decoder &, Instruction &);
/// Chooses the row of a form. Throws Unsupported.
using Choose = const TableRow &(*)(const Decoder &);

/// No column but the last has a default: a row that lacks one does not compile.
struct TableRow {
  TableRow(std::string_view opcode, Decode decode, Counted counted, ByForm<Unwritten> unwritten,
           ByForm<Order> order, std::vector<Requirement> requirements = {})
      : opcode(opcode), decode(decode), counted(counted), unwritten(std::move(unwritten)),
        order(std::move(order)), requirements(std::move(requirements)) {}

  /// Its forms have rows of their own.
  TableRow(std::string_view opcode, Choose choose, std::vector<Requirement> requirements = {})
      : opcode(opcode), choose(choose), requirements(std::move(requirements)) {}

  std::string_view opcode; // the first word: "add", "ld", "tcgen05"; of a form's row what `choose` looks for
  Choose choose = nullptr; // null: it has the following columns
  Decode decode = nullptr;
  Counted counted = Counted::Other;                  // --stats: report/Counted.h
  ByForm<Unwritten> unwritten = Unwritten::Lanewise; // machine/CheckRoles.h, as the next one
  ByForm<Order> order = Order::None;
  std::vector<Requirement> requirements; // what some chips lack
};

/// The order of a load or store: as its words say.
ByForm<Order> orderOfAccess();

/// One table a family; Table.cpp lists them.
using Table = std::vector<TableRow>;
/// All tables, in the order of Families.def.
std::vector<const Table *> allTables();
const TableRow *tableRowOf(std::string_view opcode);

/// Fills in `out` by the table; an instruction without a row, or one whose row refuses it, faults when
/// executed.
void decodeInstruction(ProgramBuilder &builder, const ptx::Instruction &source, Instruction &out);

} // namespace mxc::sim
