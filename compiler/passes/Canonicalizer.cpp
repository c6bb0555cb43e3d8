#include "compiler/passes/Canonicalizer.h"

#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace mxc {

std::unique_ptr<Pass> createCanonicalizer(const GreedyRewriteConfig &config) {
  std::vector<std::string> unsound;
  for (const char *space : {"(anonymous namespace)::", "{anonymous}::"}) // as clang and as GCC name it
    for (const char *pattern : {"TruncFSIToFPToSIToFP", "TruncFUIToFPToUIToFP"})
      unsound.push_back(std::string(space) + pattern);
  return createCanonicalizerPass(config, unsound);
}

} // namespace mxc
