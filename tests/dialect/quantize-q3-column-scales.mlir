// Scales of a copy along columns are those of the rows of [K, M], transposed or not.
// RUN: mxc-opt %s -split-input-file -verify-diagnostics

mx.kernel @transposed(%x: memref<65x96xbf16>, %q: memref<96x65xf8E4M3FN>, %s: memref<96x2xf8E8M0FNU>) {
  // expected-error @+1 {{scales must have shape [rows, ceil(columns/32)] of 'memref<96x65xf8E4M3FN>', found 'memref<96x2xf8E8M0FNU>' [Q3]}}
  mx.quantize ins(%x : memref<65x96xbf16>) outs(%q, %s : memref<96x65xf8E4M3FN>, memref<96x2xf8E8M0FNU>) axis = column
}

// -----

mx.kernel @untransposed(%x: memref<64x96xbf16>, %q: memref<64x96xf8E4M3FN>, %s: memref<64x3xf8E8M0FNU>) {
  // expected-error @+1 {{scales must have shape [rows, ceil(columns/32)] of 'memref<96x64xf8E4M3FN>', found 'memref<64x3xf8E8M0FNU>' [Q3]}}
  mx.quantize ins(%x : memref<64x96xbf16>) outs(%q, %s : memref<64x96xf8E4M3FN>, memref<64x3xf8E8M0FNU>) axis = column transpose = false
}

// -----

mx.kernel @rows_of_both(%x: memref<64x96xbf16>, %q: memref<64x96xf8E4M3FN>, %s: memref<96x2xf8E8M0FNU>,
                        %p: memref<96x64xf8E4M3FN>, %t: memref<96x2xf8E8M0FNU>) {
  // expected-error @+1 {{scales must have shape [rows, ceil(columns/32)] of 'memref<64x96xf8E4M3FN>', found 'memref<96x2xf8E8M0FNU>' [Q3]}}
  mx.quantize ins(%x : memref<64x96xbf16>) outs(%q, %s, %p, %t : memref<64x96xf8E4M3FN>, memref<96x2xf8E8M0FNU>, memref<96x64xf8E4M3FN>, memref<96x2xf8E8M0FNU>) axis = both
}
