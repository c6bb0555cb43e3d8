// Entries compiled side by side, and the same as one module.
#include "compiler/Compiler.h"
#include "compiler/targets/Target.h"
#include "tests/unit/compiler/OneModule.h"

#include <catch2/catch.hpp>

using namespace mxc;

static std::string compiled(const std::string &source, const std::string &target, Stage stage) {
  CompileOptions options;
  options.targets = {target};
  options.stage = stage;
  return compile(source, "test.mlir", options).output;
}

static void checkSame(const std::string &source, const std::string &target) {
  const std::string ptx = compiled(source, target, Stage::Ptx);
  INFO(target << "\n" << source);
  CHECK(ptx.find(".entry k$") != ptx.npos); // there are several
  CHECK((ptx == ptxOfOneModule(compiled(source, target, Stage::Nvvm), target)));
}

static std::string rows(const std::string &name) {
  return "mx.kernel @" + name +
         "(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>) {\n"
         "  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, "
         "memref<?x?xf8E8M0FNU>)\n"
         "}\n";
}

TEST_CASE("entries side by side: the text of one module") {
  for (const char *target : {"sm_90a", "sm_100a", "sm_120a"})
    checkSame(rows("k"), target);
}

TEST_CASE("one entry: its code in the whole text, without the record") {
  CompileOptions options;
  options.targets = {"sm_90a"};
  options.stage = Stage::Ptx;
  const std::string whole = compile(rows("k"), "test.mlir", options).output;
  const ModuleAbi abi = compileAbi(rows("k"), "test.mlir", options).abis.at(0);
  REQUIRE(abi.kernels.at(0).variants.size() > 1);
  auto bodyOf = [](const std::string &ptx, const std::string &entry) {
    const size_t begin = ptx.find(".entry " + entry + "(");
    REQUIRE(begin != ptx.npos);
    return ptx.substr(begin, ptx.find("\n}", begin) - begin);
  };
  for (const AbiVariant &variant : abi.kernels[0].variants) {
    options.entry = variant.entry;
    const CompileResult alone = compile(rows("k"), "test.mlir", options);
    CHECK(alone.abis.empty());
    CHECK(alone.output.find("__mxc_abi") == alone.output.npos);
    CHECK(alone.output.find(".entry", alone.output.find(".entry") + 1) == alone.output.npos);
    std::string expected = bodyOf(whole, variant.entry), found = bodyOf(alone.output, variant.entry);
    auto withoutLabels = [](std::string text) { // they are numbered by entry
      std::string result;
      for (size_t i = 0; i < text.size(); ++i)
        if (text.compare(i, 4, "$L__") == 0)
          i = text.find_first_of(" ;:,\n", i) - 1;
        else
          result += text[i];
      return result;
    };
    CHECK(withoutLabels(found) == withoutLabels(expected));
  }
}

TEST_CASE("one entry: of an unknown name") {
  CompileOptions options;
  options.targets = {"sm_90a"};
  options.stage = Stage::Ptx;
  options.entry = "k$99";
  CHECK_THROWS_WITH(compile(rows("k"), "test.mlir", options),
                    "entry 'k$99': expected one of k, k, k$2, k$2, k$4");
}

TEST_CASE("entries side by side: shared memory is aligned as the most demanding entry wants it") {
  const std::string columns =
      "mx.kernel @k(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>) {\n"
      "  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>)\n"
      "      axis = column\n}\n";
  const std::string aligned =
      "llvm.mlir.global external @__mxc_shared() {addr_space = 3 : i32, alignment = 16 : "
      "i64} : !llvm.array<0 x i8>\n";
  for (const std::string &source : {columns, aligned + columns})
    checkSame(source, "sm_90a");
}

TEST_CASE("entries side by side: those that call libdevice are one module") {
  const std::string exact =
      "mx.kernel @k(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>) {\n"
      "  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>) "
      "{\n"
      "  ^bb0(%e: f32):\n    %y = math.exp %e : f32\n    mx.yield %y : f32\n  }\n}\n";
  checkSame(exact, "sm_90a");
}
