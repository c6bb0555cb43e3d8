// What two operands say of a dimension agrees, where the inputs say nothing.
// RUN: mxc-opt %s -split-input-file -verify-diagnostics

mx.kernel @copies(%x: memref<?x?xbf16>, %q: memref<64x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>, %p: memref<?x128xf8E4M3FN>,
                  %t: memref<?x?xf8E8M0FNU>) {
  // expected-error @+1 {{operands must agree on M: found 64 in 'memref<64x?xf8E4M3FN>' and 128 in 'memref<?x128xf8E4M3FN>' [Q2]}}
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s, %p, %t : memref<64x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>, memref<?x128xf8E4M3FN>, memref<?x?xf8E8M0FNU>) axis = both
}

// -----

mx.kernel @scales(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<64x?xf8E8M0FNU>, %p: memref<?x?xf8E4M3FN>,
                  %t: memref<?x5xf8E8M0FNU>) {
  // expected-error @+1 {{operands must agree: expected a size of 2, as the others have it, found 5 in 'memref<?x5xf8E8M0FNU>' [Q3]}}
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s, %p, %t : memref<?x?xf8E4M3FN>, memref<64x?xf8E8M0FNU>, memref<?x?xf8E4M3FN>, memref<?x5xf8E8M0FNU>) axis = both
}

// -----

mx.kernel @sums(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<64x?xf8E8M0FNU>, %b: memref<65xf32>) {
  // expected-error @+1 {{operands must agree on K: found 64 in 'memref<64x?xf8E8M0FNU>' and 65 in 'memref<65xf32>' [Q13]}}
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<64x?xf8E8M0FNU>) column_sum(%b : memref<65xf32>) axis = column
}

// -----

// No rows in no groups have no scales.
mx.kernel @nothing(%x: memref<0x32xbf16>, %ends: memref<0xi32>, %q: memref<0x32xf8E4M3FN>, %s: memref<0x1xf8E8M0FNU>) {
  mx.quantize ins(%x : memref<0x32xbf16>) groups(%ends : memref<0xi32>)
      outs(%q, %s : memref<0x32xf8E4M3FN>, memref<0x1xf8E8M0FNU>) align = 1
}
