// RUN: mxc-opt %s -split-input-file -verify-diagnostics

mx.kernel @axis(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>) {
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>)
      // expected-error @+1 {{'diagonal' is no axis}}
      axis = diagonal
}

// -----

mx.kernel @rounding(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>) {
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>)
      // expected-error @+1 {{'up' is no rounding: expected ceil, floor, even, nearest, reciprocal, inverse}}
      rounding = up
}

// -----

mx.kernel @special(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>) {
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>)
      // expected-error @+1 {{'drop' is no special}}
      special = drop
}

// -----

mx.kernel @tiny(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>) {
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>)
      // expected-error @+1 {{'flush' is no tiny}}
      tiny = flush
}

// -----

mx.kernel @no_word(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>) {
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>)
      // expected-error @+1 {{expected ceil, floor, even}}
      rounding = 1
}

// -----

mx.kernel @no_equals(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>) {
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>)
      // expected-error @+1 {{expected '='}}
      rounding ceil
}
