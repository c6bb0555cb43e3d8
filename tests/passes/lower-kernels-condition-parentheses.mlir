// Joined with the conditions of vector access, "K % 8 == 0 && (M < 3) || (K < 3)" would allow unaligned rows.
// RUN: mxc-opt --mx-lower-kernels=target=sm_90a %s -verify-diagnostics

mx.kernel @parentheses(%q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>, %x: memref<?x?xf32>) {
  // expected-error @+1 {{the tile's condition is at fault: shape expression}}
  mx.dequantize ins(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>) outs(%x : memref<?x?xf32>)
      tiles = [#mx.quantize_tile<when = "M < 3) || (K < 3">, #mx.quantize_tile<>]
}
