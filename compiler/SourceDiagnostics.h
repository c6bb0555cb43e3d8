// MLIR's diagnostics as text. A location in the source may name any file, a device among them: none is
// opened.
#pragma once

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/SourceMgr.h"

#include <string>

namespace mxc {

/// While it lives, what a context reports becomes "file:line:col: error: ..", with the line where it is the
/// source's own; "file: error: .." for what has no place. What is reported twice is there once.
class SourceDiagnostics {
public:
  /// The source is the main buffer of `sources`.
  SourceDiagnostics(mlir::MLIRContext &context, llvm::SourceMgr &sources);

  const std::string &text() const { return text_; }

private:
  std::string textOf(mlir::Diagnostic &diagnostic) const;

  llvm::SourceMgr &sources_;
  std::string text_;
  llvm::StringSet<> reported_; // entry points of one kernel say the same
  mlir::ScopedDiagnosticHandler handler_;
};

} // namespace mxc
