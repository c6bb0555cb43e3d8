#include "compiler/SourceDiagnostics.h"
#include "compiler/MessageHints.h"

#include "mlir/IR/Location.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace mxc {

namespace {
struct Kind {
  llvm::SourceMgr::DiagKind kind;
  StringRef word;
};
} // namespace

static Kind kindOf(DiagnosticSeverity severity) {
  switch (severity) {
  case DiagnosticSeverity::Note:
    return {llvm::SourceMgr::DK_Note, "note"};
  case DiagnosticSeverity::Warning:
    return {llvm::SourceMgr::DK_Warning, "warning"};
  case DiagnosticSeverity::Remark:
    return {llvm::SourceMgr::DK_Remark, "remark"};
  case DiagnosticSeverity::Error:
    break;
  }
  return {llvm::SourceMgr::DK_Error, "error"};
}

SourceDiagnostics::SourceDiagnostics(MLIRContext &context, llvm::SourceMgr &sources)
    : sources_(sources), handler_(&context, [this](Diagnostic &diagnostic) {
        std::string text = textOf(diagnostic);
        for (Diagnostic &note : diagnostic.getNotes())
          text += textOf(note);
        if (reported_.insert(text).second) text_ += text;
      }) {}

std::string SourceDiagnostics::textOf(Diagnostic &diagnostic) const {
  std::string text;
  llvm::raw_string_ostream out(text);
  const unsigned main = sources_.getMainFileID();
  const StringRef own = sources_.getMemoryBuffer(main)->getBufferIdentifier();
  const FileLineColRange place = diagnostic.getLocation()->findInstanceOf<FileLineColRange>();
  const bool hasPlace = place && place.getStartLine() > 0;
  llvm::SMLoc shown;
  if (hasPlace && place.getFilename() == own)
    shown =
        sources_.FindLocForLineAndColumn(main, place.getStartLine(), std::max(1u, place.getStartColumn()));
  const Kind kind = kindOf(diagnostic.getSeverity());
  std::string message = diagnostic.str();
  const std::string constraint = constraintFor(message);
  if (shown.isValid()) {
    const StringRef rest(shown.getPointer(),
                         sources_.getMemoryBuffer(main)->getBufferEnd() - shown.getPointer());
    message += wordsFor(*diagnostic.getLocation().getContext(), message, rest);
    sources_.PrintMessage(out, shown, kind.kind, message);
    if (!constraint.empty()) out << own << ": note: " << constraint << '\n';
    return text;
  }
  if (hasPlace)
    out << place.getFilename().getValue() << ':' << place.getStartLine() << ':' << place.getStartColumn();
  else
    out << own;
  out << ": " << kind.word << ": " << message << '\n';
  if (!constraint.empty()) out << own << ": note: " << constraint << '\n';
  return text;
}

} // namespace mxc
