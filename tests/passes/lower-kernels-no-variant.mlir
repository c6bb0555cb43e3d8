// Where the types refuse every tile that the user wrote, nothing could be launched.
// RUN: mxc-opt --mx-lower-kernels=target=sm_90a %s -split-input-file -verify-diagnostics

mx.kernel @odd_columns(%x: memref<?x33xbf16>, %q: memref<?x33xf8E4M3FN>, %s: memref<?x2xf8E8M0FNU>) {
  // expected-error @+1 {{has no tile that its shapes allow: nothing could be launched}}
  mx.quantize ins(%x : memref<?x33xbf16>) outs(%q, %s : memref<?x33xf8E4M3FN>, memref<?x2xf8E8M0FNU>) tiles = [#mx.quantize_tile<>]
}

// -----

mx.kernel @no_tiles(%q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>, %x: memref<?x?xf32>) {
  // expected-error @+1 {{has no tile that its shapes allow: nothing could be launched}}
  mx.dequantize ins(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>) outs(%x : memref<?x?xf32>)
}
