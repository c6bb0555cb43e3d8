// mxc cache
#include "compiler/abi/CompiledKernel.h"
#include "dialect/formats/Error.h"
#include "runtime/jit/KernelCache.h"
#include "tools/mxc/Commands.h"
#include "tools/mxc/Messages.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <dirent.h>
#include <memory>

namespace mxc {

static KernelCache requireCache() {
  if (std::optional<KernelCache> cache = KernelCache::ofUser()) {
    const std::unique_ptr<DIR, int (*)(DIR *)> folder(opendir(cache->folder().c_str()), closedir);
    if (folder || errno == ENOENT) return *cache; // nothing was kept yet
    throw Error(ErrorKind::InvalidInput, "cannot read " + cache->folder() + ": " + std::strerror(errno));
  }
  throw Error(ErrorKind::Usage,
              "there is no kernel cache: MXC_CACHE_SIZE is 0, or neither XDG_CACHE_HOME nor HOME "
              "names a folder by an absolute path");
}

static std::string timeText(std::chrono::system_clock::time_point time) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(time);
  std::tm parts = {};
  char text[32] = "";
  if (localtime_r(&seconds, &parts)) std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &parts);
  return text;
}

static std::string countText(size_t kernels) {
  return std::to_string(kernels) + (kernels == 1 ? " kernel" : " kernels");
}

/// "mxc 0.1.0", as the image's record says.
static std::string versionOf(const CacheEntry &entry) {
  const std::vector<ModuleAbi> records = abiFromImage({entry.image.data(), entry.image.size()});
  return "mxc " + (records.empty() ? "unknown" : records.front().compilerVersion);
}

static std::string textOf(const CachedKernel &kernel) {
  const std::string what = kernel.entry ? kernel.entry->target + " " + kernel.entry->stage + "  " +
                                              versionOf(*kernel.entry) + "  " + kernel.entry->kernels
                                        : "damaged";
  return kernel.key.substr(0, 16) + "  " + timeText(kernel.used) + "  " + std::to_string(kernel.bytes) +
         " bytes  " + printable(what);
}

void listCache() {
  KernelCache cache = requireCache();
  uint64_t bytes = 0;
  const std::vector<CachedKernel> kernels = cache.kernels();
  for (const CachedKernel &kernel : kernels) {
    bytes += kernel.bytes;
    std::printf("%s\n", textOf(kernel).c_str());
  }
  std::printf("%s, %llu of %llu bytes, in %s\n", countText(kernels.size()).c_str(),
              static_cast<unsigned long long>(bytes), static_cast<unsigned long long>(cache.limit()),
              printable(cache.folder()).c_str());
}

void clearCache() {
  KernelCache cache = requireCache();
  const size_t before = cache.kernels().size();
  if (const std::vector<std::string> left = cache.clear(); !left.empty())
    throw Error(ErrorKind::InvalidInput, "cannot remove " + cache.folder() + "/" + left.front() +
                                             (left.size() > 1 ? " and " + countText(left.size() - 1) : ""));
  std::printf("%s removed\n", countText(before).c_str());
}

void verifyCache() {
  KernelCache cache = requireCache();
  size_t damaged = 0;
  const std::vector<CachedKernel> kernels = cache.kernels();
  for (const CachedKernel &kernel : kernels) {
    if (kernel.entry) continue;
    ++damaged;
    warn(cache.folder() + "/" + kernel.key + " is damaged");
    cache.remove(kernel.key);
  }
  if (damaged)
    throw Error(ErrorKind::InvalidInput, std::to_string(damaged) + " of " + countText(kernels.size()) +
                                             " damaged: removed, and compiled again when asked for");
  std::printf("%s verified\n", countText(kernels.size()).c_str());
}

} // namespace mxc
