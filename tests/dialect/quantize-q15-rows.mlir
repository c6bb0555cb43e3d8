// RUN: mxc-opt %s -split-input-file -verify-diagnostics

mx.kernel @region(%x: memref<?x?xbf16>, %f: memref<?xf32>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>) {
  // expected-error @+1 {{rows is an argument of a prologue, found no region [Q15]}}
  mx.quantize ins(%x : memref<?x?xbf16>) rows(%f : memref<?xf32>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>)
}

// -----

mx.kernel @arguments(%x: memref<?x?xbf16>, %f: memref<?xf32>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>) {
  // expected-error @+1 {{prologue must take 2 f32 (one for each input and one of rows(..)), found ('f32') [Q4]}}
  mx.quantize ins(%x : memref<?x?xbf16>) rows(%f : memref<?xf32>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>) {
  ^bb0(%a: f32):
    mx.yield %a : f32
  }
}

// -----

mx.kernel @length(%x: memref<?x?xbf16>, %f: memref<10xf32>, %q: memref<11x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>) {
  // expected-error @+1 {{operands must agree on M: found 10 in 'memref<10xf32>' and 11 in 'memref<11x?xf8E4M3FN>'}}
  mx.quantize ins(%x : memref<?x?xbf16>) rows(%f : memref<10xf32>) outs(%q, %s : memref<11x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>) {
  ^bb0(%a: f32, %b: f32):
    %y = arith.mulf %a, %b : f32
    mx.yield %y : f32
  }
}
