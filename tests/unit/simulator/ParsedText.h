// PTX text for parser tests, wrapped so that a test shows only what it is about.
#pragma once

#include "dialect/formats/Error.h"
#include "runtime/simulator/ptx/Ast.h"

#include <string>

namespace mxc::test {

// One line, so that what follows begins in line 2.
inline const std::string kHeader = ".version 8.8 .target sm_100a .address_size 64\n";

inline sim::ptx::Module parsed(const std::string &text) { return sim::ptx::parse(kHeader + text, "t"); }

/// The function of `.entry k() {` with that body, which begins in line 3, column 1.
inline sim::ptx::Function parsedBody(const std::string &body) {
  return parsed(".entry k() {\n" + body + "\n}").functions.back();
}

/// The only operand of `op X;`, where a few names are declared.
inline sim::ptx::Operand parsedOperand(const std::string &text) {
  return parsed(".global .b32 g; .func f();\n.entry k(.param .u64 q) { .reg .pred %p<4>; .reg .b32 %r<4>;"
                ".reg .v4 .b32 %v; .reg .b64 %rd<4>; .shared .b8 s[8];\nop " +
                text + "; }")
      .functions.back()
      .instructions.at(0)
      .operands.at(0);
}

/// What parsing `text` as it is says, or "no error".
inline std::string errorOf(const std::string &text) {
  try {
    sim::ptx::parse(text, "t");
  } catch (const Error &error) {
    return error.kind() == ErrorKind::InvalidInput ? error.what() : "wrong kind";
  }
  return "no error";
}
inline std::string moduleError(const std::string &text) { return errorOf(kHeader + text); }
inline std::string bodyError(const std::string &body) { return moduleError(".entry k() {\n" + body + "\n}"); }

} // namespace mxc::test
