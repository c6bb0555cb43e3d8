#include "tests/unit/compiler/DivisorKernel.h"
#include "compiler/lowering/nvvm/Memory.h"
#include "compiler/lowering/nvvm/Threads.h"
#include "compiler/lowering/pipeline/Divisor.h"
#include "tests/unit/compiler/BuiltKernel.h"

using namespace mlir;
using namespace mxc;

std::string divisorKernel(int count) {
  return ptxOfKernel(count, [&](OpBuilder &b, Operation *function) {
    ValueBuilder v{b, function->getLoc()};
    auto at = [&](int argument, int word) {
      Value bytes = v.add(v.mul(v.toI64(nvvm::threadIdX(v)), 8), 4 * word);
      return nvvm::offsetBytes(v, function->getRegion(0).getArgument(unsigned(argument)), bytes);
    };
    Value x = nvvm::load(v, v.b.getI32Type(), at(0, 0), 4), d = nvvm::load(v, v.b.getI32Type(), at(0, 1), 4);
    auto [quotient, remainder] = Divisor::ofTile(v, d).divide(v, x);
    nvvm::store(v, quotient, at(1, 0), 4);
    nvvm::store(v, remainder, at(1, 1), 4);
  });
}
