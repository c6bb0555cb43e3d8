// A copy along columns has the exchanged shape, unless it is not transposed.
// RUN: mxc-opt %s -split-input-file -verify-diagnostics

mx.kernel @right(%x: memref<64x96xbf16>, %q: memref<96x64xf8E4M3FN>, %s: memref<96x2xf8E8M0FNU>) {
  mx.quantize ins(%x : memref<64x96xbf16>) outs(%q, %s : memref<96x64xf8E4M3FN>, memref<96x2xf8E8M0FNU>) axis = column
}

// -----

mx.kernel @not_transposed(%x: memref<64x96xbf16>, %q: memref<64x96xf8E4M3FN>, %s: memref<96x2xf8E8M0FNU>) {
  mx.quantize ins(%x : memref<64x96xbf16>) outs(%q, %s : memref<64x96xf8E4M3FN>, memref<96x2xf8E8M0FNU>) axis = column transpose = false
}

// -----

mx.kernel @as_the_input(%x: memref<64x96xbf16>, %q: memref<64x96xf8E4M3FN>, %s: memref<96x2xf8E8M0FNU>) {
  // expected-error @+1 {{inputs must have the shape of the data, transposed, 'memref<96x64xf8E4M3FN>', found 'memref<64x96xbf16>' [Q2]}}
  mx.quantize ins(%x : memref<64x96xbf16>) outs(%q, %s : memref<64x96xf8E4M3FN>, memref<96x2xf8E8M0FNU>) axis = column
}

// -----

mx.kernel @second_copy(%x: memref<64x96xbf16>, %q: memref<64x96xf8E4M3FN>, %s: memref<64x3xf8E8M0FNU>,
                       %p: memref<?x65xf8E4M3FN>, %t: memref<96x2xf8E8M0FNU>) {
  // expected-error @+1 {{inputs must have the shape of the data, transposed, 'memref<65x?xf8E4M3FN>', found 'memref<64x96xbf16>' [Q2]}}
  mx.quantize ins(%x : memref<64x96xbf16>) outs(%q, %s, %p, %t : memref<64x96xf8E4M3FN>, memref<64x3xf8E8M0FNU>, memref<?x65xf8E4M3FN>, memref<96x2xf8E8M0FNU>) axis = both
}
