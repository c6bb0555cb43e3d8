#include "runtime/jit/CachedCompilation.h"

#include "compiler/CompilerIdentity.h"
#include "compiler/codegen/AssembledImage.h"

namespace mxc {

ContentHash kernelKey(std::string_view source, std::string_view sourceName, const CompileOptions &options) {
  std::string kernels, targets;
  for (const std::string &target : options.targets) { // tiles are the target's
    CompileOptions canonical = options;
    canonical.targets = {target};
    canonical.stage = Stage::Mlir;
    kernels += compile(source, sourceName, canonical).output;
    targets += target + " ";
  }
  std::string launches;
  for (const ExpectedLaunch &launch : options.launches) {
    launches += launch.kernel + " " + launch.target;
    for (const auto &[name, value] : launch.values)
      launches += " " + name + "=" + std::to_string(value);
    launches += "\n";
  }
  return contentHash({kernels, targets, name(options.stage), options.tile, launches,
                      options.ptx ? std::to_string(*options.ptx) : "",
                      compilerIdentity(options.stage, options.assembler)});
}

KernelCache::Result obtainImage(const KernelCache &cache, const ContentHash &key,
                                const std::function<CacheEntry()> &build,
                                std::string (*faultOf)(std::string_view image)) {
  KernelCache::Result result = cache.obtain(key, build);
  if (!result.wasFound || faultOf(result.entry.image).empty()) return result;
  cache.remove(hexadecimal(key));
  return cache.obtain(key, build);
}

std::string kernelNames(const CompileResult &result) {
  std::string names;
  if (!result.abis.empty())
    for (const KernelAbi &kernel : result.abis.front().kernels)
      names += (names.empty() ? "" : ", ") + kernel.name;
  return names;
}

CachedCompilation compileCached(const KernelCache *cache, std::string_view source,
                                std::string_view sourceName, const CompileOptions &options) {
  auto build = [&] {
    CompileResult result = compile(source, sourceName, options);
    std::string targets;
    for (const std::string &target : options.targets)
      targets += (targets.empty() ? "" : ", ") + target;
    return CacheEntry{std::move(result.output), std::move(result.warnings), kernelNames(result), targets,
                      std::string(name(options.stage))};
  };
  if (!cache) {
    CacheEntry entry = build();
    return {std::move(entry.image), std::move(entry.warnings), false, ""};
  }
  KernelCache::Result result =
      obtainImage(*cache, kernelKey(source, sourceName, options), build, faultOfImage);
  return {std::move(result.entry.image), std::move(result.entry.warnings), result.wasFound, result.problem};
}

} // namespace mxc
