// LLVM IR as text that llc makes the same PTX of.
#pragma once

#include <string>
#include <vector>

namespace llvm {
class Module;
}

namespace mxc {

/// With the order of uses, by which LLVM's passes choose between what is as good.
std::string llvmText(const llvm::Module &module);

/// The text of one module with all that these have.
std::string joinedLlvm(std::vector<std::string> texts);

} // namespace mxc
