// RUN: mxc-opt %s -split-input-file -verify-diagnostics

mx.kernel @empty(%q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>, %x: memref<?x?xf32>) {
  // expected-error @+1 {{the last tile must have no condition: it takes what the others refuse [D3]}}
  mx.dequantize ins(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>) outs(%x : memref<?x?xf32>) tiles = []
}

// -----

mx.kernel @condition_on_the_last(%q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>, %x: memref<?x?xf32>) {
  // expected-error @+1 {{the last tile must have no condition: it takes what the others refuse [D3]}}
  mx.dequantize ins(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>) outs(%x : memref<?x?xf32>)
      tiles = [#mx.quantize_tile<when = "K >= 1024">]
}
