// The entry points of an operation on named rows: one by pieces, and one that takes any shape.
#pragma once

#include "compiler/lowering/combine/NamedRows.h"
#include "compiler/lowering/entry/EntryDriver.h"
#include "compiler/lowering/entry/LaunchCondition.h"

namespace mxc {

/// `Entry(op, signature, access)` says what it needs() of a launch, its plan(when), and emit()s its function.
template <typename Entry, typename Op>
mlir::LogicalResult emitByAccess(Op op, mlir::ModuleOp module, const Target &target,
                                 KernelSignature &signature) {
  for (RowAccess access : {RowAccess::Vector, RowAccess::Element}) {
    Entry entry(op, signature, access);
    mlir::FailureOr<std::optional<ShapeExpression>> when =
        launchCondition(op, signature, /*tile=*/nullptr, entry.needs());
    if (failed(when)) return mlir::failure();
    if (!*when) continue;
    if (failed(emitEntry(op, module, target, signature, entry.plan(**when),
                         [&](EntryFunction &function) { entry.emit(function); })))
      return mlir::failure();
  }
  return mlir::success();
}

} // namespace mxc
