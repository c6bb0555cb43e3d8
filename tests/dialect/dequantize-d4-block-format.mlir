// RUN: mxc-opt %s -verify-diagnostics

mx.kernel @e5m2(%q: memref<?x?xf8E5M2>, %s: memref<?x?xf8E4M3FN>, %x: memref<?x?xf32>) {
  // expected-error @+1 {{found 'f8E5M2' and 'f8E4M3FN' [D4]}}
  mx.dequantize ins(%q, %s : memref<?x?xf8E5M2>, memref<?x?xf8E4M3FN>) outs(%x : memref<?x?xf32>)
}
