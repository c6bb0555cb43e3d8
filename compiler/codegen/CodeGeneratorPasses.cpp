#include "compiler/codegen/CodeGeneratorPasses.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Pass.h"

namespace mxc {

void CodeGeneratorPasses::add(llvm::Pass *pass) {
  if (isStraightLine_ && isUnneeded(*pass))
    delete pass;
  else
    PassManager::add(pass);
}

// By name: LLVM has their classes to itself.
bool CodeGeneratorPasses::isUnneeded(const llvm::Pass &pass) {
  const llvm::StringRef name = pass.getPassName();
  const bool cleansUp = isBehindUnneeded_ && name == "Early CSE";
  isBehindUnneeded_ = name == "Straight line strength reduction" || name == "Nary reassociation";
  return isBehindUnneeded_ || cleansUp;
}

} // namespace mxc
