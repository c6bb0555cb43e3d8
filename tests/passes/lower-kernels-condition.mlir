// A tile's condition is an expression over the dimensions that the kernel has.
// RUN: mxc-opt --mx-lower-kernels=target=sm_90a %s -split-input-file -verify-diagnostics

mx.kernel @unknown_name(%x: memref<?x?xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>) {
  // expected-error @+1 {{the tile's condition is at fault: shape expression "N < 3": unknown dimension 'N' at column 1}}
  mx.quantize ins(%x : memref<?x?xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>)
      tiles = [#mx.quantize_tile<when = "N < 3">, #mx.quantize_tile<>]
}

// -----

mx.kernel @syntax(%q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>, %x: memref<?x?xf32>) {
  // expected-error @+1 {{the tile's condition is at fault: shape expression}}
  mx.dequantize ins(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>) outs(%x : memref<?x?xf32>)
      tiles = [#mx.quantize_tile<when = "M <">, #mx.quantize_tile<>]
}
