// Entries and keys for tests of the cache.
#pragma once

#include "runtime/jit/KernelCache.h"

inline mxc::ContentHash sampleKey(int number) {
  return mxc::contentHash({"kernel " + std::to_string(number)});
}

/// An entry of some 10,000 bytes that depend on the number.
inline mxc::CacheEntry sampleEntry(int number) {
  mxc::CacheEntry entry{"", "warning: none", "quantize", "sm_90a", "cubin"};
  for (int i = 0; i < 10000; ++i)
    entry.image += static_cast<char>(number * 31 + i * i);
  return entry;
}

inline mxc::KernelCache::Result obtainSample(const mxc::KernelCache &cache, int number) {
  return cache.obtain(sampleKey(number), [&] { return sampleEntry(number); });
}

/// Whether it is in the cache, and right.
inline bool hasSample(const mxc::KernelCache &cache, int number) {
  for (const mxc::CachedKernel &kernel : cache.kernels())
    if (kernel.key == mxc::hexadecimal(sampleKey(number)))
      return kernel.entry && kernel.entry->image == sampleEntry(number).image;
  return false;
}
