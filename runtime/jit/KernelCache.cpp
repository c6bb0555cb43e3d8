#include "runtime/jit/KernelCache.h"

#include "dialect/formats/Error.h"
#include "runtime/environment/Environment.h"
#include "runtime/jit/UserFolder.h"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstring>

namespace mxc {

struct KernelCache::State {
  CacheFolder folder;
  std::atomic<uint64_t> limit;
  std::atomic<uint64_t> storedSinceTrim;
};

// A process looks at the folder's size at its first store, and again whenever it has added this part of the
// limit.
static uint64_t bytesBetweenTrims(uint64_t limit) { return limit / 16; }

// "1": the layout of the folder and of its files.
KernelCache::KernelCache(const std::string &folder, uint64_t limitBytes)
    : state_(new State{CacheFolder(folder + "/kernels-1"), limitBytes, bytesBetweenTrims(limitBytes)}) {}

const std::string &KernelCache::folder() const { return state_->folder.path(); }
uint64_t KernelCache::limit() const { return state_->limit; }
void KernelCache::limitTo(uint64_t bytes) { state_->limit = bytes; }

std::optional<KernelCache> KernelCache::ofUser() {
  uint64_t limit = kDefaultLimit;
  if (std::optional<std::string> text = environment(EnvironmentVariable::CacheSize)) {
    const char *end = text->data() + text->size();
    auto [parsed, error] = std::from_chars(text->data(), end, limit);
    if (error != std::errc() || parsed != end)
      throw Error(ErrorKind::Usage, "MXC_CACHE_SIZE '" + *text + "': expected a number of bytes");
  }
  const std::optional<std::string> folder = userFolder();
  if (!folder || limit == 0) return std::nullopt;
  return KernelCache(*folder, limit);
}

std::optional<CacheEntry> KernelCache::find(const std::string &key) const {
  std::optional<std::string> bytes = state_->folder.read(key);
  if (!bytes) return std::nullopt;
  std::optional<CacheEntry> entry = decodeEntry(key, *bytes);
  if (!entry) state_->folder.remove(key);
  return entry;
}

std::string KernelCache::store(const std::string &key, const CacheEntry &entry) const {
  const std::string bytes = encodeEntry(key, entry);
  if (bytes.size() > state_->limit)
    return "cannot store a kernel of " + std::to_string(bytes.size()) + " bytes in a cache of " +
           std::to_string(state_->limit);
  if (std::optional<std::string> problem = state_->folder.write(key, bytes)) return *problem;
  if ((state_->storedSinceTrim += bytes.size()) >= bytesBetweenTrims(state_->limit)) {
    state_->storedSinceTrim = 0;
    state_->folder.trim(state_->limit);
  }
  return "";
}

KernelCache::Result KernelCache::obtain(const ContentHash &key, const std::function<CacheEntry()> &build,
                                        std::chrono::milliseconds patience) const {
  const std::string name = hexadecimal(key);
  if (std::optional<CacheEntry> entry = find(name)) return {std::move(*entry), true, ""};
  uint64_t position;
  std::memcpy(&position, key.data(), sizeof position);
  CacheFolder::Lock lock(state_->folder, position >> 2, patience);
  if (std::optional<CacheEntry> entry = find(name)) return {std::move(*entry), true, ""};
  Result result{build(), false, ""};
  result.problem = store(name, result.entry);
  return result;
}

std::optional<CacheEntry> KernelCache::find(const ContentHash &key) const { return find(hexadecimal(key)); }

std::vector<CachedKernel> KernelCache::kernels() const {
  std::vector<CachedKernel> kernels;
  for (const CachedFile &file : state_->folder.files())
    if (std::optional<std::string> bytes = state_->folder.read(file.name, CacheFolder::Use::DoesNotCount))
      kernels.push_back({file.name, file.bytes, file.used, decodeEntry(file.name, *bytes)});
  std::ranges::sort(kernels, std::greater(), [](const CachedKernel &kernel) { return kernel.used; });
  return kernels;
}

void KernelCache::remove(const std::string &key) const { state_->folder.remove(key); }

std::vector<std::string> KernelCache::clear() const {
  for (const std::string &name : state_->folder.names())
    remove(name);
  state_->folder.trim(0);
  return state_->folder.names();
}

} // namespace mxc
