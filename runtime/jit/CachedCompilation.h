// Compiles through the kernel cache.
#pragma once

#include "compiler/Compiler.h"
#include "runtime/jit/KernelCache.h"

#include <string>
#include <string_view>

namespace mxc {

/// Hashes what an image depends on: the kernel as the compiler understands it, without comments, layout and
/// meaningless names; target, stage and tile; the compiler and its assembler (compilerIdentity). Throws what
/// mxc::compile throws for a faulty source.
ContentHash kernelKey(std::string_view source, std::string_view sourceName, const CompileOptions &options);

/// KernelCache::obtain of an image: one that is found but is not whole, as `faultOf` (AssembledImage.h) says,
/// is built anew.
KernelCache::Result obtainImage(const KernelCache &cache, const ContentHash &key,
                                const std::function<CacheEntry()> &build,
                                std::string (*faultOf)(std::string_view image));

std::string kernelNames(const CompileResult &result); // "quantize, dequantize"

struct CachedCompilation {
  std::string image, warnings;
  bool wasFound = false;
  std::string problem; // why it was not stored
};

/// Runs mxc::compile to Ptx, Cubin or Fatbin through `cache`, or without one if it is null. A kernel that is
/// found whole is not compiled; its warnings are those of its compilation. Throws what
/// mxc::compile throws; failures are not kept.
CachedCompilation compileCached(const KernelCache *cache, std::string_view source,
                                std::string_view sourceName, const CompileOptions &options);

} // namespace mxc
