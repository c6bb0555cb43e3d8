// mxc-opt: mlir-opt with the mx dialect and mxc's passes, for tests and for looking at a stage.
#include "compiler/Dialects.h"
#include "compiler/TextLimits.h"
#include "compiler/passes/Pipelines.h"

#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <sys/mman.h>
#include <unistd.h>

/// Standard input, which was read, from its beginning again.
static bool rewindInput(llvm::StringRef text) {
  const int file = memfd_create("input", MFD_CLOEXEC);
  if (file < 0) return false;
  llvm::raw_fd_ostream out(file, /*shouldClose=*/true);
  out << text;
  out.flush();
  return !out.has_error() && lseek(file, 0, SEEK_SET) == 0 && dup2(file, STDIN_FILENO) == STDIN_FILENO;
}

/// The parser overflows the stack on what mxc compile refuses.
static bool isWithinLimits(llvm::StringRef path) {
  auto file = llvm::MemoryBuffer::getFileOrSTDIN(path);
  if (!file) return true; // what opens it next tells why
  const llvm::StringRef text = (*file)->getBuffer();
  if (path == "-" && !rewindInput(text)) {
    llvm::errs() << "mxc-opt: cannot keep standard input in memory\n";
    return false;
  }
  if (mlir::isBytecode((*file)->getMemBufferRef())) return true;
  const std::optional<mxc::TextExcess> excess = mxc::excessOf(text);
  if (excess) llvm::errs() << excess->text((*file)->getBufferIdentifier()) << '\n';
  return !excess;
}

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mxc::registerDialects(registry);
  mxc::registerPipelines();
  mlir::registerCanonicalizerPass();
  mlir::registerCSEPass();
  const auto [input, output] = mlir::registerAndParseCLIOptions(argc, argv, "mx dialect driver\n", registry);
  const mlir::MlirOptMainConfig config = mlir::MlirOptMainConfig::createFromCLOptions();
  const bool readsInput = !config.shouldShowDialects() && !config.shouldListPasses();
  if (readsInput && !isWithinLimits(input)) return EXIT_FAILURE;
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, input, output, registry));
}
