#include "tests/end-to-end/KernelText.h"

static std::string matrix(const std::string &shape, const std::string &element, const std::string &strides) {
  return "memref<" + shape + "x" + element + (strides.empty() ? "" : ", strided<[" + strides + ", 1]>") + ">";
}

static std::string scales(const std::string &layout) {
  return "memref<?x?xf8E8M0FNU, #mx.scale_layout<" + layout + ">>";
}

std::string QuantizeText::text() const {
  std::string x = matrix(shape, input, strides), q = matrix(shape, element, strides), s = scales(layout);
  std::string rule = clauses.empty() ? "rounding = " + rounding + " special = " + special : clauses;
  return "mx.kernel @" + name + "(%x: " + x + ", %q: " + q + ", %s: " + s +
         ") {\n  mx.quantize ins(%x : " + x + ") outs(%q, %s : " + q + ", " + s + ") axis = row " + rule +
         (tiles.empty() ? "" : " tiles = " + tiles) + "\n}\n";
}

std::string DequantizeText::text() const {
  std::string y = matrix("?x?", output, strides), q = matrix("?x?", element, strides), s = scales(layout);
  return "mx.kernel @" + name + "(%q: " + q + ", %s: " + s + ", %y: " + y +
         ") {\n  mx.dequantize ins(%q, %s : " + q + ", " + s + ") outs(%y : " + y + ")\n}\n";
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
