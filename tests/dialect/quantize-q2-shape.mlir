// RUN: mxc-opt %s -split-input-file -verify-diagnostics

mx.kernel @rows(%x: memref<64x?xbf16>, %q: memref<65x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>) {
  // expected-error @+1 {{inputs must have the shape of the data 'memref<65x?xf8E4M3FN>', found 'memref<64x?xbf16>' [Q2]}}
  mx.quantize ins(%x : memref<64x?xbf16>) outs(%q, %s : memref<65x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>)
}

// -----

mx.kernel @columns(%x: memref<?x96xbf16>, %q: memref<?x64xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>) {
  // expected-error @+1 {{inputs must have the shape of the data 'memref<?x64xf8E4M3FN>', found 'memref<?x96xbf16>' [Q2]}}
  mx.quantize ins(%x : memref<?x96xbf16>) outs(%q, %s : memref<?x64xf8E4M3FN>, memref<?x?xf8E8M0FNU>)
}

// -----

mx.kernel @second_input(%x: memref<?x64xbf16>, %y: memref<?x32xbf16>, %q: memref<?x64xf8E4M3FN>, %s: memref<?x2xf8E8M0FNU>) {
  // expected-error @+1 {{inputs must have the shape of the data 'memref<?x64xf8E4M3FN>', found 'memref<?x32xbf16>' [Q2]}}
  mx.quantize ins(%x, %y : memref<?x64xbf16>, memref<?x32xbf16>) outs(%q, %s : memref<?x64xf8E4M3FN>, memref<?x2xf8E8M0FNU>) {
  ^bb0(%a: f32, %b: f32):
    mx.yield %a : f32
  }
}
