// Compilation through the kernel cache.
#pragma once

#include "compiler/Compiler.h"
#include "runtime/jit/KernelCache.h"

#include <string>
#include <string_view>

namespace mxc {

/// What an image depends on: the kernel as the compiler understands it, without comments, layout and names
/// that mean nothing; target, stage and tile; the compiler and its assembler (compilerIdentity). Throws what
/// mxc::compile does for a source that is at fault.
ContentHash kernelKey(std::string_view source, std::string_view sourceName, const CompileOptions &options);

struct CachedCompilation {
  std::string image, warnings;
  bool wasFound = false;
  std::string problem; // why it was not stored
};

/// mxc::compile to Ptx, Cubin or Fatbin by way of `cache`; null: without one. A kernel that is found is not
/// compiled, and its warnings are those of its compilation. Throws what mxc::compile throws; failures are not
/// kept.
CachedCompilation compileCached(const KernelCache *cache, std::string_view source,
                                std::string_view sourceName, const CompileOptions &options);

} // namespace mxc
