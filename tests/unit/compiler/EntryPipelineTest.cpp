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
