// What somebody who wrote a kernel needs beside a message: the words that there are, the sentence of a
// constraint.
#pragma once

#include "mlir/IR/MLIRContext.h"

#include <string>

namespace mxc {

/// What the message of an error ends with, "" of most: the operations that there are where one is unknown,
/// nearest first; the element types where `source`, the text from the error's place on, names none.
std::string wordsFor(mlir::MLIRContext &context, llvm::StringRef message, llvm::StringRef source);

/// Of a message that ends in a constraint's number, "[Q3]": "Q3: " and what it says; else "".
std::string constraintFor(llvm::StringRef message);

} // namespace mxc
