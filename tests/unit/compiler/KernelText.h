// Small kernels as MLIR, and their ABI as the compiler records it.
#pragma once

#include "compiler/Compiler.h"

#include <string>

/// "mx.quantize" of two bf16 inputs a and b, with a region of x and y (f32) that ends with the value %r.
inline std::string prologueKernel(const std::string &body, const std::string &name = "k") {
  return "mx.kernel @" + name +
         "(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>) "
         "{\n"
         "  mx.quantize ins(%a, %b : memref<?x?xbf16>, memref<?x?xbf16>)\n"
         "      outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>) {\n"
         "  ^bb0(%x: f32, %y: f32):\n" +
         body + "    mx.yield %r : f32\n  }\n}\n";
}

inline mxc::KernelAbi abiOf(const std::string &source) {
  mxc::CompileOptions options;
  options.stage = mxc::Stage::Tile;
  return mxc::compile(source, "test.mlir", options).abis.front().kernels.front();
}
