#include "tests/end-to-end/KernelText.h"

static std::string matrix(const std::string &shape, const std::string &element, const std::string &strides) {
  return "memref<" + shape + "x" + element + (strides.empty() ? "" : ", strided<[" + strides + ", 1]>") + ">";
}

static std::string scales(const std::string &layout, const std::string &block, const std::string &scale) {
  const std::string element = !scale.empty() ? scale : block.empty() ? "f8E8M0FNU" : "f32";
  return "memref<?x?x" + element + ", #mx.scale_layout<" + layout + ">>";
}

static std::string blockClause(const std::string &block) { return block.empty() ? "" : " block = " + block; }

std::string QuantizeText::text() const {
  std::string x = matrix(shape, input, strides), s = scales(layout, block, scale);
  auto has = [&](const char *word) { return axis.find(word) != std::string::npos; };
  bool isBoth = has("both"), isTransposed = !has("row") && !has("false");
  std::string row = matrix(shape, element, strides);
  std::string column = matrix(isTransposed ? transposedShape : shape, element, strides);
  std::string first = has("column") ? column : row;
  std::string arguments = "%x: " + x, ins = "%x", inTypes = x, outs = "%q, %s", outTypes = first + ", " + s;
  if (inputs == 2) arguments += ", %y: " + x, ins += ", %y", inTypes += ", " + x;
  std::string rowsOf, indices = "memref<?xi32>";
  if (!align.empty()) arguments += ", %ends: " + indices, rowsOf += " groups(%ends : " + indices + ")";
  if (isGathered) arguments += ", %index: " + indices, rowsOf += " gather(%index : " + indices + ")";
  const std::string tensors = hasTwoTensors ? "memref<2xf32>" : "memref<1xf32>", random = "memref<2xi64>";
  if (hasTensorScale) arguments += ", %t: " + tensors, rowsOf += " " + tensorSense + "(%t : " + tensors + ")";
  if (isRandom) arguments += ", %random: " + random, rowsOf += " random(%random : " + random + ")";
  if (hasRowValues) arguments += ", %rows: memref<?xf32>", rowsOf += " rows(%rows : memref<?xf32>)";
  arguments += ", %q: " + first + ", %s: " + s;
  if (isBoth) {
    arguments += ", %qt: " + column + ", %st: " + s;
    outs += ", %qt, %st", outTypes += ", " + column + ", " + s;
  }
  std::string totals;
  if (hasAmax) arguments += ", %amax: " + tensors, totals += " amax(%amax : " + tensors + ")";
  if (hasColumnSum) arguments += ", %sums: memref<?xf32>", totals += " column_sum(%sums : memref<?xf32>)";
  std::string rule =
      clauses.empty() ? (hasTensorScale ? "" : "rounding = " + rounding) + " special = " + special : clauses;
  rule += blockClause(block);
  std::string region;
  if (!prologue.empty())
    region = " {\n^bb0(%a: f32" + std::string(inputs == 2 ? ", %b: f32" : "") +
             (hasRowValues ? ", %f: f32" : "") + "):\n" + prologue + "  mx.yield %r : f32\n  }";
  return "mx.kernel @" + name + "(" + arguments + ") {\n  mx.quantize ins(" + ins + " : " + inTypes + ")" +
         rowsOf + " outs(" + outs + " : " + outTypes + ")" + totals + " " + axis + " " + rule +
         (align.empty() ? "" : " align = " + align) + (tiles.empty() ? "" : " tiles = " + tiles) + region +
         "\n}\n";
}

std::string DequantizeText::text() const {
  std::string y = matrix("?x?", output, strides), q = matrix("?x?", element, strides),
              s = scales(layout, block, scale);
  return "mx.kernel @" + name + "(%q: " + q + ", %s: " + s + ", %y: " + y +
         ") {\n  mx.dequantize ins(%q, %s : " + q + ", " + s + ") outs(%y : " + y + ")" + blockClause(block) +
         "\n}\n";
}

std::string MatmulText::text() const {
  std::string batch = isBatched ? "?x" : "", strides = !isStrided ? "" : isBatched ? "?, ?" : "?";
  auto operand = [&](const std::string &type) { return matrix(batch + "?x?", type, strides); };
  std::string a = operand(element), b = operand(elementB.empty() ? element : elementB), c = operand(output);
  std::string s = "memref<" + batch + "?x?xf8E8M0FNU, #mx.scale_layout<tcgen05>>",
              bias = matrix(batch + "1x?", "bf16", "");
  std::string text = "mx.kernel @" + name + "(%a: " + a + ", %sa: " + s + ", %b: " + b + ", %sb: " + s +
                     (hasBias ? ", %bias: " + bias : "") + ", %c: " + c +
                     ") {\n  mx.matmul ins(%a, %sa, %b, %sb : " + a + ", " + s + ", " + b + ", " + s + ")" +
                     (hasBias ? " with(%bias : " + bias + ")" : "") + " outs(%c : " + c + ") " + clauses;
  if (hasBias)
    text += " {\n^bb0(%product: f32, %shift: f32):\n  %zero = arith.constant 0.0 : f32\n"
            "  %sum = arith.addf %product, %shift : f32\n  %r = arith.maximumf %sum, %zero : f32\n"
            "  mx.yield %r : f32\n  }";
  return text + "\n}\n";
}

const char *const kSwigluPrologue = R"(
  %one = arith.constant 1.0 : f32
  %n = arith.negf %a : f32
  %e = math.exp %n fastmath<afn> : f32
  %d = arith.addf %e, %one : f32
  %g = arith.divf %a, %d fastmath<afn> : f32
  %r = arith.mulf %g, %b : f32
)";

const char *const kExactPrologue = R"(
  %half = arith.constant 0.5 : f32
  %p = arith.mulf %a, %b : f32
  %r = arith.addf %p, %half : f32
)";
