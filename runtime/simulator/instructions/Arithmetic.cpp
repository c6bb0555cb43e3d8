// Opcodes that mean integer, float or 16-bit float arithmetic: the type after them says which family executes
// them.
#include "runtime/simulator/instructions/Arithmetic.h"

#include <algorithm>

namespace mxc::sim {

namespace {

const Table &familyOf(const ptx::Instruction &source) {
  for (const std::string &word : source.modifiers) {
    if (word == "f32" || word == "f64" || word == "f32x2") return kFloatArithmetic;
    if (word == "f16" || word == "f16x2" || word == "bf16" || word == "bf16x2") return kHalfArithmetic;
  }
  return kIntegerArithmetic;
}

const TableRow &chooseByType(const Decoder &d) {
  const Table &family = familyOf(d.source());
  auto row = std::ranges::find(family, d.source().opcode, &TableRow::opcode);
  if (row == family.end()) d.fail("not of this type");
  return *row;
}

} // namespace

extern const Table kArithmeticInstructions;
const Table kArithmeticInstructions = {
    {"add", chooseByType}, {"sub", chooseByType}, {"mul", chooseByType}, {"mad", chooseByType},
    {"fma", chooseByType}, {"div", chooseByType}, {"abs", chooseByType}, {"neg", chooseByType},
    {"min", chooseByType}, {"max", chooseByType}, {"ex2", chooseByType}, {"tanh", chooseByType},
};

} // namespace mxc::sim
