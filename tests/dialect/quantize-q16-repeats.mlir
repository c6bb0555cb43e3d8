// RUN: mxc-opt %s -split-input-file -verify-diagnostics

!codes = memref<?x?xf8E4M3FN>
!scales = memref<?x?xf8E8M0FNU>

mx.kernel @smaller(%x: memref<?x?xbf16>, %q: !codes, %s: !scales) {
  // expected-error @+1 {{block = A to B must name blocks of two formats, or 16x16 and one, A made of whole ones of B, as 1x128 to 1x32, found 1x32 to 1x128 [Q16]}}
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : !codes, !scales) block = 1x32 to 1x128
}

// -----

!codes = memref<?x?xf8E4M3FN>
!scales = memref<?x?xf8E8M0FNU>
mx.kernel @unknown(%x: memref<?x?xbf16>, %q: !codes, %s: !scales) {
  // expected-error @+1 {{as 1x128 to 1x32, found 1x96 to 1x32 [Q16]}}
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : !codes, !scales) block = 1x96 to 1x32
}

// -----

// The second block is that of a format of the types.
!codes = memref<?x?xf8E4M3FN>
!scales = memref<?x?xf8E8M0FNU>
mx.kernel @format(%x: memref<?x?xbf16>, %q: !codes, %s: !scales) {
  // expected-error @+1 {{found 'f8E4M3FN' and 'f8E8M0FNU' with block = 1x16 [Q7]}}
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : !codes, !scales) block = 1x128 to 1x16
}

// -----

!codes = memref<?x256xf8E4M3FN>
!scales = memref<?x2xf8E8M0FNU>
mx.kernel @shape(%x: memref<?x256xbf16>, %q: !codes, %s: !scales) {
  // expected-error @+1 {{scales must have shape [rows, ceil(columns/32)] of 'memref<?x256xf8E4M3FN>', found 'memref<?x2xf8E8M0FNU>' [Q3]}}
  mx.quantize ins(%x : memref<?x256xbf16>) outs(%q, %s : !codes, !scales) block = 1x128 to 1x32
}

// -----

!codes = memref<?x?xf4E2M1FN>
mx.kernel @square_of_32(%x: memref<?x?xbf16>, %q: !codes, %s: memref<?x?xf8E8M0FNU>) {
  // expected-error @+1 {{found 16x16 to 1x32 [Q16]}}
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : !codes, memref<?x?xf8E8M0FNU>) block = 16x16 to 1x32
}

// -----

// No format has it.
!codes = memref<?x?xf4E2M1FN>
mx.kernel @square_alone(%x: memref<?x?xbf16>, %t: memref<1xf32>, %q: !codes, %s: memref<?x?xf8E4M3FN>) {
  // expected-error @+1 {{with block = 16x16 [Q7]}}
  mx.quantize ins(%x : memref<?x?xbf16>) tensor_scale(%t : memref<1xf32>) outs(%q, %s : !codes, memref<?x?xf8E4M3FN>) block = 16x16
}
