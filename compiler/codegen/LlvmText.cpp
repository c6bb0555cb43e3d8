#include "compiler/codegen/LlvmText.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

namespace mxc {

// LLVM writes the order of an assembly's uses and cannot read it ("invalid type for inline asm constraint
// string").
static bool isUnreadable(llvm::StringRef line) { return line.ltrim().starts_with("uselistorder ptr asm "); }

std::string llvmText(const llvm::Module &module) {
  std::string all, text;
  llvm::raw_string_ostream stream(all);
  module.print(stream, nullptr, /*ShouldPreserveUseListOrder=*/true);
  for (llvm::StringRef rest = all; !rest.empty();) {
    const llvm::StringRef line = rest.take_front(rest.find('\n'));
    rest = rest.drop_front(std::min(line.size() + 1, rest.size()));
    if (!isUnreadable(line)) (text += line) += '\n';
  }
  return text;
}

// Contexts of LLVM share nothing, and entries have one each: they meet as text.
std::string joinedLlvm(std::vector<std::string> texts) {
  if (texts.size() == 1) return std::move(texts.front());
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> all;
  for (const std::string &text : texts) {
    llvm::SMDiagnostic error;
    std::unique_ptr<llvm::Module> entry = llvm::parseAssemblyString(text, error, context);
    if (!entry) llvm::report_fatal_error("an entry's LLVM IR cannot be read: " + error.getMessage());
    if (!all)
      all = std::move(entry);
    else if (llvm::Linker::linkModules(*all, std::move(entry)))
      llvm::report_fatal_error("an entry's LLVM IR does not fit the others'");
  }
  return llvmText(*all);
}

} // namespace mxc
