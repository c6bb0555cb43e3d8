// A kernel's source text, and its compilation as the subcommands ask for it.
#pragma once

#include "compiler/Compiler.h"
#include "compiler/TileListing.h"
#include "dialect/formats/Error.h"

#include <string>

namespace mxc {

/// What the compiler says of a source: lines that begin with file:line:col.
struct Diagnostics : Error {
  using Error::Error;
};

struct KernelSource {
  std::string name, text; // the name as messages call it: a path, or "<stdin>"

  /// Reads a file, or standard input for "-". Throws mxc::Error (InvalidInput).
  static KernelSource read(const std::string &path);

  /// Runs `compiler`, which throws what mxc::compile throws of a source called `name`: diagnostics as
  /// Diagnostics.
  template <typename Compiler> static auto withDiagnostics(const std::string &name, Compiler compiler) {
    try {
      return compiler();
    } catch (const Error &error) {
      throwAsDiagnostics(name, error);
      throw;
    }
  }

  /// mxc::compile; warnings go to standard error. Throws what it throws, diagnostics as Diagnostics.
  CompileResult compile(const CompileOptions &options) const;
  /// Its output alone; images and PTX by way of the user's kernel cache where there is one and `useCache`.
  std::string output(const CompileOptions &options, bool useCache) const;
  /// mxc::listTiles; throws likewise.
  std::vector<KernelTiles> listTiles(const std::string &target) const;

private:
  static void throwAsDiagnostics(const std::string &name, const Error &error);
};

} // namespace mxc
