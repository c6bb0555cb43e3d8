// Fused prologues: exact ones byte for byte, inexact ones within the tolerance that compareOutputs states.
#include "tests/end-to-end/CheckedRun.h"
#include "tests/end-to-end/MatrixData.h"

#include <catch2/catch.hpp>

using namespace mxc;

static std::string kernelText(const std::string &aType, const std::string &bType, const std::string &body,
                              const std::string &special = "propagate") {
  std::string a = "memref<?x?x" + aType + ">", b = "memref<?x?x" + bType + ">", q = "memref<?x?xf8E4M3FN>",
              s = "memref<?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>";
  return "mx.kernel @k(%a: " + a + ", %b: " + b + ", %q: " + q + ", %s: " + s +
         ") {\n  mx.quantize ins(%a, %b : " + a + ", " + b + ") outs(%q, %s : " + q + ", " + s +
         ") axis = row special = " + special + " {\n^bb0(%x: f32, %y: f32):\n" + body +
         "  mx.yield %r : f32\n  }\n}\n";
}

static const char *const kSwiglu = R"(
  %one = arith.constant 1.0 : f32
  %n = arith.negf %x : f32
  %e = math.exp %n fastmath<afn> : f32
  %d = arith.addf %e, %one : f32
  %g = arith.divf %x, %d fastmath<afn> : f32
  %r = arith.mulf %g, %y : f32
)";

static const char *const kExact = R"(
  %half = arith.constant 0.5 : f32
  %limit = arith.constant 1.0e4 : f32
  %p = arith.mulf %x, %y : f32
  %n = math.absf %y : f32
  %t = arith.addf %p, %half : f32
  %d = arith.divf %t, %limit : f32
  %c = arith.cmpf olt, %n, %half : f32
  %m = arith.maximumf %d, %x : f32
  %k = arith.select %c, %m, %p : f32
  %h = arith.truncf %k : f32 to bf16
  %r = arith.extf %h : bf16 to f32
)";

static const char *const kBits = R"(
  %mask = arith.constant -65536 : i32
  %i = arith.bitcast %x : f32 to i32
  %j = arith.andi %i, %mask : i32
  %f = arith.bitcast %j : i32 to f32
  %root = math.sqrt %y : f32
  %r = math.fma %f, %root, %y : f32
)";

static void check(const std::string &aType, const std::string &bType, const std::string &source,
                  const std::string &tile, bool finite) {
  Kernel kernel = compileForDevice(source, tile).kernel();
  Prologue prologue = Prologue::parse(source).value();
  for (Shape shape :
       {Shape{1, 32}, Shape{1, 1}, Shape{127, 33}, Shape{128, 4096}, Shape{300, 96}, Shape{1000, 1024}}) {
    std::vector<std::byte> a = matrixData(floatTypeNamed(aType), shape.rows, shape.columns, 5, finite);
    std::vector<std::byte> b = matrixData(floatTypeNamed(bType), shape.rows, shape.columns, 6, finite);
    RunCase run;
    run.inputs = {{"a", a}, {"b", b}};
    run.dimensions = {{"M", shape.rows}, {"K", shape.columns}};
    run.prologue = &prologue;
    RunOutcome outcome = runChecked(kernel, run);
    INFO(text(shape) << " " << aType << " " << bType << " <" << outcome.tile << ">\n" << source);
    CHECK(outcome.failure == "");
  }
}

static const char *const kTiles[] = {"", "rows_per_warp = 4", "variant = bulk",
                                     "rows_per_warp = 1, access = element"};

TEST_CASE("prologue: swiglu within the tolerance", "[small][simulated][family]") {
  for (const char *tile : kTiles)
    for (const char *type : {"bf16", "f16"})
      check(type, type, kernelText(type, type, kSwiglu), tile, /*finite=*/true);
}

TEST_CASE("prologue: exact operations give the reference's bytes", "[small]") {
  CHECK(Prologue::parse(kernelText("bf16", "bf16", kExact))->isExact());
  CHECK_FALSE(Prologue::parse(kernelText("bf16", "bf16", kSwiglu))->isExact());
  for (const char *tile : kTiles)
    for (const char *body : {kExact, kBits})
      for (const char *special : {"propagate", "saturate"}) {
        check("bf16", "bf16", kernelText("bf16", "bf16", body, special), tile, /*finite=*/false);
        check("f32", "f16", kernelText("f32", "f16", body, special), tile, /*finite=*/false);
      }
}
