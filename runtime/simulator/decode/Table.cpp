// Every family of instructions, one a line.
#include "runtime/simulator/decode/Decoder.h"

#include <map>

namespace mxc::sim {

#define MXC_FAMILY(table) extern const Table table;
#include "runtime/simulator/decode/Families.def"

const TableRow *tableRowOf(std::string_view opcode) {
  static const std::map<std::string_view, const TableRow *> rows = [] {
    std::map<std::string_view, const TableRow *> result;
#define MXC_FAMILY(table)                                                                                    \
  for (const TableRow &row : table)                                                                          \
    result.emplace(row.opcode, &row);
#include "runtime/simulator/decode/Families.def"
    return result;
  }();
  auto found = rows.find(opcode);
  return found == rows.end() ? nullptr : found->second;
}

} // namespace mxc::sim
