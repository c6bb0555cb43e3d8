// The host's evaluation of prologues against values that IEEE 754 fixes.
#include "compiler/reference/PrologueEvaluator.h"
#include "dialect/formats/Error.h"
#include "tests/unit/compiler/KernelText.h"

#include <catch2/catch.hpp>

#include <bit>
#include <cmath>
#include <limits>

using namespace mxc;

static constexpr float kNan = std::numeric_limits<float>::quiet_NaN(),
                       kInf = std::numeric_limits<float>::infinity();

/// The bits of the region's value for one x and one y.
static uint32_t valueOf(const std::string &body, float x, float y) {
  Prologue prologue = Prologue::parse(prologueKernel(body)).value();
  std::span<const float> inputs[] = {{&x, 1}, {&y, 1}};
  float result;
  prologue.evaluate(inputs, {&result, 1});
  return std::bit_cast<uint32_t>(result);
}
static uint32_t bits(float value) { return std::bit_cast<uint32_t>(value); }

TEST_CASE("prologue: sums, products and quotients are IEEE 754's, subnormals included") {
  CHECK(valueOf("%r = arith.addf %x, %y : f32\n", 1.0f, 0x1p-24f) == bits(1.0f)); // ties to even
  CHECK(valueOf("%r = arith.mulf %x, %y : f32\n", 0x1p-126f, 0x1p-20f) == bits(0x1p-146f));
  CHECK(valueOf("%r = arith.divf %x, %y : f32\n", 1.0f, 3.0f) == 0x3EAAAAAB);
  CHECK(valueOf("%r = arith.subf %x, %y : f32\n", 0.0f, 0.0f) == bits(0.0f));
  CHECK(valueOf("%r = arith.negf %x : f32\n", 0.0f, 0.0f) == bits(-0.0f));
}

TEST_CASE("prologue: products and sums are fused only where math.fma says so") {
  float x = 1 + 0x1p-12f, y = -(1 + 0x1p-11f); // x * x = 1 + 2^-11 + 2^-24
  CHECK(valueOf("%p = arith.mulf %x, %x : f32\n%r = arith.addf %p, %y : f32\n", x, y) == bits(0.0f));
  CHECK(valueOf("%r = math.fma %x, %x, %y : f32\n", x, y) == bits(0x1p-24f));
}

TEST_CASE("prologue: minima and maxima order zeros and treat NaN as their names say") {
  CHECK(valueOf("%r = arith.maximumf %x, %y : f32\n", -0.0f, 0.0f) == bits(0.0f));
  CHECK(valueOf("%r = arith.minimumf %x, %y : f32\n", 0.0f, -0.0f) == bits(-0.0f));
  CHECK(std::isnan(std::bit_cast<float>(valueOf("%r = arith.maximumf %x, %y : f32\n", kNan, 1.0f))));
  CHECK(valueOf("%r = arith.maxnumf %x, %y : f32\n", kNan, 1.0f) == bits(1.0f));
  CHECK(valueOf("%r = arith.minnumf %x, %y : f32\n", 2.0f, kNan) == bits(2.0f));
}

TEST_CASE("prologue: comparisons know unordered operands") {
  auto compare = [](const char *predicate, float x, float y) {
    return valueOf(std::string("%c = arith.cmpf ") + predicate +
                       ", %x, %y : f32\n%one = arith.constant 1.0 : f32\n" +
                       "%zero = arith.constant 0.0 : f32\n%r = arith.select %c, %one, %zero : f32\n",
                   x, y) == bits(1.0f);
  };
  struct Row {
    const char *predicate;
    bool less, equal, greater, unordered;
  };
  for (Row row :
       {Row{"oeq", 0, 1, 0, 0}, Row{"ogt", 0, 0, 1, 0}, Row{"oge", 0, 1, 1, 0}, Row{"olt", 1, 0, 0, 0},
        Row{"ole", 1, 1, 0, 0}, Row{"one", 1, 0, 1, 0}, Row{"ord", 1, 1, 1, 0}, Row{"ueq", 0, 1, 0, 1},
        Row{"ugt", 0, 0, 1, 1}, Row{"uge", 0, 1, 1, 1}, Row{"ult", 1, 0, 0, 1}, Row{"ule", 1, 1, 0, 1},
        Row{"une", 1, 0, 1, 1}, Row{"uno", 0, 0, 0, 1}, Row{"true", 1, 1, 1, 1}, Row{"false", 0, 0, 0, 0}}) {
    INFO(row.predicate);
    CHECK(compare(row.predicate, 1, 2) == row.less);
    CHECK(compare(row.predicate, 2, 2) == row.equal);
    CHECK(compare(row.predicate, kInf, 2) == row.greater);
    CHECK(compare(row.predicate, kNan, 2) == row.unordered);
  }
}

TEST_CASE("prologue: narrow types round, bits can be taken apart") {
  CHECK(valueOf("%h = arith.truncf %x : f32 to bf16\n%r = arith.extf %h : bf16 to f32\n", 1 + 0x1p-8f, 0) ==
        bits(1.0f));
  CHECK(valueOf("%h = arith.truncf %x : f32 to f16\n%r = arith.extf %h : f16 to f32\n", 65520.0f, 0) ==
        bits(kInf));
  CHECK(valueOf("%i = arith.bitcast %x : f32 to i32\n%m = arith.constant 2147483647 : i32\n%j = arith.andi "
                "%i, %m : i32\n"
                "%r = arith.bitcast %j : i32 to f32\n",
                -3.5f, 0) == bits(3.5f));
  CHECK(
      valueOf(
          "%i = arith.bitcast %x : f32 to i32\n%c = arith.constant 31 : i32\n%j = arith.shrsi %i, %c : i32\n"
          "%r = arith.sitofp %j : i32 to f32\n",
          -3.5f, 0) == bits(-1.0f));
}

TEST_CASE("prologue: which ones are exact") {
  CHECK(Prologue::parse(prologueKernel("%r = arith.mulf %x, %y : f32\n"))->isExact());
  CHECK(Prologue::parse(prologueKernel("%r = math.sqrt %x : f32\n"))->isExact());
  CHECK_FALSE(Prologue::parse(prologueKernel("%r = math.exp %x : f32\n"))->isExact());
  CHECK_FALSE(Prologue::parse(prologueKernel("%r = arith.divf %x, %y fastmath<afn> : f32\n"))->isExact());
}

TEST_CASE("prologue: what is no prologue, and what the evaluator does not know") {
  CHECK_FALSE(Prologue::parse(
      "mx.kernel @k(%a: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>) "
      "{ mx.quantize ins(%a : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, "
      "memref<?x?xf8E8M0FNU>) }"));
  CHECK_THROWS_WITH(Prologue::parse("mx.kernel @k("), Catch::Contains("expected"));
  CHECK_THROWS_WITH(Prologue::parse(prologueKernel("%r = arith.addf %x, %y : f32\n"), "other"),
                    Catch::Contains("expected a kernel 'other', found k"));
  CHECK_THROWS_WITH(Prologue::parse(prologueKernel("%r = math.clampf %x to [%y, %y] : f32\n")),
                    Catch::Contains("math.clampf"));
  Prologue prologue = Prologue::parse(prologueKernel("%r = arith.addf %x, %y : f32\n")).value();
  float one = 1, out[2];
  std::span<const float> inputs[] = {{&one, 1}, {&one, 1}};
  CHECK_THROWS_AS(prologue.evaluate(inputs, out), Error);
}
