// RUN: mxc-opt %s -verify-diagnostics

// A row stride is written as strided<>: a map that says the same would be another layout for the ABI.
#rows = affine_map<(r, c) -> (r * 4096 + c)>
// expected-error @+1 {{[K4]}}
mx.kernel @row_stride_as_map(%x: memref<?x?xbf16, #rows>, %q: memref<?x?xf8E4M3FN>, %s: memref<?x?xf8E8M0FNU>) {
  mx.quantize ins(%x : memref<?x?xbf16, #rows>) outs(%q, %s : memref<?x?xf8E4M3FN>, memref<?x?xf8E8M0FNU>)
}
