// RUN: mxc-opt %s -verify-diagnostics

// The data's dimensions are open, but the input says them.
mx.kernel @shape_from_input(%x: memref<?x64xbf16>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x3xf8E8M0FNU>) {
  // expected-error @+1 {{scales must have shape [rows, ceil(columns/32)] of 'memref<?x64xf8E4M3FN>', found 'memref<?x3xf8E8M0FNU>' [Q3]}}
  mx.quantize ins(%x : memref<?x64xbf16>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x3xf8E8M0FNU>)
}
