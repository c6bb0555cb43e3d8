// What somebody who wrote a kernel needs beside a message: the words that there are, the sentence of a
// constraint.
#pragma once

#include "mlir/IR/MLIRContext.h"

#include <string>

namespace mxc {

/// What the message of an error ends with, "" of most: the operations that there are where one is unknown,
/// nearest first; the element types where `source`, the text from the error's place on, names none.
std::string wordsFor(mlir::MLIRContext &context, llvm::StringRef message, llvm::StringRef source);

/// "Q3: " and what that constraint says, for a message that ends in its number, "[Q3]"; else "".
std::string constraintFor(llvm::StringRef message);

} // namespace mxc
