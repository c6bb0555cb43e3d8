// What an f32 or f64 operation gives is rounded to f16 and bf16 as it is: every pair of types and operations,
// on a value of every binade of either operand.
#include "dialect/formats/BlockScale.h"
#include "tests/unit/prologue/NarrowOperations.h"
#include "tests/unit/prologue/PrologueKernel.h"

#include <catch2/catch.hpp>

#include <bit>
#include <cmath>
#include <cstring>
#include <future>
#include <limits>
#include <random>

using namespace mxc;

namespace {

struct Combination {
  FloatShape x, y, wide, target;
  std::string text() const {
    return std::string(x.name) + ", " + y.name + " in " + wide.name + " to " + target.name;
  }
};

/// A value of every binade, subnormal ones too, and the bounds of the shape and of f16.
std::vector<double> valuesOf(const FloatShape &shape, std::mt19937 &random) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const double nan =
      std::bit_cast<float>(0x7FFFFFFF); // whose bits, as integers, those of every shape's NaN are
  std::vector<double> values = {0.0,    -0.0,    infinity, -infinity,  nan,     65504, 65520,  65536,
                                -65519, 0x1p-24, 0x1p-25,  -0x1.8p-25, 0x1p-14, 1.5,   131072, 0.25};
  for (int e = shape.minExponent - (shape.digits - 1); e <= shape.maxExponent; ++e) {
    double mantissa = 1 + std::ldexp(double(random()), -32);
    values.push_back(std::ldexp(random() % 2 ? mantissa : -mantissa, e));
  }
  double largest = std::ldexp(2.0, shape.maxExponent);
  for (double &value : values) // what rounding takes beyond the range becomes the largest value
    if (std::isfinite(value) && std::isinf(value = roundedTo(shape, value)))
      value = std::copysign(largest - std::ldexp(largest, -shape.digits), value);
  return values;
}

std::vector<std::byte> bytesOf(const FloatShape &shape, const std::vector<double> &values) {
  std::vector<std::byte> bytes(values.size() * size_t(shape.bits() / 8));
  for (size_t i = 0; i < values.size(); ++i) {
    float wide = float(values[i]);
    uint16_t narrow = shape.bits() == 16 ? narrowBits(shape, values[i]) : 0;
    if (shape.bits() == 16)
      std::memcpy(&bytes[2 * i], &narrow, 2);
    else
      std::memcpy(&bytes[4 * i], &wide, 4);
  }
  return bytes;
}

uint32_t folded(uint32_t hash, uint16_t bits) { return hash * 33 + bits; }

/// An operation's text with names of its own (%v becomes %v7_), of the wide type.
std::string instance(std::string_view body, const std::string &suffix, const FloatShape &wide) {
  std::string text;
  for (size_t i = 0; i < body.size(); ++i) {
    bool isType = body[i] == 'W', isName = body[i] == '%' && !std::isalnum(body[i + 2]);
    if (isName) text += body.substr(i, 2);
    if (isName && (body[i + 1] == 'x' || body[i + 1] == 'y'))
      text += wide.digits == 53 ? "" : body[i + 1] == 'x' ? "0" : "1";
    else if (isName)
      text += suffix;
    else
      text += isType ? wide.name : std::string(1, body[i]);
    i += isName;
  }
  // In f32 the operands are the region's own x0 and x1.
  for (size_t at; (at = text.find("%y1")) != text.npos;)
    text.replace(at, 3, "%x1");
  return text;
}

/// The region yields the fourth of the 16 bits of all results' hash that its third input asks for.
std::string body(const Combination &c, std::span<const NarrowOperation> operations) {
  bool isDouble = c.wide.digits == 53;
  std::string text = isDouble
                         ? "%x = arith.extf %x0 : f32 to f64\n%y = arith.extf %x1 : f32 to f64\n"
                           "%xl = arith.bitcast %x : f64 to i64\n%yl = arith.bitcast %y : f64 to i64\n"
                           "%half = arith.constant 32 : i64\n%xh = arith.shrui %xl, %half : i64\n"
                           "%yh = arith.shrui %yl, %half : i64\n%xi = arith.trunci %xh : i64 to i32\n"
                           "%yi = arith.trunci %yh : i64 to i32\n"
                         : "%xi = arith.bitcast %x0 : f32 to i32\n%yi = arith.bitcast %x1 : f32 to i32\n";
  text +=
      "%c16 = arith.constant 16 : i32\n%xu = arith.shrui %xi, %c16 : i32\n%yu = arith.shrui %yi, %c16 : i32\n"
      "%xs = arith.trunci %xu : i32 to i16\n%ys = arith.trunci %yu : i32 to i16\n"
      "%nan = arith.constant 0x7FFF : i16\n%c33 = arith.constant 33 : i32\n%h = arith.constant 0 : i32\n";
  std::string before = "%h", target = c.target.name;
  for (size_t i = 0; i < operations.size(); ++i) {
    std::string n = std::to_string(i) + "_", each = instance(operations[i].body, n, c.wide);
    text += each + "%to" + n + " = arith.truncf %v" + n + " : " + c.wide.name + " to " + target + "\n%uno" +
            n + " = arith.cmpf uno, %to" + n + ", %to" + n + " : " + target + "\n%bits" + n +
            " = arith.bitcast %to" + n + " : " + target + " to i16\n%sel" + n + " = arith.select %uno" + n +
            ", %nan, %bits" + n + " : i16\n%ext" + n + " = arith.extui %sel" + n + " : i16 to i32\n%mul" + n +
            " = arith.muli " + before + ", %c33 : i32\n%hash" + n + " = arith.addi %mul" + n + ", %ext" + n +
            " : i32\n";
    before = "%hash" + n;
  }
  return text + "%up = arith.shrui " + before + ", %c16 : i32\n%mix = arith.xori " + before +
         ", %up : i32\n%shift = arith.fptoui %x2 : f32 to i32\n%c15 = arith.constant 15 : i32\n"
         "%down = arith.shrui %mix, %shift : i32\n%four = arith.andi %down, %c15 : i32\n"
         "%r = arith.uitofp %four : i32 to f32\n";
}

