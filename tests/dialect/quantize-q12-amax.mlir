// RUN: mxc-opt %s -split-input-file -verify-diagnostics

mx.kernel @two(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>, %a: memref<2xf32>) {
  // expected-error @+1 {{amax must be memref<1xf32>, found 'memref<2xf32>' [Q12]}}
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>) amax(%a : memref<2xf32>)
}
