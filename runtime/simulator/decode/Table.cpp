// Every family of instructions, one a line.
#include "runtime/simulator/decode/Table.h"

#include <map>

namespace mxc::sim {

#define MXC_FAMILY(table) extern const Table table;
#include "runtime/simulator/decode/Families.def"

std::vector<const Table *> allTables() {
  return {
#define MXC_FAMILY(table) &table,
#include "runtime/simulator/decode/Families.def"
  };
}

const TableRow *tableRowOf(std::string_view opcode) {
  static const std::map<std::string_view, const TableRow *> rows = [] {
    std::map<std::string_view, const TableRow *> result;
    for (const Table *table : allTables())
      for (const TableRow &row : *table)
        result.emplace(row.opcode, &row);
    return result;
  }();
  auto found = rows.find(opcode);
  return found == rows.end() ? nullptr : found->second;
}

ByForm<Order> orderOfAccess() {
  return {Order::None,
          {{"volatile", Order::Lanes},
           {"relaxed", Order::Lanes},
           {"acquire", Order::Lanes},
           {"release", Order::Lanes},
           {"mmio", Order::Lanes},
           {"async", Order::Arrival},
           {"bulk", Order::Arrival}}};
}

} // namespace mxc::sim
