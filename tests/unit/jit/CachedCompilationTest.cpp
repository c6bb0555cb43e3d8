// Which kernels are the same for the cache, and which are not.
#include "runtime/jit/CachedCompilation.h"
#include "compiler/CompilerIdentity.h"
#include "tests/unit/runtime/Failure.h"
#include "tests/unit/runtime/TemporaryFolder.h"

#include <cstdlib>
#include <sys/stat.h>

using namespace mxc;
using Catch::Contains;

static const std::string kSource =
    "mx.kernel @k(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>) {\n"
    "  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>)\n"
    "}\n";

static CompileOptions ptxFor(const std::string &target, const std::string &tile = "") {
  CompileOptions options;
  options.targets = {target};
  options.stage = Stage::Ptx;
  options.tile = tile;
  return options;
}

static std::string with(std::string text, const std::string &what, const std::string &instead) {
  return text.replace(text.find(what), what.size(), instead);
}

TEST_CASE("kernel key: of the kernel, not of its text or file", "[cache]") {
  const ContentHash key = kernelKey(kSource, "k.mlir", ptxFor("sm_90a"));
  CHECK(kernelKey("// a comment\n\n  " + kSource, "k.mlir", ptxFor("sm_90a")) == key);
  CHECK(kernelKey(kSource, "/elsewhere/k.mlir", ptxFor("sm_90a")) == key);
  CHECK(kernelKey(with(kSource, "@k", "@other"), "k.mlir", ptxFor("sm_90a")) != key);
  std::string renamed = kSource; // an argument's name is the ABI's
  for (size_t at; (at = renamed.find("%x")) != renamed.npos;)
    renamed[at + 1] = 'y';
  CHECK(kernelKey(renamed, "k.mlir", ptxFor("sm_90a")) != key);
}

TEST_CASE("kernel key: target, stage and tile are in it", "[cache]") {
  const ContentHash key = kernelKey(kSource, "k.mlir", ptxFor("sm_90a"));
  CHECK(kernelKey(kSource, "k.mlir", ptxFor("sm_100a")) != key);
  CHECK(kernelKey(kSource, "k.mlir", ptxFor("sm_90a", "warps = 8, rows_per_warp = 1")) != key);
  CompileOptions cubin = ptxFor("sm_90a");
  cubin.stage = Stage::Cubin;
  CHECK(kernelKey(kSource, "k.mlir", cubin) != key);
}

TEST_CASE("kernel key: a source that is at fault has none", "[cache]") {
  CHECK_THAT(invalidInput([] { kernelKey("mx.kernel @k(", "k.mlir", ptxFor("sm_90a")); }),
             Contains("k.mlir:1:"));
}

TEST_CASE("compiler identity: another assembler is another compiler, for machine code alone", "[cache]") {
  TemporaryFolder folder;
  std::filesystem::create_directories(folder.file("bin"));
  folder.write("bin/ptxas", "one");
  std::optional<std::string> before;
  if (const char *root = std::getenv("MXC_CUDA_ROOT")) before = root;
  setenv("MXC_CUDA_ROOT", folder.file("").c_str(), 1);
  const std::string cubin = compilerIdentity(Stage::Cubin, Assembler::Ptxas);
  const std::string ptx = compilerIdentity(Stage::Ptx, Assembler::Ptxas);
  CHECK(hasAssembler(Assembler::Ptxas));
  folder.write("bin/ptxas", "another");
  const std::string changed = compilerIdentity(Stage::Cubin, Assembler::Ptxas);
  const std::string ptxChanged = compilerIdentity(Stage::Ptx, Assembler::Ptxas);
  before ? setenv("MXC_CUDA_ROOT", before->c_str(), 1) : unsetenv("MXC_CUDA_ROOT");
  CHECK_THAT(cubin, Contains("/bin/ptxas 3 bytes of "));
  CHECK_THAT(changed, Contains("/bin/ptxas 7 bytes of "));
  CHECK(ptx == ptxChanged);
  for (const char *part : {"mxc 0.", "\ncompiler ", "\nLLVM ", "\nMLIR "})
    CHECK_THAT(ptx, Contains(part));
  CHECK_THAT(ptx, !Contains("ptxas"));
}

TEST_CASE("compileCached: a second compilation is found, whole", "[cache]") {
  TemporaryFolder folder;
  KernelCache cache(folder.file("cache"));
  CachedCompilation first = compileCached(&cache, kSource, "k.mlir", ptxFor("sm_100a"));
  CachedCompilation second = compileCached(&cache, "\n" + kSource, "other.mlir", ptxFor("sm_100a"));
  CHECK_FALSE(first.wasFound);
  CHECK(second.wasFound);
  CHECK((first.image == second.image));
  CHECK((first.image == compile(kSource, "third.mlir", ptxFor("sm_100a")).output));
  REQUIRE(cache.kernels().size() == 1);
  CHECK(cache.kernels()[0].entry->kernels == "k");
  CHECK(cache.kernels()[0].entry->target == "sm_100a");
}

TEST_CASE("compileCached: without a cache it compiles", "[cache]") {
  CachedCompilation result = compileCached(nullptr, kSource, "k.mlir", ptxFor("sm_90a"));
  CHECK_FALSE(result.wasFound);
  CHECK((result.image == compile(kSource, "k.mlir", ptxFor("sm_90a")).output));
}

TEST_CASE("compileCached: what is stored but is no image of a kernel is built anew", "[cache]") {
  TemporaryFolder folder;
  KernelCache cache(folder.file("cache"));
  const std::string whole = compile(kSource, "k.mlir", ptxFor("sm_90a")).output;
  for (const std::string &stored :
       {std::string("\x7f"
                    "ELF and no more"),
        std::string("junk"), std::string(), whole.substr(0, whole.find("__mxc_abi"))}) {
    cache.clear();
    cache.obtain(kernelKey(kSource, "k.mlir", ptxFor("sm_90a")),
                 [&] { return CacheEntry{stored, "", "k", "sm_90a", "ptx"}; });
    const CachedCompilation result = compileCached(&cache, kSource, "k.mlir", ptxFor("sm_90a"));
    CHECK_FALSE(result.wasFound);
    CHECK((result.image == whole));
    CHECK(compileCached(&cache, kSource, "k.mlir", ptxFor("sm_90a")).wasFound);
  }
}
