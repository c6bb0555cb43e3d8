#include "tools/mxc/KernelSource.h"

#include "runtime/FileBytes.h"
#include "tools/mxc/Messages.h"

#include <cctype>

namespace mxc {

KernelSource KernelSource::read(const std::string &path) {
  constexpr size_t kMaximumBytes = size_t(64) << 20; // no kernel is that long: this is another file
  FileBytes file = readFile(path == "-" ? "/dev/stdin" : path, kMaximumBytes);
  std::string text(reinterpret_cast<const char *>(file.data.get()), file.size);
  return {path == "-" ? "<stdin>" : path, std::move(text)};
}

template <class F> static auto withDiagnostics(const std::string &name, F compiler) {
  try {
    return compiler();
  } catch (const Error &error) {
    // "file:line:col: error: ..", "#mx.quantize_tile<..>:1:18: error: ..", or of the file as a whole.
    std::string_view message = error.what();
    size_t word = message.substr(0, message.find('\n')).find(": error: ");
    bool isDiagnostic =
        word != message.npos && word > 0 &&
        (std::isdigit(static_cast<unsigned char>(message[word - 1])) || message.substr(0, word) == name);
    if (isDiagnostic) throw Diagnostics(error.kind(), error.what());
    throw;
  }
}

CompileResult KernelSource::compile(const CompileOptions &options) const {
  CompileResult result = withDiagnostics(name, [&] { return mxc::compile(text, name, options); });
  if (!result.warnings.empty()) warn(result.warnings);
  return result;
}

std::vector<KernelTiles> KernelSource::listTiles(const std::string &target) const {
  return withDiagnostics(name, [&] { return mxc::listTiles(text, name, target); });
}

} // namespace mxc
