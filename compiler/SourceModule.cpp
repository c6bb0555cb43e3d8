#include "compiler/SourceModule.h"

#include "compiler/Dialects.h"
#include "compiler/TextLimits.h"
#include "compiler/guard/FatalErrorGuard.h"
#include "dialect/MxOps.h"

#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"

#include <exception>

using namespace mlir;

namespace mxc {

// Threads that compile share nothing: a context is one compilation's, and makes no threads of its own.
static constexpr MLIRContext::Threading kOneThread = MLIRContext::Threading::DISABLED;

static DialectRegistry dialects() {
  DialectRegistry registry;
  registerDialects(registry);
  return registry;
}

/// A diagnostic shows the line that it is about, which may be the whole file.
static std::string shortened(StringRef messages) {
  constexpr size_t kLongestLine = 1000;
  std::string result;
  for (StringRef line : llvm::split(messages, '\n')) {
    result += result.empty() ? "" : "\n";
    result += line.take_front(kLongestLine);
    if (line.size() > kLongestLine) result += "..";
  }
  return result;
}

SourceModule::SourceModule(std::string_view source, std::string_view sourceName)
    : sourceName_(sourceName), context_(dialects(), kOneThread), diagnostics_(context_, sources_) {
  if (std::optional<TextExcess> excess = excessOf(source))
    throw Error(ErrorKind::InvalidInput, excess->text(sourceName));
  context_.printOpOnDiagnostic(false);
  auto buffer = llvm::MemoryBuffer::getMemBufferCopy(StringRef(source), StringRef(sourceName));
  sources_.AddNewSourceBuffer(std::move(buffer), llvm::SMLoc());
  module_ = parseSourceFile<ModuleOp>(sources_, &context_);
  if (!module_) fail();
  checkKernels();
}

void SourceModule::fail(ErrorKind kind) const {
  const StringRef text = messages();
  throw Error(kind, text.empty() ? "compilation failed" : shortened(text.rtrim()));
}

/// What has no place of its own (the module around kernels that stand for themselves, at line 0) gets the
/// first kernel's.
void SourceModule::checkKernels() {
  WalkResult nested = module_->walk([&](mx::KernelOp kernel) {
    if (kernel->getParentOp() == *module_) return WalkResult::advance();
    kernel.emitError("a kernel stands at the file's top level, found it in a nested module");
    return WalkResult::interrupt();
  });
  if (nested.wasInterrupted()) fail();
  auto kernels = module_->getOps<mx::KernelOp>();
  auto place = dyn_cast<FileLineColLoc>(module_->getLoc());
  bool hasPlace = place && place.getLine() > 0;
  if (kernels.empty() && !hasPlace)
    throw Error(ErrorKind::InvalidInput, sourceName_ + ": no mx.kernel in it");
  if (kernels.empty()) {
    module_->emitError("no mx.kernel in it");
    fail();
  }
  if (!hasPlace) module_->getOperation()->setLoc((*kernels.begin()).getLoc());
}

void guarded(std::string_view sourceName, const std::string &doing, llvm::function_ref<void()> work) {
  std::exception_ptr error;
  std::optional<std::string> fatal = fatalErrorOf([&] {
    try {
      work();
    } catch (...) {
      error = std::current_exception();
    }
  });
  if (fatal)
    throw Error(ErrorKind::InvalidInput, std::string(sourceName) + ": error: " + doing +
                                             " failed: " + StringRef(*fatal).rtrim().str());
  if (error) std::rethrow_exception(error);
}

} // namespace mxc