struct Difference {
  size_t count = 0;
  double x = 0, y = 0; // the first
};

Difference differences(const Combination &c, const std::string &target,
                       std::span<const NarrowOperation> operations) {
  std::mt19937 random(7);
  std::vector<double> xs, ys, shifts;
  constexpr size_t kStride = 61; // every binade of either against those of the other in turn
  size_t first = 0;
  for (double x : valuesOf(c.x, random)) {
    std::vector<double> all = valuesOf(c.y, random);
    for (size_t i = first++ % kStride; i < all.size(); i += kStride)
      xs.push_back(x), ys.push_back(all[i]);
  }
  size_t pairs = xs.size();
  for (int row = 0; row < 4; ++row)
    shifts.insert(shifts.end(), pairs, 4.0 * row);
  for (int row = 1; row < 4; ++row)
    for (std::vector<double> *each : {&xs, &ys})
      each->insert(each->end(), each->begin(), each->begin() + ptrdiff_t(pairs));
  PrologueKernel kernel(quantizeBehind({c.x.name, c.y.name, "bf16"}, body(c, operations)), target,
                        "rows_per_warp = 1, lane_elements = 4, access = element");
  std::vector<std::byte> x = bytesOf(c.x, xs), y = bytesOf(c.y, ys), shift = bytesOf(kBf16, shifts);
  Quantized found = kernel.run({{"in0", x}, {"in1", y}, {"in2", shift}}, 4, int64_t(pairs));

  size_t blocks = (pairs + 31) / 32;
  Difference difference;
  for (size_t i = 0; i < pairs; ++i) {
    uint32_t expected = 0, hash = 0;
    for (const NarrowOperation &operation : operations)
      expected = folded(expected,
                        narrowBits(c.target, roundedTo(c.target, operation.compute(xs[i], ys[i], c.wide))));
    expected = (expected ^ expected >> 16) & 0xFFFF;
    for (size_t row = 0; row < 4; ++row) {
      float value = decode(ElementFormat::E4M3, uint8_t(found.q[row * pairs + i]));
      value = std::ldexp(value, int(found.s[row * blocks + i / 32]) - 127);
      hash |= uint32_t(value) << (4 * row);
    }
    if (hash == expected) continue;
    if (!difference.count++) difference.x = xs[i], difference.y = ys[i];
  }
  return difference;
}

/// "" or which operations are wrong.
std::string failure(const Combination &c, const std::string &target) {
  if (!differences(c, target, narrowOperations()).count) return {};
  std::string text = c.text() + " on " + target + ":";
  for (const NarrowOperation &operation : narrowOperations())
    if (Difference d = differences(c, target, {&operation, 1}); d.count) {
      char first[80];
      std::snprintf(first, sizeof first, " of %zu pairs, first %a, %a", d.count, d.x, d.y);
      text += std::string("\n  ") + operation.name + first;
    }
  return text;
}

} // namespace

TEST_CASE("narrowing: what is truncated was computed as the operation says") {
  const FloatShape inputs[] = {kBf16, kF16, kF32};
  std::vector<Combination> combinations;
  for (const FloatShape &x : inputs)
    for (const FloatShape &y : inputs)
      for (const FloatShape &target : {kF16, kBf16})
        for (const FloatShape &wide : {kF32, kF64})
          combinations.push_back({x, y, wide, target});
  std::vector<std::string> targets = testTargets();
  std::vector<std::future<std::string>> failures;
  for (size_t i = 0; i < combinations.size(); ++i)
    failures.push_back(std::async(i % 2 ? std::launch::async : std::launch::deferred, failure,
                                  combinations[i], targets[i % targets.size()]));
  for (std::future<std::string> &each : failures)
    CHECK(each.get() == "");
}
