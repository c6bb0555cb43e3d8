// RUN: mxc-opt %s -split-input-file -verify-diagnostics

mx.kernel @rows(%q: memref<8x?xf8E4M3FN>, %s: memref<8x?xf8E8M0FNU>, %x: memref<9x?xf32>) {
  // expected-error @+1 {{values must have the shape of the data 'memref<8x?xf8E4M3FN>', found 'memref<9x?xf32>' [D1]}}
  mx.dequantize ins(%q, %s : memref<8x?xf8E4M3FN>, memref<8x?xf8E8M0FNU>) outs(%x : memref<9x?xf32>)
}

// -----

mx.kernel @columns(%q: memref<?x64xf8E4M3FN>, %s: memref<?x2xf8E8M0FNU>, %x: memref<?x32xf32>) {
  // expected-error @+1 {{values must have the shape of the data 'memref<?x64xf8E4M3FN>', found 'memref<?x32xf32>' [D1]}}
  mx.dequantize ins(%q, %s : memref<?x64xf8E4M3FN>, memref<?x2xf8E8M0FNU>) outs(%x : memref<?x32xf32>)
}

// -----

mx.kernel @values_of_fp8(%q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>, %x: memref<?x?xf8E5M2>) {
  // expected-error @+1 {{operand #2 must be 2D memref of bfloat16 type or 16-bit float or 32-bit float values}}
  mx.dequantize ins(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>) outs(%x : memref<?x?xf8E5M2>)
}
