// RUN: mxc-opt %s -split-input-file -verify-diagnostics

mx.kernel @other(%x: memref<?x?xbf16>, %ends: memref<?xi32>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>) {
  // expected-error @+1 {{align must be 1 or 128, of groups(..), found 64 [Q10]}}
  mx.quantize ins(%x : memref<?x?xbf16>) groups(%ends : memref<?xi32>)
      outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>) align = 64
}

// -----

mx.kernel @alone(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>) {
  // expected-error @+1 {{align must be 1 or 128, of groups(..), found 1 without groups [Q10]}}
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>) align = 1
}

// -----

mx.kernel @negative(%x: memref<?x?xbf16>, %ends: memref<?xi32>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>) {
  // expected-error @+1 {{align must be 1 or 128, of groups(..), found -128 [Q10]}}
  mx.quantize ins(%x : memref<?x?xbf16>) groups(%ends : memref<?xi32>)
      outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>) align = -128
}

// -----

mx.kernel @shared_bytes(%x: memref<?x?xbf16>, %ends: memref<?xi32>, %q: memref<?x?xf6E2M3FN>, %s: memref<?x?xf8E8M0FNU>) {
  // expected-error @+1 {{with align = 1 groups begin anywhere in the rows of a transposed copy, where codes of 6 bits of two groups would share a byte: expected align = 128 [Q10]}}
  mx.quantize ins(%x : memref<?x?xbf16>) groups(%ends : memref<?xi32>)
      outs(%q, %s : memref<?x?xf6E2M3FN>, memref<?x?xf8E8M0FNU>) axis = column align = 1
}
