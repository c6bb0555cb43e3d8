#include "compiler/lowering/quantize/Loss.h"
#include "compiler/lowering/entry/Branch.h"
#include "compiler/lowering/nvvm/Counters.h"
#include "compiler/lowering/nvvm/Threads.h"

using namespace mlir;

namespace mxc {

void addLoss(EntryFunction &entry, const KernelSignature &signature, Value inexact, Value count, Value error,
             Value largest) {
  ValueBuilder v = entry.values();
  Value isFirst = v.equal(v.bitAnd(nvvm::threadIdX(v), 31), v.i32(0));
  auto whereAny = [&](Value ofWarp, auto add) { // most warps have nothing to add
    Value isThere = v.cmp(ValueBuilder::Predicate::ne, ofWarp, v.i32(0));
    ifThen(v, v.bitAnd(isFirst, isThere), [&] { add(ofWarp); });
  };
  if (inexact)
    whereAny(nvvm::sumOfWarp(v, count), [&](Value sum) {
      nvvm::addTo(v, entry.pointer(signature.argument(inexact).name), v.toI64(sum));
    });
  if (error)
    whereAny(nvvm::largestOfWarp(v, largest),
             [&](Value most) { nvvm::raiseTo(v, entry.pointer(signature.argument(error).name), most); });
}

} // namespace mxc
