// The passes of LLVM's code generator: those that TargetMachine::addPassesToEmitFile adds, but for some.
#pragma once

#include "llvm/IR/LegacyPassManager.h"

namespace mxc {

/// NVPTX has strength reduction and reassociation of addresses for what unrolled loops leave, and EarlyCSE
/// after each. They change no PTX of straight-line code, and were a fifth of the code generator's time. A
/// last EarlyCSE stays.
class CodeGeneratorPasses : public llvm::legacy::PassManager {
public:
  explicit CodeGeneratorPasses(bool isStraightLine) : isStraightLine_(isStraightLine) {}
  void add(llvm::Pass *pass) override;

private:
  bool isUnneeded(const llvm::Pass &pass);

  const bool isStraightLine_;
  bool isBehindUnneeded_ = false;
};

} // namespace mxc
