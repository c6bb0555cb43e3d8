// MLIR's diagnostics as text. A location in the source may name any file, a device among them: none is
// opened.
#pragma once

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/SourceMgr.h"

#include <string>

namespace mxc {

/// While it lives, what a context reports becomes "file:line:col: error: ..", with the line where it is the
/// source's own; "file: error: .." for what has no place.
class SourceDiagnostics {
public:
  /// The source is the main buffer of `sources`.
  SourceDiagnostics(mlir::MLIRContext &context, llvm::SourceMgr &sources);

  const std::string &text() const { return text_; }

private:
  void add(mlir::Diagnostic &diagnostic);

  llvm::SourceMgr &sources_;
  std::string text_;
  mlir::ScopedDiagnosticHandler handler_;
};

} // namespace mxc
