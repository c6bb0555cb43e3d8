#include "tests/unit/compiler/OperandBoxes.h"
#include "compiler/Dialects.h"
#include "compiler/lowering/product/plan/OperandBox.h"

#include "mlir/AsmParser/AsmParser.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mxc;

BoxBytes bytesOf(const BoxRow &row) {
  MLIRContext context;
  Block block;
  const OperandBox box = {.argument =
                              block.addArgument(parseType(row.type, &context), UnknownLoc::get(&context)),
                          .content = llvm::StringSwitch<BoxContent>(row.content)
                                         .Case("rows", BoxContent::Rows)
                                         .Case("padded", BoxContent::PaddedRows)
                                         .Case("tiles", BoxContent::ScaleTiles)
                                         .Case("lines", BoxContent::ScaleLines),
                          .rows = row.rows,
                          .step = row.step,
                          .copies = row.copies,
                          .owner = row.toBoth ? BoxOwner::HalfToBoth : BoxOwner::Each};
  const OperandRing ring("operands", 2, {box});
  return {box.bytes(), box.pitch(), ring.regions.front()};
}
