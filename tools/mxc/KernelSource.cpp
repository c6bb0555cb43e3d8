#include "tools/mxc/KernelSource.h"

#include "runtime/files/FileBytes.h"
#include "runtime/jit/CachedCompilation.h"
#include "runtime/launch/Module.h"
#include "tools/mxc/Messages.h"

#include <cctype>

namespace mxc {

KernelSource KernelSource::read(const std::string &path) {
  constexpr size_t kMaximumBytes = size_t(64) << 20; // no kernel is that long: this is another file
  FileBytes file = readFile(path == "-" ? "/dev/stdin" : path, kMaximumBytes);
  if (const ImageFormat format = imageFormat(file.bytes());
      format == ImageFormat::Cubin || format == ImageFormat::Fatbin)
    throw Error(ErrorKind::InvalidInput,
                path + ": expected MLIR, found a compiled image (mxc inspect shows it)");
  std::string text(reinterpret_cast<const char *>(file.data.get()), file.size);
  return {path == "-" ? "<stdin>" : path, std::move(text)};
}

void KernelSource::throwAsDiagnostics(const std::string &name, const Error &error) {
  // "file:line:col: error: ..", "#mx.quantize_tile<..>:1:18: error: ..", or of the file as a whole.
  std::string_view message = error.what();
  size_t word = message.substr(0, message.find('\n')).find(": error: ");
  if (word == message.npos || word == 0) return;
  if (std::isdigit(static_cast<unsigned char>(message[word - 1])) || message.substr(0, word) == name)
    throw Diagnostics(error.kind(), error.what());
}

CompileResult KernelSource::compile(const CompileOptions &options) const {
  CompileResult result = withDiagnostics(name, [&] { return mxc::compile(text, name, options); });
  if (!result.warnings.empty()) warn(result.warnings);
  return result;
}

std::string KernelSource::output(const CompileOptions &options, bool useCache) const {
  if (options.stage < Stage::Ptx) return compile(options).output; // only what a host loads is kept
  std::optional<KernelCache> cache = useCache ? KernelCache::ofUser() : std::nullopt;
  CachedCompilation result =
      withDiagnostics(name, [&] { return compileCached(cache ? &*cache : nullptr, text, name, options); });
  for (const std::string &text : {result.warnings, result.problem})
    if (!text.empty()) warn(text);
  return std::move(result.image);
}

std::vector<KernelTiles> KernelSource::listTiles(const std::string &target) const {
  return withDiagnostics(name, [&] { return mxc::listTiles(text, name, target); });
}

} // namespace mxc
