#include "tools/mxc/KernelFile.h"

#include "runtime/jit/Engine.h"
#include "tools/mxc/Messages.h"

#include <exception>

namespace mxc {

KernelFile KernelFile::read(const std::string &path, const std::string &tile) {
  constexpr size_t kMaximumBytes = size_t(1) << 30;
  KernelFile result;
  result.path_ = path;
  result.tile_ = tile;
  result.file_ = readFile(path == "-" ? "/dev/stdin" : path, kMaximumBytes);
  result.isImage_ = imageFormat(result.file_.bytes()) != ImageFormat::Unknown;
  if (result.isImage_ && !tile.empty())
    throw Error(ErrorKind::Usage, "--tile needs the kernel's MLIR, but " + path + " is compiled already");
  if (!result.isImage_)
    result.source_ = {
        path == "-" ? "<stdin>" : path,
        std::string(reinterpret_cast<const char *>(result.file_.data.get()), result.file_.size)};
  return result;
}

// What the arguments are is the same for every target; which targets have an operation is not.
static std::vector<ModuleAbi> recordsFor(const KernelSource &source, CompileOptions options,
                                         std::span<const std::string> targets) {
  std::exception_ptr first;
  for (const std::string &target : targets) {
    options.targets = {target};
    try {
      return source.compile(options).abis;
    } catch (const Error &) {
      if (!first) first = std::current_exception();
    }
  }
  std::rethrow_exception(first);
}

KernelAbi KernelFile::abi(const std::string &kernelName, std::span<const std::string> targets) const {
  std::vector<ModuleAbi> records;
  if (isImage_) {
    const std::span<const char> image(reinterpret_cast<const char *>(file_.data.get()), file_.size);
    records = abiFromImage(image);
    if (records.empty()) throw Error(ErrorKind::InvalidInput, path_ + ": " + whyNoRecord(image));
  } else {
    CompileOptions options;
    options.stage = Stage::Tile; // the first that has the ABI
    options.tile = tile_;
    records = recordsFor(source_, options, targets);
  }
  std::string names;
  std::vector<KernelAbi> kernels = records.front().kernels;
  for (const KernelAbi &kernel : kernels) {
    if (kernel.name == kernelName || (kernelName.empty() && kernels.size() == 1)) return kernel;
    names += (names.empty() ? "" : ", ") + kernel.name;
  }
  if (kernelName.empty())
    throw Error(ErrorKind::InvalidInput,
                path_ + " holds several kernels: choose one of " + names + " with --kernel NAME");
  throw Error(ErrorKind::InvalidInput, path_ + " holds no kernel '" + kernelName + "'; it holds " + names);
}

std::optional<Prologue> KernelFile::prologue(const std::string &kernelName) const {
  return Prologue::parse(source_.text, kernelName);
}

Module KernelFile::load(const Device &device, bool useCache, bool useTuning) const {
  EngineOptions options;
  if (!useTuning) options.tuning.reset();
  if (!useCache) options.cache.reset();
  options.warn = warn;
  const std::string &name = isImage_ ? path_ : source_.name;
  const std::string_view content(reinterpret_cast<const char *>(file_.data.get()), file_.size);
  return KernelSource::withDiagnostics(name,
                                       [&] { return Engine(device, options).load(content, name, tile_); });
}

} // namespace mxc
