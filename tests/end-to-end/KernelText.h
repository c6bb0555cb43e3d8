// Kernels as text, for the matrix of types and attributes.
#pragma once

#include <string>

/// One mx.quantize; every member is spelled as in MLIR.
struct QuantizeText {
  std::string input = "bf16", element = "f8E4M3FN", layout = "tcgen05";
  std::string rounding = "ceil", special = "propagate";
  std::string block;               // "1x128", "1x128 to 1x32"; of f32 scales, unless
  std::string scale;               // says otherwise: "f8E8M0FNU"
  std::string axis = "axis = row"; // with `transpose`, where it is meant
  std::string clauses;             // instead of rounding and special, where not empty: `compat = "te"`
  std::string strides;             // "?" or "4096": of x, q and qt
  std::string shape = "?x?", transposedShape = "?x?";
  std::string align;                          // "1": rows in groups, argument ends; "" none
  bool isGathered = false;                    // argument index
  bool hasRowValues = false;                  // argument rows: %f of the prologue
  bool hasTensorScale = false;                // argument t
  std::string tensorSense = "tensor_scale";   // its clause
  bool hasTwoTensors = false;                 // t and amax are of each copy
  bool isRandom = false;                      // argument random
  bool hasAmax = false, hasColumnSum = false; // arguments amax and sums
  int inputs = 1;                             // x, or x and y
  std::string prologue;                       // makes %r of %a and, of two inputs, %b
  std::string tiles;                          // `[#mx.quantize_tile<>]`
  std::string name = "k";

  /// Arguments x (and y), ends, index where they are meant, q, s; of both axes qt and st after them.
  std::string text() const;
};

/// Prologues of two inputs: one whose results may differ in the last places, and one whose may not.
extern const char *const kSwigluPrologue, *const kExactPrologue;

struct DequantizeText {
  std::string element = "f8E4M3FN", layout = "tcgen05", output = "bf16", strides, name = "k", block = {},
              scale = {};
  std::string text() const; // arguments q, s, y
};

struct MatmulText {
  std::string element = "f8E4M3FN", elementB = {}, output = "bf16",
              name = "k";                    // elementB: of b, where not a's
  bool isBatched = false, isStrided = false; // all of a, b and c
  bool hasBias = false;                      // argument bias [1, N] of bf16; results below zero are zero
  std::string clauses = {};                  // `reduction = sequential`

  std::string text() const; // arguments a, sa, b, sb, (bias,) c
};
